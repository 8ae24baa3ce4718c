#include "app/estimators/estimators.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gmock/gmock.h>

#include "app/estimators/node_tables.h"
#include "app/estimators/sensitivity.h"
#include "app/manage/update_solver.h"
#include "app/model_source.h"
#include "app/schedule/cluster_estimates.h"
#include "base/log.h"
#include "base/rng.h"
#include "core/node.h"
#include "core/table_builder.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/temp_folder.h"

namespace reckon::app {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

// Hosts of known behaviour: compute time grows with the load before and falls with the batch, a
// batch takes memory, an app is slowed by the load and twice as slow beside the training.
core::Table Hosts(size_t count) {
  base::Rng rng(7);
  core::TableBuilder builder;
  for (size_t i = 0; i < count; ++i) {
    const double cpu = 0.1 * static_cast<double>(i % 8);
    const double batch = std::pow(2.0, 3 + static_cast<double>(i % 5));
    const double server = 0.2 * static_cast<double>(i % 3);
    const double workers = 1 + static_cast<double>(i % 4);
    const double memory = 0.05 + 0.1 * rng.Uniform();
    const auto run = static_cast<double>(i);
    core::Row row{{"run", run},
                  {"host", "nano" + std::to_string(i % 2)},
                  {"serves", 0.0},
                  {"cpu_before", cpu},
                  {"memory_before", memory},
                  {"batch", batch},
                  {"host_workers", 1.0},
                  {"workers", workers},
                  {"server_cpu_before", server},
                  {"compute_per_sample_s", 0.01 * (1 + cpu) * (1 + 4 / batch)},
                  {"exchange_s", 0.02 * workers * (1 + server)},
                  {"cpu_mean", 0.9 + 0.1 * cpu},
                  {"cpu_p95", 0.92 + 0.08 * cpu},
                  {"memory_mean", memory + 0.002 * batch},
                  {"memory_p95", memory + 0.004 * batch},
                  {"latency_s_before", 0.05 * (1 + cpu)},
                  {"latency_s", 0.1 * (1 + cpu)}};
    if (i == 3) row.emplace_back("disturbed", 1.0);
    builder.AddRow(row);
    builder.AddRow({{"run", run},
                    {"host", "pi"},
                    {"serves", 1.0},
                    {"cpu_p95", 0.5 + 0.1 * server},
                    {"cpu_before", server},
                    {"memory_p95", 0.2 + 0.01 * workers},
                    {"workers", workers}});
  }
  return std::move(builder).Finish("hosts");
}

TEST(EstimatorTablesTest, EveryFunctionOfEveryTypeOfNode) {
  const auto all = EstimatorTables(Hosts(40), 12);
  std::vector<std::string> names;
  for (const EstimatorData& data : all) names.push_back(data.node_type + "." + data.name);
  EXPECT_THAT(
      names, ElementsAre("nano.compute_time", "nano.update_time", "nano.state_cpu",
                         "nano.state_memory", "nano.exec_time", "pi.state_cpu", "pi.state_memory"));
  EXPECT_EQ(all[0].table.row_count, 39U);  // without the disturbed one
  EXPECT_THAT(all[0].table.Names(), ElementsAre("cpu_before", "memory_before", "batch", "workers",
                                                "server_cpu_before", "compute_per_sample_s"));
  EXPECT_THAT(all[1].table.Names(), Contains("server_cpu_before"));
  EXPECT_EQ(all[4].table.row_count, 78U);  // with the training and without it
  EXPECT_THAT(all[4].table.Names(), Contains("training"));
  EXPECT_EQ(all[0].runs.size(), 39U);
  EXPECT_EQ(all[0].runs[3], 4U) << "run 3 was disturbed";
  EXPECT_EQ(all[4].runs[0], all[4].runs[1]) << "a host with and without the training";
  EXPECT_TRUE(EstimatorTables(Hosts(6), 12).empty());
  EXPECT_EQ(core::TypeOfNode("nano12"), "nano");
  EXPECT_EQ(core::TypeOfNode("7"), "7");
  EXPECT_EQ(core::TypeOfNode("tx2-0"), "tx2");
  EXPECT_EQ(core::TypeOfNode("tx2-"), "tx2-");
  EXPECT_EQ(core::TypeOfNode("-1"), "-");
}

TEST(EstimatorTablesTest, SeveralAppsAreLearnedApart) {
  core::Table hosts = Hosts(40);
  for (core::Column& column : hosts.columns) {
    const std::string& name = column.name();
    if (!name.starts_with("latency_s")) continue;
    std::vector<double> cells;
    for (size_t row = 0; row < hosts.row_count; ++row) cells.push_back(column[row]);
    column = core::Column::Numbers("web." + name, core::NumberVector::Of(cells));
  }
  const auto all = EstimatorTables(hosts, 12);
  const auto found = std::find_if(all.begin(), all.end(), [](const EstimatorData& data) {
    return data.name == "exec_time.web";
  });
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->function, "EstExecTime web");
  EXPECT_EQ(found->table.row_count, 78U);
}

TEST(EstimatorTablesTest, AHostThatOnlyServesDoesNotTakeInputsFromTheOthers) {
  core::Table hosts = Hosts(40);  // a pi serves beside every nano
  const size_t host = *hosts.Find("host");
  core::TableBuilder builder;
  for (size_t row = 0; row < hosts.row_count; ++row) {
    if (hosts.columns[host].Text(row) == "pi" && row % 4 != 1) continue;  // one of two
    core::Row cells{{"host", "h" + std::to_string(row)}};
    for (const core::Column& column : hosts.columns) {
      if (column.name() != "host" && !std::isnan(column[row])) {
        cells.emplace_back(column.name(), column[row]);
      }
    }
    builder.AddRow(cells);
  }
  const auto all = EstimatorTables(std::move(builder).Finish("alike"), 12);
  const auto memory = std::find_if(all.begin(), all.end(), [](const EstimatorData& data) {
    return data.name == "state_memory";
  });
  ASSERT_NE(memory, all.end());
  EXPECT_THAT(memory->table.Names(), Contains("batch"));
  EXPECT_EQ(memory->table.row_count, 39U);
}

TEST(EstimatorTablesTest, AServerIsToldOfItsWorkers) {
  const auto all = EstimatorTables(Hosts(40), 12);
  const auto server = std::find_if(all.begin(), all.end(), [](const EstimatorData& data) {
    return data.node_type == "pi" && data.name == "state_cpu";
  });
  ASSERT_NE(server, all.end());
  EXPECT_THAT(server->table.Names(), IsSupersetOf({"crew_batch", "crew_cpu_before"}));
  const auto column = [&](const std::string& name) -> const core::Column& {
    return server->table.columns[*server->table.Find(name)];
  };
  EXPECT_EQ(column("crew_batch")[1], 16);  // run 1, whose one worker has 16 at a time
  EXPECT_NEAR(column("crew_cpu_before")[1], 0.1, 1e-12);
  EXPECT_THAT(all[0].table.Names(), Not(Contains("crew_batch")));
}

TEST(SensitivityTest, TellsWhatGoesWithWhat) {
  const auto all = EstimatorTables(Hosts(40), 12);
  std::map<std::string, SensitivityRow> rows;
  for (const SensitivityRow& row : SensitivityOf(all[0])) rows[row.input] = row;
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_GT(rows.at("cpu_before").correlation, 0.4);
  EXPECT_GT(rows.at("cpu_before").high, rows.at("cpu_before").low);
  EXPECT_LT(rows.at("batch").correlation, -0.4);
  EXPECT_LT(rows.at("batch").high, rows.at("batch").low);
  EXPECT_LT(std::abs(rows.at("memory_before").correlation), 0.4);
}

class EstimatorsTest : public ::testing::Test {
 protected:
  void Keep(const core::Table& hosts, const std::string& campaign = "{}") {
    const auto store = store::SqliteStore::Open(folder_ / "x.db", clock_).value();
    core::Run run;
    run.name = "edge";
    run.job = "{}";
    run.campaign_id = store->SaveCampaign("edge", campaign)->id;
    run.point = "p";
    run = store->AddRun(run).value();
    for (const auto state :
         {core::RunState::kPlanning, core::RunState::kStarting, core::RunState::kRunning}) {
      run = store->MoveRun(run.id, run.state, state, "").value();
    }
    const core::CollectedRows rows{"edge.nodes", hosts};
    ASSERT_TRUE(
        store->FinishRun(run.id, run.state, core::RunState::kFinished, "", {&rows, 1}).ok());
  }

  support::TempFolder folder_;
  base::SystemClock clock_;
  base::NoProgress progress_;
  base::Logger log_{base::LogLevel::kError};
  Context context_{clock_, log_, progress_, {}, 2, folder_ / "x.db"};
};

TEST_F(EstimatorsTest, LearnsKnownFunctionsAndKeepsThem) {
  Keep(Hosts(80));
  const auto report = FitEstimators({.campaign = "edge"}, context_);
  ASSERT_TRUE(report.ok()) << report.error().Describe();
  ASSERT_EQ(report->estimators.size(), 7U);
  for (const EstimatorRow& row : report->estimators) {
    EXPECT_LT(row.mape_percent, 4) << row.node_type << " " << row.function;
    EXPECT_EQ(LoadModel(row.model, context_)->model.schema.target.empty(), false);
  }
  EXPECT_EQ(report->estimators[0].model, "edge.nano.compute_time");
  EXPECT_EQ(report->estimators[0].train_rows, 66U);
  EXPECT_EQ(report->estimators[0].test_rows, 13U);
  EXPECT_LT(report->mean_mape_percent, 3);
  // memory_p95 = before + 0.004 batch, at most 0.3: with 0.05 before, 62.
  const auto limited =
      FitEstimators({.campaign = "edge", .save = false, .memory_limit = 0.3}, context_);
  ASSERT_TRUE(limited.ok());
  ASSERT_GE(limited->max_batches.size(), 3U);
  EXPECT_EQ(limited->max_batches[0].node_type, "nano");
  EXPECT_NEAR(static_cast<double>(*limited->max_batches[0].batch), 62, 12);
  EXPECT_LT(*limited->max_batches[2].batch, *limited->max_batches[0].batch);
}

// Clusters are real: their deadlines and links are not dilated, so nor may be what was learned in a
// lab.
TEST_F(EstimatorsTest, ClustersAreAskedInRealSeconds) {
  Keep(Hosts(80), R"({"lab": {"name": "edge", "dilation": 4}})");
  ASSERT_TRUE(FitEstimators({.campaign = "edge"}, context_).ok());
  core::Cluster cluster;
  cluster.campaign = "edge";
  cluster.workers.resize(1);
  cluster.workers[0].node.name = "nano0";
  cluster.workers[0].node.machine_type = "nano";
  cluster.workers[0].node.state = {.cpu = 0.2, .memory = 0.1};
  cluster.workers[0].node.background_apps = {{"sift", 0.2, 0}};
  const auto estimates = ClusterEstimates::Open(cluster, 0, 0.9, EstimatesOf(context_));
  ASSERT_TRUE(estimates.ok()) << estimates.error().Describe();
  const double compute = 0.01 * 1.2 * (1 + 4.0 / 32) / 4;
  EXPECT_NEAR((*estimates)->ComputePerSample(0, 32, 2), compute, 0.1 * compute);
  EXPECT_NEAR((*estimates)->UpdatePerStep(0, 32, 2), 0.02 * 2 / 4, 0.003);
  const double latency = (*estimates)->AppLatency(0, 0, 32, 2);
  EXPECT_NEAR(latency, 0.1 * 1.2 / 4, 0.01);
  EXPECT_GE((*estimates)->AppLatencyBound(0, 0, 32, 2), latency);
  EXPECT_LT((*estimates)->AppLatencyBound(0, 0, 32, 2), 2 * latency);
}

// Rows that another store has measured, as a file brings them: the same, but for what is known of
// the campaign.
TEST_F(EstimatorsTest, SamplesFromElsewhereAreAsGood) {
  core::Table hosts = Hosts(80);
  core::TableBuilder builder;
  for (size_t row = 0; row < hosts.row_count; ++row) builder.AddRow({{"dilation", 4.0}});
  hosts.columns.push_back(std::move(builder).Finish("dilations").columns[0]);
  const auto store = store::SqliteStore::Open(folder_ / "x.db", clock_).value();
  ASSERT_TRUE(store->AddSampleSet("edge.nodes", "print", hosts, {}, progress_).ok());
  const auto report = FitEstimators({.campaign = "edge"}, context_);
  ASSERT_TRUE(report.ok()) << report.error().Describe();
  EXPECT_LT(report->mean_mape_percent, 3);
  EXPECT_EQ(report->mean_noise_percent, std::nullopt);
  EXPECT_THAT(report->notes, Contains(HasSubstr("measured elsewhere")));
  EXPECT_EQ(EstimatesOf(context_).dilation("edge").value(), 4);
  EXPECT_EQ(EstimatesOf(*store).dilation("edge").value(), 4);
}

// The manager's solver, with nodes as agents have told them.
TEST_F(EstimatorsTest, TheSolverAsksThem) {
  Keep(Hosts(80));
  ASSERT_TRUE(FitEstimators({.campaign = "edge"}, context_).ok());
  const auto store = store::SqliteStore::Open(folder_ / "x.db", clock_).value();
  UpdateAsk ask;
  ask.data_store = "camera";
  ask.images = 1000;
  ask.validation_images = 10;
  ask.print = "p";
  ask.estimators = "edge";
  core::Job job;
  job.trainer.emplace();
  job.trainer->network = "mlp";
  job.trainer->strategy = core::Strategy::kAsyncParameterServer;
  job.servers = 1;
  std::vector<KnownNode> nodes(4);
  for (size_t i = 0; i < nodes.size(); ++i) {
    act::NodeInfo& info = nodes[i].info;
    info.name = i == 3 ? "pi" : "nano" + std::to_string(i);
    info.type = core::TypeOfNode(info.name);
    info.cpus = i == 3 ? 0.5 : 1;
    nodes[i].now = {0.1, 0.1, {}};
  }
  nodes[1].now.cpu = 0.6;
  // The app takes 0.1 * (1 + cpu) seconds beside the training: too long on this node alone.
  nodes[2].info.apps = {{"sift", 0.15}};
  nodes[2].now.cpu = 0.7;
  const auto plan = ChooseShares({ask, job, nodes}, *store);
  ASSERT_TRUE(plan.ok()) << plan.error().Describe();
  EXPECT_THAT(plan->servers, ElementsAre("pi"));
  ASSERT_EQ(plan->shares.size(), 2U);
  EXPECT_EQ(plan->shares[0].node, "nano0");
  EXPECT_EQ(plan->shares[0].images + plan->shares[1].images, 1000);
  EXPECT_GT(plan->shares[0].images, plan->shares[1].images + 50) << "the other one is busier";
  EXPECT_THAT(plan->left_out.at("nano2"), HasSubstr("sift"));
  EXPECT_GT(plan->epoch_s.value_or(0), 0);
  // Of a type that nobody has measured.
  nodes[0].info.type = "xavier";
  EXPECT_THAT(ChooseShares({ask, job, nodes}, *store).error().Describe(), HasSubstr("xavier"));
  ask.servers = {"nano9"};
  EXPECT_EQ(ChooseShares({ask, job, nodes}, *store).error().code(), base::ErrorCode::kUnavailable);
}

TEST_F(EstimatorsTest, SaysWhenThereIsTooLittle) {
  EXPECT_EQ(FitEstimators({.campaign = "edge"}, context_).error().code(),
            base::ErrorCode::kNotFound);
  Keep(Hosts(3));
  EXPECT_THAT(FitEstimators({.campaign = "edge"}, context_).error().Describe(),
              HasSubstr("estimators need 12"));
  EXPECT_EQ(FitEstimators({.campaign = "egde"}, context_).error().code(),
            base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace reckon::app
