#include "app/publish/published_models.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/report_json.h"
#include "app/runs/runs.h"
#include "base/field_reader.h"
#include "base/json.h"
#include "net/http_client.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Json;
using base::Result;
using base::Status;
using core::PublishedModel;
using core::PublishedState;

constexpr std::chrono::milliseconds kServingLook{1'000};
constexpr std::chrono::seconds kLongestPause{300};
// So many judged answers say more of a model than what it had when it was trained.
constexpr int64_t kEnoughJudged = 50;

Json PublishedVersionJson(const PublishedModel& model) {
  const Json document = Json::parse(model.document, nullptr, false);
  return {{"version", model.version},
          {"run", model.run_id},
          {"state", core::PublishedStateName(model.state)},
          {"accuracy", document.is_object() ? document.value("accuracy", Json()) : Json()},
          {"created_at", base::FormatTime(model.created_at)}};
}

std::optional<double> AccuracyOf(const PublishedModel& model) {
  const Json document = Json::parse(model.document, nullptr, false);
  if (!document.is_object() || !document.contains("accuracy")) return std::nullopt;
  const Json& accuracy = document.at("accuracy");
  return accuracy.is_number() ? std::optional(accuracy.get<double>()) : std::nullopt;
}

const PublishedModel* LiveOf(const std::vector<PublishedModel>& versions) {
  for (const PublishedModel& model : versions) {
    if (model.state == PublishedState::kLive) return &model;
  }
  return nullptr;
}

Error NobodyOf(const std::string& name) {
  return {ErrorCode::kNotFound, fmt::format("nothing was published as '{}'", name)};
}

// The bytes of {"images": [[0, 255, ...], ...]}, and how many images these are.
Result<std::pair<std::string, size_t>> BytesOfImages(const std::string& body) {
  const auto parsed = base::ParseJson(body, "the request");
  if (!parsed.ok()) return base::BadInput(parsed.error().Describe());
  const Json& json = *parsed;
  base::FieldReader fields(json, "");
  fields.Require("images");
  const Json* images = fields.List("images");
  RECKON_TRY(fields.Check());
  std::string bytes;
  for (size_t i = 0; i < images->size(); ++i) {
    const Json& image = (*images)[i];
    const bool alike = image.is_array() && !image.empty() && image.size() == images->at(0).size();
    if (!alike) {
      return base::BadInput(
          fmt::format("images[{}]: expected a list of as many pixels as the "
                      "others have",
                      i));
    }
    for (const Json& pixel : image) {
      if (!pixel.is_number_unsigned() || pixel.get<uint64_t>() > UINT8_MAX) {
        return base::BadInput(fmt::format("images[{}]: expected whole numbers from 0 to 255", i));
      }
      bytes.push_back(static_cast<char>(pixel.get<uint8_t>()));
    }
  }
  return std::pair(std::move(bytes), images->size());
}

// {"predictions": [{"label": 3, ...}, ...]}
bool ArePredictions(const Json& answer) {
  const auto list = answer.is_object() ? answer.find("predictions") : answer.end();
  if (list == answer.end() || !list->is_array()) return false;
  return std::all_of(list->begin(), list->end(), [](const Json& one) {
    return one.is_object() && one.contains("label") && one.at("label").is_number_unsigned();
  });
}

Result<Json> AskServing(const ServingRun& serving, const std::string& bytes) {
  RECKON_ASSIGN(const net::Url url, net::ParseUrl(serving.url));
  // The service ends within five seconds, and waits for this.
  net::HttpClient client(url.address, {.connect_patience = std::chrono::milliseconds(1'000),
                                       .answer_patience = std::chrono::milliseconds(3'000)});
  net::HttpRequest request;
  request.method = "POST";
  request.target = "/predict";
  request.headers = {{"content-type", "application/octet-stream"},
                     {"authorization", "Bearer " + serving.token}};
  request.body = bytes;
  RECKON_ASSIGN(const net::HttpResponse response, client.Call(request));
  Json answer = Json::parse(response.body, nullptr, false);
  if (response.status == 200) {
    if (ArePredictions(answer)) return answer;
    return Error(ErrorCode::kUnavailable, "who answers for it is no worker of ours");
  }
  const bool has_why =
      answer.is_object() && answer.contains("error") && answer.at("error").is_string();
  const std::string why = has_why ? answer.at("error").get<std::string>() : "";
  return Error(response.status == 400 || response.status == 413 ? ErrorCode::kBadInput
                                                                : ErrorCode::kUnavailable,
               fmt::format("the worker that serves it says {}{}", response.status,
                           why.empty() ? "" : ": " + why));
}

}  // namespace

PublishedModels::PublishedModels(Manager& manager, store::Store& store, ManagedViews& views,
                                 const Context& context)
    : manager_(manager),
      store_(store),
      views_(views),
      context_(context),
      folder_(context.db.RunsFolder() / "manager" / "published") {
  std::error_code stays;
  std::filesystem::create_directories(folder_, stays);
  thread_ = std::jthread([this](const std::stop_token& stop) { ServeOnAndOn(stop); });
}

PublishedModels::~PublishedModels() = default;

void PublishedModels::ServeOnAndOn(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Status looked = Look();
    std::unique_lock lock(mutex_);
    const std::string trouble = looked.ok() ? "" : looked.error().Describe();
    if (!trouble.empty() && trouble != trouble_) context_.log.Error(trouble);
    trouble_ = trouble;
    wake_.wait_for(lock, stop, kServingLook, [] { return false; });
  }
}

// Every live version is served, and nothing else is.
Status PublishedModels::Look() {
  RECKON_ASSIGN(const std::vector<PublishedModel> all, store_.ListPublished());
  const std::vector<ServingRun> servings = manager_.Servings();
  std::map<std::string, ServingRun> answering;
  for (const PublishedModel& model : all) {
    if (model.state != PublishedState::kLive) continue;
    const auto own = std::find_if(servings.begin(), servings.end(), [&](const ServingRun& run) {
      return run.of.name == model.name && run.of.version == model.version;
    });
    if (own == servings.end()) {
      RECKON_TRY(BringUp(model));
    } else if (Answers(*own)) {
      answering[model.name] = *own;
      const std::scoped_lock lock(mutex_);
      pauses_.erase(model.name);
    }
  }
  for (const ServingRun& run : servings) {
    const auto live = std::find_if(all.begin(), all.end(), [&](const PublishedModel& model) {
      return model.name == run.of.name && model.state == PublishedState::kLive;
    });
    if (live != all.end() && live->version == run.of.version) continue;
    // The one before answers until its successor does.
    const auto before = answering.find(run.of.name);
    if (live != all.end() && before == answering.end()) {
      if (Answers(run)) answering[run.of.name] = run;
      continue;
    }
    const Status stopped = manager_.RequestStop(run.run_id, "another version is live");
    if (!stopped.ok() && stopped.error().code() != ErrorCode::kBadInput) return stopped;
  }
  const std::scoped_lock lock(mutex_);
  serving_ = std::move(answering);
  return {};
}

// A worker runs for a while before it answers: asked until it does, and not again.
bool PublishedModels::Answers(const ServingRun& run) {
  if (run.url.empty()) return false;
  const auto known = answered_.find(run.run_id);
  if (known != answered_.end() && known->second == run.url) return true;
  const auto url = net::ParseUrl(run.url);
  if (!url.ok()) return false;
  net::HttpClient client(url->address, {.connect_patience = std::chrono::milliseconds(500),
                                        .answer_patience = std::chrono::milliseconds(1'000)});
  const auto answer = client.Call({"GET", "/healthz", {}, ""});
  if (!answer.ok() || answer->status != 200) return false;
  answered_[run.run_id] = run.url;
  return true;
}

Status PublishedModels::BringUp(const PublishedModel& live) {
  {
    const std::scoped_lock lock(mutex_);
    Pause& pause = pauses_[live.name];
    const auto now = context_.clock.Monotonic();
    if (now < pause.until) return {};
    pause.until = now + pause.next;
    pause.next = std::min(2 * pause.next, kLongestPause);
  }
  RECKON_ASSIGN(const std::string model, manager_.ReadModel(live.run_id));
  RECKON_ASSIGN(const core::Run run, manager_.Serve({live.name, live.version}, model));
  context_.log.Info(
      fmt::format("run {} serves version {} of '{}'", run.id, live.version, live.name));
  return {};
}

Result<std::vector<PublishedModel>> PublishedModels::VersionsOf(const std::string& name) {
  RECKON_ASSIGN(std::vector<PublishedModel> all, store_.ListPublished());
  std::erase_if(all, [&](const PublishedModel& model) { return model.name != name; });
  return all;
}

std::optional<double> PublishedModels::AccuracyOfRun(int64_t run_id) {
  const auto managed = manager_.Report(run_id);
  if (!managed.ok()) return std::nullopt;
  auto view = views_.Of(store_, managed->managed);
  if (!view.ok()) return std::nullopt;
  const Json report = ToJson(ReportOf(managed->run, *std::move(view), context_));
  const Json epochs = report.value("epochs", Json::array());
  if (epochs.empty() || !epochs.back().is_object()) return std::nullopt;
  const auto accuracy = epochs.back().find("accuracy");
  if (accuracy == epochs.back().end() || !accuracy->is_number()) return std::nullopt;
  return accuracy->get<double>();
}

Result<Json> PublishedModels::Publish(const std::string& name, int64_t run_id, bool force) {
  RECKON_ASSIGN(const core::Run run, store_.FindRun(run_id));
  if (run.state != core::RunState::kFinished) {
    return base::BadInput(
        fmt::format("run {} is {}; what it has trained is published once it is finished", run_id,
                    core::RunStateName(run.state)));
  }
  RECKON_TRY(manager_.ReadModel(run_id));
  const std::optional<double> accuracy = AccuracyOfRun(run_id);
  RECKON_ASSIGN(const std::vector<PublishedModel> versions, VersionsOf(name));
  std::string why_not;
  if (const PublishedModel* live = LiveOf(versions); live != nullptr && !force) {
    std::optional<double> before = AccuracyOf(*live);
    Judged judged;
    {
      const std::scoped_lock lock(mutex_);
      RECKON_ASSIGN(RecentInputs * recent, RecentOf(name));
      judged = recent->JudgedOf(live->version);
    }
    // What it meets has changed since it was trained: that counts.
    if (judged.count >= kEnoughJudged) before = judged.Accuracy();
    if (before && !accuracy) {
      why_not = "how good it is nobody has told";
    } else if (before && *accuracy < *before) {
      why_not = fmt::format("it is worse than version {}: {:.4f}, which has {:.4f}", live->version,
                            *accuracy, *before);
    }
  }
  PublishedModel model;
  model.name = name;
  model.run_id = run_id;
  model.state = why_not.empty() ? PublishedState::kLive : PublishedState::kCandidate;
  model.document = base::DumpJsonLine({{"accuracy", accuracy ? Json(*accuracy) : Json()}});
  RECKON_ASSIGN(model, store_.AddPublished(model));
  core::Event event;
  event.run_id = run_id;
  event.kind = "model.published";
  event.detail = base::DumpJsonLine({{"name", name},
                                     {"version", model.version},
                                     {"live", why_not.empty()},
                                     {"why_not", why_not}});
  RECKON_TRY(store_.AddEvent(event));
  RECKON_ASSIGN(Json shown, ShowName(name));
  shown["published"] = {
      {"version", model.version}, {"live", why_not.empty()}, {"why_not", why_not}};
  return shown;
}

Result<Json> PublishedModels::Promote(const std::string& name, int64_t version) {
  RECKON_TRY(store_.SetLive(name, version));
  return ShowName(name);
}

Result<Json> PublishedModels::RollBack(const std::string& name) {
  RECKON_ASSIGN(const std::vector<PublishedModel> versions, VersionsOf(name));
  const PublishedModel* live = LiveOf(versions);
  const PublishedModel* before = nullptr;
  for (const PublishedModel& model : versions) {
    const bool older = live == nullptr || model.version < live->version;
    if (older && model.state == PublishedState::kRetired) before = &model;
  }
  if (before == nullptr) {
    return Error(ErrorCode::kNotFound, fmt::format("no earlier version of '{}' was live", name));
  }
  return Promote(name, before->version);
}

Result<RecentInputs*> PublishedModels::RecentOf(const std::string& name) {
  const auto found = recent_.find(name);
  if (found != recent_.end()) return &found->second;
  RECKON_ASSIGN(RecentInputs recent, RecentInputs::Open(folder_ / (name + ".jsonl")));
  return &recent_.emplace(name, std::move(recent)).first->second;
}

Json PublishedModels::NameJson(const std::vector<PublishedModel>& versions) {
  const std::string& name = versions.front().name;
  const PublishedModel* live = LiveOf(versions);
  Json json{{"name", name}, {"live", live ? Json(live->version) : Json()}, {"served", Json()}};
  if (const auto serving = serving_.find(name); serving != serving_.end()) {
    json["served"] = {{"version", serving->second.of.version},
                      {"run", serving->second.run_id},
                      {"node", serving->second.node}};
  }
  Judged judged;
  if (live != nullptr) {
    const auto recent = RecentOf(name);
    if (recent.ok()) judged = (*recent)->JudgedOf(live->version);
  }
  const auto accuracy = judged.Accuracy();
  json["judged"] = {{"count", judged.count}, {"accuracy", accuracy ? Json(*accuracy) : Json()}};
  json["versions"] = Json::array();
  for (const PublishedModel& model : versions)
    json["versions"].push_back(PublishedVersionJson(model));
  return json;
}

Result<Json> PublishedModels::ShowName(const std::string& name) {
  RECKON_ASSIGN(const std::vector<PublishedModel> versions, VersionsOf(name));
  if (versions.empty()) return NobodyOf(name);
  const std::scoped_lock lock(mutex_);
  return NameJson(versions);
}

Result<Json> PublishedModels::List(const std::string& name) {
  if (!name.empty()) return ShowName(name);
  RECKON_ASSIGN(const std::vector<PublishedModel> all, store_.ListPublished());
  Json json{{"published", Json::array()}};
  const std::scoped_lock lock(mutex_);
  std::vector<PublishedModel> versions;
  for (size_t i = 0; i < all.size(); ++i) {
    versions.push_back(all[i]);
    if (i + 1 < all.size() && all[i + 1].name == all[i].name) continue;
    json["published"].push_back(NameJson(versions));
    versions.clear();
  }
  return json;
}

Result<Json> PublishedModels::Predict(const std::string& name, const std::string& body,
                                      bool is_json) {
  std::pair<std::string, size_t> images{body, 0};
  if (is_json) {
    RECKON_ASSIGN(images, BytesOfImages(body));
  }
  ServingRun serving;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = serving_.find(name);
    if (found != serving_.end()) serving = found->second;
  }
  if (serving.url.empty()) {
    RECKON_ASSIGN(const std::vector<PublishedModel> versions, VersionsOf(name));
    if (LiveOf(versions) == nullptr) return NobodyOf(name);
    return Error(ErrorCode::kUnavailable, fmt::format("'{}' is being brought up", name));
  }
  RECKON_ASSIGN(const Json told, AskServing(serving, images.first));
  Json predictions = told.value("predictions", Json::array());
  const size_t pixels = predictions.empty() ? 0 : images.first.size() / predictions.size();
  if (is_json && predictions.size() != images.second) {
    return base::BadInput(fmt::format("images: {} lists are {} images to this model", images.second,
                                      predictions.size()));
  }
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(RecentInputs * recent, RecentOf(name));
  for (size_t i = 0; i < predictions.size(); ++i) {
    RECKON_ASSIGN(const int64_t id,
                  recent->Add(serving.of.version, predictions[i].value("label", int64_t{0}),
                              images.first.substr(i * pixels, pixels)));
    predictions[i]["id"] = id;
  }
  return Json{
      {"name", name}, {"version", serving.of.version}, {"predictions", std::move(predictions)}};
}

Status PublishedModels::Label(const std::string& name,
                              const std::vector<std::pair<int64_t, int64_t>>& labels) {
  RECKON_ASSIGN(const std::vector<PublishedModel> versions, VersionsOf(name));
  if (versions.empty()) return NobodyOf(name);
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(RecentInputs * recent, RecentOf(name));
  for (const auto& [id, label] : labels) RECKON_TRY(recent->Label(id, label));
  return {};
}

Result<Json> PublishedModels::Labelled(const std::string& name, int64_t after, size_t most) {
  RECKON_ASSIGN(const std::vector<PublishedModel> versions, VersionsOf(name));
  if (versions.empty()) return NobodyOf(name);
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(RecentInputs * recent, RecentOf(name));
  Json json{{"images", Json::array()}};
  for (const RecentInput& input : recent->Labelled(after, most)) {
    json["images"].push_back({{"id", input.id},
                              {"version", input.version},
                              {"predicted", input.predicted},
                              {"label", *input.label},
                              {"pixels", HexOf(input.pixels)}});
  }
  return json;
}

}  // namespace reckon::app
