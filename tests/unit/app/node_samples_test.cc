#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/runs/run_samples.h"
#include "base/json.h"

namespace reckon::app {
namespace {

using base::Json;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::Not;

// One worker on h1 with an app beside it, a server on h0.
RunView EdgeRun() {
  RunView view;
  for (
      const char* line : {
          R"({"kind":"rank.started","at":100,"role":"background","index":0,"host":"h1"})",
          R"({"kind":"latency","at":101,"role":"background","index":0,"seconds":[9],"missed":1})",
          R"({"kind":"background.settled","at":102})",
          R"({"kind":"latency","at":103,"role":"background","index":0,"seconds":[0.1,0.3],"missed":0})",
          R"({"kind":"rank.started","at":104,"role":"server","index":0,"host":"h0"})",
          R"({"kind":"rank.started","at":104,"role":"worker","index":0,"host":"h1"})",
          R"({"kind":"latency","at":105,"role":"background","index":0,"seconds":[7],"missed":1})",
          R"({"kind":"steps","at":111,"role":"worker","index":0,"epoch":0,"first":0,
               "compute_s":[0.2,0.4],"push_s":[0.1,0.1],"update_s":[0.05,0.05],"pull_s":[0.1,0.1]})",
          R"({"kind":"latency","at":112,"role":"background","index":0,
               "seconds":[0.2,0.2,0.2,0.6],"missed":1})",
          R"({"kind":"stage","at":120,"role":"worker","index":0,"stage":"training_loop","seconds":10})",
          R"({"kind":"latency","at":121,"role":"background","index":0,"seconds":[5],"missed":1})",
          R"({"kind":"node.usage","at":122,"host":"h0","phase":"before","cpu_mean":0.3,"cpu_p95":0.4})",
          R"({"kind":"node.usage","at":122,"host":"h1","phase":"before","cpu_mean":0.5,"cpu_p95":0.6,
               "memory_mean":0.25})",
          R"({"kind":"node.usage","at":122,"host":"h0","phase":"training","seconds":10,"cpu_mean":0.7})",
          R"({"kind":"node.usage","at":122,"host":"h1","phase":"training","seconds":10,"cpu_mean":0.9,
               "cpu_p95":0.97,"memory_p95":0.5})",
          R"({"kind":"run.disturbance","at":122,"foreign":0.2,"steal":0.01,"pace_us":200})",
      }) {
    view.Add(Json::parse(line));
  }
  return view;
}

double Cell(const core::Table& table, size_t row, const std::string& column) {
  const auto found = table.Find(column);
  return found ? table.columns[*found][row] : std::nan("");
}

core::Table NodesOf(const Json& plan, const RunView& view = EdgeRun()) {
  const Json job{
      {"workers", 1}, {"servers", 1}, {"trainer", {{"batches", {32}}, {"shards", Json::array()}}}};
  for (const auto& samples : SamplesOf(7, "edge", job, plan, view)) {
    if (samples.set == "edge.nodes") return samples.rows;
  }
  return {};
}

TEST(NodeSamplesTest, ARowForEachHostWithItsStateBeforeAndMeanwhile) {
  const core::Table nodes = NodesOf({{"engine", "lab:edge"}});
  ASSERT_EQ(nodes.row_count, 2U);
  EXPECT_EQ(nodes.columns[*nodes.Find("host")].Text(1), "h1");
  EXPECT_EQ(Cell(nodes, 1, "cpu_before"), 0.5);
  EXPECT_EQ(Cell(nodes, 1, "memory_before"), 0.25);
  EXPECT_EQ(Cell(nodes, 1, "cpu_p95"), 0.97);
  EXPECT_EQ(Cell(nodes, 1, "memory_p95"), 0.5);
  EXPECT_EQ(Cell(nodes, 1, "observed_s"), 10);
  EXPECT_EQ(Cell(nodes, 0, "serves"), 1);
  EXPECT_EQ(Cell(nodes, 1, "server_cpu_before"), 0.3);
  EXPECT_EQ(Cell(nodes, 1, "server_cpu_mean"), 0.7);
  EXPECT_THAT(nodes.Names(), Not(Contains("disturbed")));
}

TEST(NodeSamplesTest, StepsAreThoseOfTheHostsWorkers) {
  const core::Table nodes = NodesOf(Json::object());
  EXPECT_EQ(Cell(nodes, 1, "host_workers"), 1);
  EXPECT_EQ(Cell(nodes, 0, "host_workers"), 0);
  EXPECT_TRUE(std::isnan(Cell(nodes, 0, "compute_s")));
  EXPECT_THAT(Cell(nodes, 1, "compute_s"), DoubleNear(0.3, 1e-12));
  EXPECT_THAT(Cell(nodes, 1, "compute_per_sample_s"), DoubleNear(0.3 / 32, 1e-12));
  EXPECT_THAT(Cell(nodes, 1, "exchange_s"), DoubleNear(0.25, 1e-12));
  EXPECT_EQ(Cell(nodes, 1, "batch"), 32);
}

TEST(NodeSamplesTest, LatenciesAreThoseOfQuietAndOfTrainingAlone) {
  const core::Table nodes = NodesOf(Json::object());
  EXPECT_THAT(Cell(nodes, 1, "latency_s_before"), DoubleNear(0.2, 1e-12));
  EXPECT_EQ(Cell(nodes, 1, "deadline_missed_before"), 0);
  EXPECT_THAT(Cell(nodes, 1, "latency_s"), DoubleNear(0.3, 1e-12));
  EXPECT_EQ(Cell(nodes, 1, "latency_p95_s"), 0.6);
  EXPECT_EQ(Cell(nodes, 1, "deadline_missed"), 0.25);
  EXPECT_EQ(Cell(nodes, 1, "latencies"), 4);
}

TEST(NodeSamplesTest, SeveralAppsHaveColumnsOfTheirOwn) {
  RunView view = EdgeRun();
  view.ranks.front().app = "sift";
  for (
      const char* line : {
          R"({"kind":"rank.started","at":100,"role":"background","index":1,"host":"h1","app":"web"})",
          R"({"kind":"latency","at":112,"role":"background","index":1,"seconds":[0.01],"missed":0})",
          R"({"kind":"latency","at":113,"role":"background","index":1,"seconds":[2],"missed":1,
               "name":"search"})",
      }) {
    view.Add(Json::parse(line));
  }
  const core::Table nodes = NodesOf(Json::object(), view);
  EXPECT_FALSE(nodes.Find("latency_s"));
  EXPECT_THAT(Cell(nodes, 1, "sift.latency_s"), DoubleNear(0.3, 1e-12));
  EXPECT_THAT(Cell(nodes, 1, "sift.latency_s_before"), DoubleNear(0.2, 1e-12));
  EXPECT_EQ(Cell(nodes, 1, "web.latency_s"), 0.01);
  EXPECT_EQ(Cell(nodes, 1, "web.search.latency_s"), 2);
  EXPECT_EQ(Cell(nodes, 1, "web.search.deadline_missed"), 1);
}

TEST(NodeSamplesTest, AMachineThatOthersUsedMarksTheRows) {
  EXPECT_EQ(Cell(NodesOf({{"most_foreign", 0.1}, {"most_steal", 1}}), 0, "disturbed"), 1);
  EXPECT_EQ(Cell(NodesOf({{"most_foreign", 1}, {"most_steal", 0.005}}), 0, "disturbed"), 1);
  EXPECT_EQ(Cell(NodesOf({{"most_pace_us", 190}}), 0, "disturbed"), 1);
  EXPECT_TRUE(std::isnan(Cell(NodesOf({{"most_pace_us", 210}}), 0, "disturbed")));
  EXPECT_TRUE(
      std::isnan(Cell(NodesOf({{"most_foreign", 0.3}, {"most_steal", 0.02}}), 0, "disturbed")));
}

}  // namespace
}  // namespace reckon::app
