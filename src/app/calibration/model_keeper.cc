#include "app/calibration/model_keeper.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/calibration/refit.h"
#include "base/json.h"

namespace reckon::app {

using base::ErrorCode;
using base::Json;
using base::Status;

ModelKeeper::ModelKeeper(const ModelKeeperOptions& options, store::Store& store,
                         const Context& context)
    : options_(options), store_(store), context_(context) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Work(stop); });
}

ModelKeeper::~ModelKeeper() = default;

Status ModelKeeper::AskForRefit(const std::string& model) {
  RECKON_TRY(store_.FindModel(model));
  const std::scoped_lock lock(mutex_);
  asked_.insert(model);
  wake_.notify_all();
  return {};
}

void ModelKeeper::Tell(const base::Error& error) {
  std::string text = error.Describe();
  if (text == trouble_ || error.code() == ErrorCode::kInterrupted) return;
  context_.log.Warn("models: " + text);
  trouble_ = std::move(text);
}

base::Result<bool> ModelKeeper::AnyRunFinished() {
  constexpr size_t kPage = 1000;
  bool any = false;
  if (!seen_) {
    RECKON_ASSIGN(seen_, store_.NewestEventId());
    return true;  // of what there was before nobody knows whether it was looked at
  }
  for (;;) {
    RECKON_ASSIGN(const std::vector<core::Event> page, store_.ListEvents({}, *seen_, kPage));
    for (const core::Event& event : page) {
      if (event.kind != "run.state") continue;
      const Json detail = Json::parse(event.detail, nullptr, false);
      any = any || (detail.is_object() &&
                    detail.value("to", "") == core::RunStateName(core::RunState::kFinished));
    }
    if (!page.empty()) seen_ = page.back().id;
    if (page.size() < kPage) return any;
  }
}

void ModelKeeper::Work(const std::stop_token& stop) {
  bool to_look = false;
  while (!stop.stop_requested()) {
    std::set<std::string> asked;
    {
      const std::scoped_lock lock(mutex_);
      asked = std::exchange(asked_, {});
    }
    for (const std::string& model : asked) RefitOne(model, stop);
    const auto finished = AnyRunFinished();
    if (!finished.ok()) Tell(finished.error());
    to_look = to_look || (finished.ok() && *finished);
    if (to_look) {
      const Status looked = LookAtModels(stop);
      if (looked.ok()) trouble_.clear();
      if (!looked.ok()) Tell(looked.error());
      to_look = !looked.ok();
    }
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, options_.look, [this] { return !asked_.empty(); });
  }
}

Status ModelKeeper::LookAtModels(const std::stop_token& stop) {
  RECKON_ASSIGN(const std::vector<ModelCalibration> all, CalibrationsOf(store_, ""));
  for (const ModelCalibration& judged : all) {
    if (!judged.calibration || !judged.calibration->drifted || stop.stop_requested()) continue;
    const auto newest = store_.FindModel(judged.model);
    // A version that was replaced needs nothing any more.
    if (!newest.ok() || newest->id != judged.version) continue;
    const auto tried = tried_with_.find(judged.version);
    if (tried == tried_with_.end()) RECKON_TRY(TellDrift(judged));
    if (tried != tried_with_.end() &&
        judged.calibration->runs < tried->second + options_.patience) {
      continue;
    }
    tried_with_[judged.version] = judged.calibration->runs;
    if (options_.refit) RefitOne(judged.model, stop);
  }
  return {};
}

Status ModelKeeper::TellDrift(const ModelCalibration& judged) {
  core::Event event;
  event.kind = "model.drifted";
  event.detail = base::DumpJsonLine(
      {{"model", judged.model}, {"version", judged.version}, {"why", judged.calibration->why}});
  RECKON_TRY(store_.AddEvent(event));
  context_.log.Info(fmt::format("model '{}': {}", judged.model, judged.calibration->why));
  return {};
}

void ModelKeeper::RefitOne(const std::string& model, const std::stop_token& stop) {
  base::NoProgress progress;
  const Context own{context_.clock, context_.log, progress, stop, 1, context_.db};
  const auto report = Refit({.model = model}, own);
  if (!report.ok()) return Tell(report.error());
  context_.log.Info(fmt::format("model '{}' {}: {}", model,
                                report->new_version != 0 ? "was fitted again" : "stays as it is",
                                report->why));
}

}  // namespace reckon::app
