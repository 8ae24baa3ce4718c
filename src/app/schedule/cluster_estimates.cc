#include "app/schedule/cluster_estimates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data.h"
#include "app/model_source.h"
#include "app/runs/run_samples.h"
#include "base/json.h"
#include "base/text.h"
#include "decide/estimate/max_batch.h"

namespace reckon::app {
namespace {

using base::Result;
using base::Status;
using Question = TypeEstimates::Question;

// As the cluster's file says.
class StatedEstimates final : public TypeEstimates {
 public:
  // `servers` share the work of an update; the times are those with one.
  StatedEstimates(const core::NodeTimes& times, size_t servers)
      : times_(times), servers_(static_cast<double>(std::max<size_t>(1, servers))) {}

  double ComputePerSample(const Question& question) const override {
    return times_.forward_s + times_.backward_s / static_cast<double>(question.batch);
  }
  double UpdatePerStep(const Question& question) const override {
    // Several servers hold a part of the parameters each: workers wait for each other at all of
    // them at once.
    return times_.update_s +
           times_.update_s_per_worker * static_cast<double>(question.crew - 1) / servers_;
  }
  double AppLatency(const Question&, const std::string& app) const override {
    return times_.latency_s.at(app);
  }
  double AppLatencyBound(const Question& question, const std::string& app) const override {
    return AppLatency(question, app);
  }
  int64_t MinBatch() const override { return 1; }
  int64_t MaxBatch(const Question&) const override { return times_.max_batch; }
  Status CheckApp(const std::string& app) const override {
    if (times_.latency_s.contains(app)) return {};
    return base::BadInput(
        fmt::format("how long app '{}' takes beside the training is not told; give "
                    "it among the latencies of its type",
                    app));
  }

 private:
  const core::NodeTimes times_;
  const double servers_;
};

// Columns of the question; what a model asks beside them is taken as it was typical.
using Inputs = std::map<std::string, double>;

struct Answer {
  double expected = 0;
  double upper = 0;  // end of the interval
};

Answer Ask(const learn::Model& model, const Inputs& values) {
  learn::Matrix x(1, static_cast<Eigen::Index>(model.schema.inputs.size()));
  for (size_t i = 0; i < model.schema.inputs.size(); ++i) {
    const learn::InputColumn& input = model.schema.inputs[i];
    const auto given = values.find(input.name);
    x(0, static_cast<Eigen::Index>(i)) = given == values.end() ? input.typical : given->second;
  }
  const auto bounds = model.PredictBounds(x);
  return {bounds.predicted(0), bounds.upper(0)};
}

// Of hosts that a campaign of another store has measured; 1 where nothing tells.
Result<double> DilationOfSamples(const std::string& campaign, store::Store& store) {
  const auto samples = store.LoadSamples(SampleSetsOf(campaign)[2]);
  if (!samples.ok()) return 1.0;
  const auto column = samples->Find("dilation");
  if (!column || samples->columns[*column].kind() != core::ColumnKind::kNumber) return 1.0;
  std::set<double> values;
  for (size_t row = 0; row < samples->row_count; ++row) {
    const double value = samples->columns[*column][row];
    if (std::isfinite(value)) values.insert(value);
  }
  if (values.size() == 1) return *values.begin();
  if (values.empty()) return 1.0;
  return base::BadInput(
      fmt::format("samples '{}' are of labs with different dilations", SampleSetsOf(campaign)[2]));
}

Result<double> DilationOf(const std::string& campaign, store::Store& store) {
  const auto found = store.FindCampaign(campaign);
  if (!found.ok()) return DilationOfSamples(campaign, store);
  RECKON_ASSIGN(const base::Json document, base::ParseJson(found->document, "campaign"));
  const auto lab = document.find("lab");
  return lab != document.end() && lab->is_object() ? lab->value("dilation", 1.0) : 1.0;
}

// Models that `reckon estimators` has learned for one type of nodes.
class LearnedEstimates final : public TypeEstimates {
 public:
  // `apps`: that may be beside the training.
  static Result<std::unique_ptr<TypeEstimates>> Load(const std::string& campaign,
                                                     const std::string& type,
                                                     const std::set<std::string>& apps,
                                                     double memory_limit,
                                                     const EstimateSource& source) {
    auto found = std::make_unique<LearnedEstimates>();
    found->memory_limit_ = memory_limit;
    RECKON_ASSIGN(found->dilation_, source.dilation(campaign));
    const std::string prefix = campaign + "." + type + ".";
    const std::array parts{
        std::tuple("compute_time", &found->compute_, true),
        std::tuple("update_time", &found->update_, true),
        std::tuple("state_cpu", &found->cpu_, false),
        std::tuple("state_memory", &found->memory_, false),
        std::tuple("state_gpu", &found->gpu_, false),
        std::tuple("exec_time", &found->exec_, false),
    };
    for (const auto& [name, model, needed] : parts) {
      auto loaded = source.model(prefix + name);
      if (loaded.ok()) {
        *model = std::move(loaded).value().model;
      } else if (needed || loaded.error().code() != base::ErrorCode::kNotFound) {
        return std::move(loaded).error().Wrap(
            fmt::format("nothing is known of nodes of type '{}'; 'reckon estimators {}' learns it "
                        "from what the campaign has measured",
                        type, campaign));
      }
    }
    for (const std::string& app : apps) {
      auto own = source.model(prefix + "exec_time." + app);
      if (own.ok()) {
        found->exec_of_[app] = std::move(own).value().model;
      } else if (own.error().code() != base::ErrorCode::kNotFound) {
        return std::move(own).error();
      }
    }
    if (!found->compute_->schema.FindInput("batch").ok()) {
      return base::BadInput(
          fmt::format("campaign '{}' has measured nodes of type '{}' with one batch "
                      "alone; a schedule needs to know what others would take",
                      campaign, type));
    }
    return std::unique_ptr<TypeEstimates>(std::move(found));
  }

  double ComputePerSample(const Question& question) const override {
    return Ask(*compute_, InputsOf(question)).expected / dilation_;
  }
  double UpdatePerStep(const Question& question) const override {
    return Ask(*update_, InputsOf(question)).expected / dilation_;
  }
  double AppLatency(const Question& question, const std::string& app) const override {
    return Latency(question, app).expected / dilation_;
  }
  double AppLatencyBound(const Question& question, const std::string& app) const override {
    return Latency(question, app).upper / dilation_;
  }
  int64_t MaxBatch(const Question& question) const override {
    const auto least = static_cast<int64_t>(Batches().min);
    const auto most = static_cast<int64_t>(Batches().max);
    if (!memory_) return most;
    const auto memory = [&](int64_t batch) {
      Question asked = question;
      asked.batch = batch;
      return Ask(*memory_, InputsOf(asked)).expected;
    };
    return decide::MaxBatch(memory, least, most, memory_limit_).value_or(0);
  }
  int64_t MinBatch() const override { return static_cast<int64_t>(Batches().min); }
  Status CheckApp(const std::string& app) const override {
    if (exec_ || exec_of_.contains(app)) return {};
    return base::BadInput(
        fmt::format("how long app '{}' takes beside the training is not known: the "
                    "campaign has measured no latencies on such nodes",
                    app));
  }

 private:
  const learn::InputColumn& Batches() const {
    return compute_->schema.inputs[compute_->schema.FindInput("batch").value()];
  }

  // EstExecTime of the state that the training leaves.
  Answer Latency(const Question& question, const std::string& app) const {
    Inputs values = InputsOf(question);
    values["training"] = 1;
    for (const auto& [name, model] :
         {std::pair("cpu", &cpu_), std::pair("memory", &memory_), std::pair("gpu", &gpu_)}) {
      if (*model) values[name] = Ask(**model, InputsOf(question)).expected;
    }
    const auto own = exec_of_.find(app);
    return Ask(own == exec_of_.end() ? *exec_ : own->second, values);
  }

  static Inputs InputsOf(const Question& question) {
    Inputs inputs{{"cpu_before", question.state.cpu},
                  {"gpu_before", question.state.gpu},
                  {"memory_before", question.state.memory},
                  {"batch", static_cast<double>(question.batch)},
                  {"host_workers", 1},
                  {"workers", static_cast<double>(question.crew)},
                  {"server_cpu_before", question.server_cpu}};
    if (question.parameters > 0) inputs["parameters"] = question.parameters;
    return inputs;
  }

  std::optional<learn::Model> compute_;
  std::optional<learn::Model> update_;
  std::optional<learn::Model> cpu_;
  std::optional<learn::Model> memory_;
  std::optional<learn::Model> gpu_;
  std::optional<learn::Model> exec_;  // of the only app that the campaign had
  std::map<std::string, learn::Model> exec_of_;
  double memory_limit_ = 1;
  double dilation_ = 1;
};

Result<std::unique_ptr<TypeEstimates>> OpenType(const core::Cluster& cluster,
                                                const std::string& type, double memory_limit,
                                                const EstimateSource& source) {
  if (const auto stated = cluster.types.find(type); stated != cluster.types.end()) {
    return std::unique_ptr<TypeEstimates>(
        std::make_unique<StatedEstimates>(stated->second, cluster.servers.size()));
  }
  if (cluster.campaign.empty()) {
    std::vector<std::string> known;
    for (const auto& [name, times] : cluster.types) known.push_back(name);
    return base::BadInput(
        fmt::format("nothing is known of nodes of type '{}': it is not among "
                    "'types', and no campaign is named by 'estimators'{}",
                    type, base::SuggestFrom(type, known)));
  }
  std::set<std::string> apps;
  for (const core::ClusterWorker& worker : cluster.workers) {
    for (const core::BackgroundApp& app : worker.node.background_apps) apps.insert(app.name);
  }
  return LearnedEstimates::Load(cluster.campaign, type, apps, memory_limit, source);
}

}  // namespace

EstimateSource EstimatesOf(const Context& context) {
  return {[&context](const std::string& name) { return LoadModel(name, context); },
          [&context](const std::string& campaign) -> Result<double> {
            const auto store = OpenStore(context, /*create=*/false);
            if (!store.ok()) return 1.0;  // whoever loads the models says what is wrong
            return DilationOf(campaign, **store);
          }};
}

EstimateSource EstimatesOf(store::Store& store) {
  return {[&store](const std::string& name) { return LoadStoredModel(name, store); },
          [&store](const std::string& campaign) { return DilationOf(campaign, store); }};
}

Result<std::unique_ptr<ClusterEstimates>> ClusterEstimates::Open(const core::Cluster& cluster,
                                                                 double parameters,
                                                                 double memory_limit,
                                                                 const EstimateSource& source) {
  auto estimates = std::make_unique<ClusterEstimates>();
  estimates->parameters_ = parameters;
  for (const core::ClusterWorker& worker : cluster.workers) {
    const std::string& type = worker.node.machine_type;
    if (estimates->types_.contains(type)) continue;
    RECKON_ASSIGN(estimates->types_[type], OpenType(cluster, type, memory_limit, source));
  }
  // Updates wait for the busiest of the servers.
  for (const core::ClusterServer& server : cluster.servers) {
    estimates->server_cpu_ = std::max(estimates->server_cpu_, server.node.state.cpu);
  }
  RECKON_TRY(estimates->AddWorkers(cluster));
  return estimates;
}

Status ClusterEstimates::AddWorkers(const core::Cluster& cluster) {
  std::map<std::tuple<std::string, double, double, double, std::vector<std::string>>, size_t>
      places;
  for (const core::ClusterWorker& worker : cluster.workers) {
    const core::Node& node = worker.node;
    std::vector<std::string> apps;
    for (const core::BackgroundApp& app : node.background_apps) apps.push_back(app.name);
    const auto [found, is_new] = places.try_emplace(
        {node.machine_type, node.state.cpu, node.state.gpu, node.state.memory, apps},
        kinds_.size());
    kind_of_.push_back(found->second);
    if (!is_new) continue;
    Kind kind;
    kind.type = types_.at(node.machine_type).get();
    kind.state = node.state;
    kind.apps = std::move(apps);
    for (const std::string& app : kind.apps) {
      if (Status known = kind.type->CheckApp(app); !known.ok()) {
        return std::move(known).error().Wrap("node " + node.name);
      }
    }
    kind.max_batch = kind.type->MaxBatch(QuestionOf(kind, 1, 1));
    kinds_.push_back(std::move(kind));
  }
  return {};
}

Question ClusterEstimates::QuestionOf(const Kind& kind, int64_t batch, size_t crew) const {
  return {kind.state, batch, crew, server_cpu_, parameters_};
}

template <typename Ask>
double ClusterEstimates::Once(size_t worker, size_t what, int64_t batch, size_t crew,
                              Ask ask) const {
  const Kind& kind = kinds_[kind_of_[worker]];
  const auto [found, is_new] = kind.known.try_emplace({what, batch, crew}, 0.0);
  if (is_new) found->second = ask(kind);
  return found->second;
}

double ClusterEstimates::ComputePerSample(size_t worker, int64_t batch, size_t crew) const {
  return Once(worker, 0, batch, crew, [&](const Kind& kind) {
    return kind.type->ComputePerSample(QuestionOf(kind, batch, crew));
  });
}

double ClusterEstimates::UpdatePerStep(size_t worker, int64_t batch, size_t crew) const {
  return Once(worker, 1, batch, crew, [&](const Kind& kind) {
    return kind.type->UpdatePerStep(QuestionOf(kind, batch, crew));
  });
}

double ClusterEstimates::AppLatency(size_t worker, size_t app, int64_t batch, size_t crew) const {
  return Once(worker, 2 + 2 * app, batch, crew, [&](const Kind& kind) {
    return kind.type->AppLatency(QuestionOf(kind, batch, crew), kind.apps[app]);
  });
}

double ClusterEstimates::AppLatencyBound(size_t worker, size_t app, int64_t batch,
                                         size_t crew) const {
  return Once(worker, 3 + 2 * app, batch, crew, [&](const Kind& kind) {
    return kind.type->AppLatencyBound(QuestionOf(kind, batch, crew), kind.apps[app]);
  });
}

int64_t ClusterEstimates::MinBatch() const {
  int64_t least = 1;
  for (const auto& [name, type] : types_) least = std::max(least, type->MinBatch());
  return least;
}

int64_t ClusterEstimates::MaxBatch(size_t worker) const {
  return kinds_[kind_of_[worker]].max_batch;
}

}  // namespace reckon::app
