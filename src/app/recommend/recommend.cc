#include "app/recommend/recommend.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/learning.h"
#include "app/manage/attempt_plan.h"
#include "app/model_source.h"
#include "app/outputs.h"
#include "app/recommend/catalogue_source.h"
#include "app/recommend/cluster_kinds.h"
#include "app/recommend/epochs_to_accuracy.h"
#include "app/recommend/worker_batches.h"
#include "app/report/samples.h"
#include "app/runs/describe.h"
#include "app/runs/job_json.h"
#include "app/runs/run_samples.h"
#include "app/runs/runs.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "numeric/normal.h"
#include "plot/chart.h"
#include "predict/forecaster.h"
#include "spec/job_file.h"

namespace reckon::app {
namespace {

using base::Result;

// Of very many workers not every number.
constexpr size_t kEveryNumber = 64;
constexpr double kNumberStep = 1.1;
constexpr const char* kEngine = "engine";

Result<learn::Model> ModelFor(const RecommendRequest& request, const CampaignSamples& samples,
                              const Context& context) {
  if (!request.model.empty()) {
    RECKON_ASSIGN(LoadedModel loaded, LoadModel(request.model, context));
    return std::move(loaded.model);
  }
  LearnRequest learn;
  learn.target = samples.target;
  learn.seed = request.seed;
  core::Table table = ForLearning(samples.runs, samples.target);
  // It names hosts, for which kinds stand.
  std::erase_if(table.columns, [](const core::Column& one) { return one.name() == kEngine; });
  RECKON_ASSIGN(const Prepared prepared, PrepareTable(learn, std::move(table), context));
  RECKON_ASSIGN(learn::SearchOutcome outcome,
                learn::Search(prepared.data, prepared.search, context.stop, context.progress));
  return learn::MakeModel(prepared.data, prepared.search, std::move(outcome));
}

// The job's own columns, as samples of it would have them.
Result<core::Row> InputsOfJob(spec::JobFile file) {
  // As a plan of one worker on this machine: where it will be is chosen later.
  file.job.workers = 1;
  file.job.cpus_per_worker = 1;
  file.job.servers = std::min<int64_t>(file.job.servers, 1);
  RECKON_ASSIGN(const base::Json plan, PlanJob(file, "local"));
  const core::Table table = InputsOf(ToJson(file.job), plan);
  core::Row row;
  for (const core::Column& column : table.columns) {
    if (!IsRunInput(column.name()) || column.name() == kEngine) continue;
    if (column.kind() == core::ColumnKind::kNumber) {
      row.emplace_back(column.name(), column[0]);
    } else {
      row.emplace_back(column.name(), column.Text(0));
    }
  }
  return row;
}

void Put(core::Row& row, const std::string& name, core::Cell cell) {
  for (auto& [column, value] : row) {
    if (column == name) {
      value = std::move(cell);
      return;
    }
  }
  row.emplace_back(name, std::move(cell));
}

std::vector<size_t> WorkersToTry(size_t most) {
  std::vector<size_t> numbers;
  for (size_t n = 1; n <= most;) {
    numbers.push_back(n);
    n = n < kEveryNumber
            ? n + 1
            : std::max(n + 1, static_cast<size_t>(kNumberStep * static_cast<double>(n)));
  }
  if (!numbers.empty() && numbers.back() != most) numbers.push_back(most);
  return numbers;
}

// A campaign of several networks has columns for the knobs of all of them; those that the job's
// network does not have were missing when it was measured, too.
void AddAbsentKnobs(const learn::Model& model, core::Table& questions) {
  for (const learn::InputColumn& input : model.schema.inputs) {
    if (questions.Find(input.name) || !input.name.starts_with("knob_")) continue;
    core::NumberVector missing(core::NumberVector::Width::kDouble, questions.row_count);
    questions.columns.push_back(
        input.kind == core::ColumnKind::kNumber
            ? core::Column::Numbers(input.name, std::move(missing))
            : core::Column::Categories(input.name, input.levels, std::move(missing)));
  }
}

struct Candidates {
  core::Table questions;
  std::vector<RecommendRow> rows;
  std::vector<size_t> question_of;  // of each row: on demand and spot share one
};

Candidates CandidatesOf(const core::Row& job, const std::vector<ClusterKind>& kinds,
                        const WorkerBatches& batches, double dilation,
                        const RecommendRequest& request) {
  Candidates candidates;
  core::TableBuilder builder;
  size_t questions = 0;
  for (const ClusterKind& kind : kinds) {
    const size_t most = request.most_workers.value_or(static_cast<size_t>(kind.most_workers));
    for (const size_t workers : WorkersToTry(most)) {
      const auto count = static_cast<double>(workers);
      for (const double batch : batches.For(kind.strategy, count)) {
        core::Row row = job;
        for (const auto& [name, cell] : kind.inputs) Put(row, name, cell);
        Put(row, "workers", count);
        Put(row, "cpus", count * kind.cpus_per_worker);
        Put(row, "dilation", dilation);
        if (batch > 0) Put(row, "batch", batch);
        builder.AddRow(row);
        RecommendRow one;
        one.type = kind.name;
        one.workers = workers;
        one.cpus_per_worker = kind.cpus_per_worker;
        one.servers = kind.servers;
        one.strategy = kind.strategy;
        one.batch = batch;
        const double servers = kind.servers * kind.server_price;
        one.price_per_hour = count * kind.worker_price + servers;
        candidates.rows.push_back(one);
        candidates.question_of.push_back(questions);
        if (request.spot && kind.spot_price) {
          one.spot = true;
          one.price_per_hour = count * *kind.spot_price + servers;
          candidates.rows.push_back(std::move(one));
          candidates.question_of.push_back(questions);
        }
        ++questions;
      }
    }
  }
  candidates.questions = std::move(builder).Finish("clusters");
  return candidates;
}

std::string NameOf(const RecommendRow& row) {
  const std::string servers =
      row.servers > 0
          ? fmt::format(" + {}", base::Count(static_cast<size_t>(row.servers), "server"))
          : "";
  std::string how;
  if (!row.strategy.empty()) how += ", " + row.strategy;
  if (row.epochs > 0 && row.batch > 0) how += fmt::format(", batch {:.0f}", row.batch);
  return fmt::format("{} x {}{}{}{}", row.workers, row.type, row.spot ? " (spot)" : "", servers,
                     how);
}

// Log-normal by the median and the interval of a forecast.
decide::LogNormal BeliefOf(const core::Forecast& forecast, double dilation) {
  constexpr double kLevel = 0.95;  // the upper end of a 90 % interval
  const double above = std::log(forecast.upper / forecast.predicted);
  return {std::log(forecast.predicted / dilation),
          std::max(0.0, above) / numeric::NormalQuantile(kLevel)};
}

std::string PricesText(const PriceSource& prices) {
  if (prices.catalogue) {
    return fmt::format("{}, {}", prices.catalogue->source, prices.catalogue->date);
  }
  return prices.each ? "as given, one for every machine" : "of the campaign's pools";
}

base::Status CheckColumns(const learn::Model& model, const core::Table& questions) {
  for (const learn::InputColumn& input : model.schema.inputs) {
    if (questions.Find(input.name)) continue;
    return base::BadInput(fmt::format(
        "the model asks for '{}', which neither the job nor a cluster tells", input.name));
  }
  return {};
}

std::string MeasureText(const decide::ClusterChoice& choice, const RecommendReport& report) {
  if (!choice.measure) return "";
  const decide::WorthMeasuring& measure = *choice.measure;
  const std::string saves =
      choice.for_time ? base::FormatDuration(measure.saves) : base::FormatNumber(measure.saves);
  return fmt::format("measuring {} (about {}) should save {} a run, by what is not known of it",
                     NameOf(report.rows[measure.option]), base::FormatNumber(measure.costs), saves);
}

std::string Draw(const RecommendReport& report) {
  plot::Chart chart;
  chart.title = fmt::format("Clusters for {}", report.job);
  chart.subtitle = NameOf(report.rows[report.chosen]) + ": " + report.why;
  chart.x_label = "time, s";
  chart.y_label = "cost";
  chart.log_x = chart.log_y = true;
  plot::Series front{"nobody is faster and cheaper", {}};
  for (const size_t i : report.front) {
    front.points.push_back({report.rows[i].seconds, report.rows[i].cost});
  }
  plot::Series all{"clusters", {}};
  for (const RecommendRow& row : report.rows) all.points.push_back({row.seconds, row.cost});
  const RecommendRow& chosen = report.rows[report.chosen];
  chart.lines = {std::move(front)};
  chart.dots = {plot::Series{"", {}}, std::move(all),
                plot::Series{"chosen", {{chosen.seconds, chosen.cost}}}};
  return plot::RenderSvg(chart);
}

}  // namespace

Result<RecommendReport> Recommend(const RecommendRequest& request, const Context& context) {
  if (request.job.empty() && !request.text) return base::BadInput("no job; name its file");
  if ((request.free_batch || request.free_strategy) && !request.accuracy) {
    return base::BadInput(
        "--free: another batch or strategy takes other epochs; say which --accuracy they are for");
  }
  if (request.campaign.empty()) {
    return base::BadInput(
        "no measurements; name a campaign with --campaign ('reckon profile' measures one)");
  }
  RECKON_TRY(CheckOutputs({{"--plot", request.plot}},
                          {{"JOB", request.job}, {"--catalogue", request.catalogue}}, context));
  RECKON_ASSIGN(spec::JobFile file,
                request.text ? ReadJobText(*request.text) : spec::ReadJobFile(request.job, {}));
  // A service is asked by others: their scripts are not for it to run.
  if (!request.text) RECKON_TRY(Describer().Describe(file, context.stop));
  PriceSource prices{request.price, {}};
  if (!request.catalogue.empty()) {
    RECKON_ASSIGN(prices.catalogue, LoadCatalogue(request.catalogue, request.region, context));
  }
  RECKON_ASSIGN(const CampaignSamples samples, LoadCampaignSamples(request.campaign, context));
  std::optional<decide::EpochsLaw> epochs;
  if (request.accuracy) {
    RECKON_ASSIGN(epochs, EpochsLawOf(samples.epochs, *request.accuracy));
  }
  std::optional<bool> with_servers;
  if (!request.free_strategy) with_servers = file.job.servers > 0;
  RECKON_ASSIGN(const std::vector<ClusterKind> kinds, KindsOf(samples, with_servers, prices));
  const WorkerBatches batches(file.job, samples, request.free_batch);
  const double epochs_of_job = file.job.trainer ? static_cast<double>(file.job.trainer->epochs) : 1;
  const bool has_trainer = file.job.trainer.has_value();
  RecommendReport report;
  report.job = file.job.name;
  report.prices = PricesText(prices);
  report.campaign = request.campaign;
  report.confidence = request.confidence;
  RECKON_ASSIGN(const core::Row job, InputsOfJob(std::move(file)));
  RECKON_ASSIGN(const learn::Model model, ModelFor(request, samples, context));
  report.target = model.schema.target;
  report.technique = model.fitted.candidate.technique;
  double dilation = 1;
  if (samples.document.contains("lab")) {
    dilation = samples.document["lab"].value("dilation", 1.0);
  }
  Candidates candidates = CandidatesOf(job, kinds, batches, dilation, request);
  if (candidates.rows.empty()) {
    return base::BadInput("an update has fewer images than any cluster has workers");
  }
  // The model's time is that of an epoch, or of all that the job asks for.
  RECKON_TRY(CheckTimesTheJob(report.target));
  const bool of_an_epoch = IsOfAnEpoch(report.target);
  const double epochs_in_time = of_an_epoch ? 1 : epochs_of_job;
  if (of_an_epoch && !has_trainer && !epochs) {
    report.notes.push_back(
        "times and costs are those of one epoch: how many a command trains is not known");
  }
  AddAbsentKnobs(model, candidates.questions);
  RECKON_TRY(CheckColumns(model, candidates.questions));
  RECKON_ASSIGN(
      const std::vector<core::Forecast> forecasts,
      predict::MakeForecasts(model, candidates.questions, context.stop, context.progress));
  std::vector<decide::ClusterOption> options;
  for (size_t i = 0; i < candidates.rows.size(); ++i) {
    RecommendRow& row = candidates.rows[i];
    const core::Forecast& forecast = forecasts[candidates.question_of[i]];
    decide::LogNormal seconds = BeliefOf(forecast, dilation);
    if (epochs) {
      const std::string& strategy = row.strategy.empty() ? batches.strategy() : row.strategy;
      const auto workers = static_cast<double>(row.workers);
      const decide::LogNormal needed = epochs->Epochs(UpdateImages(strategy, row.batch, workers),
                                                      StalenessOf(strategy, workers));
      row.epochs = needed.Expected();
      seconds = seconds.Times(needed).Times(1 / epochs_in_time);
    } else if (of_an_epoch) {
      seconds = seconds.Times(epochs_of_job);
    }
    // Servers are not spot machines: without them everything would be lost.
    if (row.spot) {
      seconds = decide::OnSpot(seconds, request.spot_terms, static_cast<double>(row.workers));
    }
    options.push_back({NameOf(row), row.price_per_hour, seconds, request.startup_s});
    row.seconds = options[i].ExpectedSeconds();
    row.seconds_at = options[i].SecondsAt(request.confidence);
    row.cost = options[i].ExpectedCost();
    row.cost_at = options[i].CostAt(request.confidence);
    row.in_support = forecast.in_support;
  }
  const decide::ClusterWish wish{request.deadline_s, request.budget, request.confidence};
  RECKON_ASSIGN(const decide::ClusterChoice choice, decide::ChooseCluster(options, wish));
  report.rows = std::move(candidates.rows);
  report.front = choice.front;
  report.chosen = choice.chosen;
  report.why = choice.why;
  for (const size_t i : choice.front) report.rows[i].on_front = true;
  report.rows[choice.chosen].chosen = true;
  report.rows[choice.knee].knee = true;
  report.measure = MeasureText(choice, report);
  if (!report.rows[choice.chosen].in_support) {
    report.notes.push_back(
        "the chosen cluster lies beyond what was measured: " +
        base::Join(forecasts[candidates.question_of[choice.chosen]].outside, "; "));
  }
  if (!request.plot.empty()) {
    RECKON_ASSIGN(base::AtomicFile picture, base::AtomicFile::Create(request.plot));
    RECKON_TRY(picture.Append(Draw(report)));
    RECKON_TRY(picture.Commit());
    report.plot = request.plot;
  }
  return report;
}

base::Json ToJson(const RecommendReport& report) {
  base::Json rows = base::Json::array();
  for (const RecommendRow& row : report.rows) {
    rows.push_back({{"type", row.type},
                    {"workers", row.workers},
                    {"cpus_per_worker", row.cpus_per_worker},
                    {"servers", row.servers},
                    {"strategy", row.strategy},
                    {"batch", row.batch},
                    {"epochs", row.epochs},
                    {"spot", row.spot},
                    {"price_per_hour", row.price_per_hour},
                    {"time_s", row.seconds},
                    {"time_at_confidence_s", row.seconds_at},
                    {"cost", row.cost},
                    {"cost_at_confidence", row.cost_at},
                    {"in_support", row.in_support},
                    {"on_front", row.on_front},
                    {"knee", row.knee}});
  }
  base::Json chosen = rows[report.chosen];
  return {{"job", report.job},           {"campaign", report.campaign},
          {"target", report.target},     {"technique", report.technique},
          {"prices", report.prices},     {"confidence", report.confidence},
          {"chosen", std::move(chosen)}, {"why", report.why},
          {"measure", report.measure},   {"clusters", std::move(rows)},
          {"notes", report.notes},       {"plot", report.plot}};
}

}  // namespace reckon::app
