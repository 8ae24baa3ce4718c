#include "app/data_store/data_store.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/agents/checkpoint_relay.h"
#include "act/local/run_folder.h"
#include "app/data_store/data_store_state.h"
#include "app/data_store/image_pool.h"
#include "app/data_store/judged_answers.h"
#include "app/data_store/kept_model.h"
#include "app/data_store/offers.h"
#include "app/manage/agent_run.h"
#include "app/manage/data_update.h"
#include "base/field_reader.h"
#include "base/file.h"
#include "base/text.h"
#include "core/run.h"
#include "net/http_client.h"
#include "net/local_address.h"

namespace reckon::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Json;
using base::Result;
using base::Status;
using train::ImageSet;

constexpr std::chrono::milliseconds kDataBeat{1'000};
constexpr std::chrono::seconds kAfterRefusal{10};

// A store at work. For one thread.
class DataStore {
 public:
  DataStore(const DataStoreRequest& request, const Context& context, Remote remote, ImagePool train,
            ImagePool validation, std::unique_ptr<Offers> offers, DataStoreState state)
      : request_(request),
        context_(context),
        remote_(std::move(remote)),
        train_(std::move(train)),
        validation_(std::move(validation)),
        offers_(std::move(offers)),
        state_(std::move(state)),
        model_(request_, remote_, state_,
               [this](const std::string& text, bool trouble) { Tell(text, trouble); }),
        answers_(request_.publish, remote_, train_, state_) {}

  Result<Json> Run() {
    while (!context_.stop.stop_requested()) {
      const Status looked = Look();
      if (ended_ && request_.once) return Ending();
      if (!looked.ok()) {
        // From the start it is for people to know; later, it may pass.
        const bool refused = looked.error().code() == ErrorCode::kBadInput ||
                             looked.error().code() == ErrorCode::kNotFound;
        if (refused && (request_.once || !heard_)) return Error(looked.error());
        Tell(looked.error().Describe(), /*trouble=*/true);
      } else {
        heard_ = true;
        trouble_.clear();
      }
      Wait();
    }
    return Json(Json::object());
  }

 private:
  fs::path StateFile() const { return fs::path(request_.folder) / ".reckon" / "state.json"; }
  Status Keep() const { return WriteDataStoreState(state_, StateFile()); }
  double Now() const {
    return std::chrono::duration<double>(context_.clock.Now().time_since_epoch()).count();
  }

  // One beat, and what follows from it.
  Status Look() {
    // What is wrong with files must not silence the store: others wait for its word.
    const Status counted = Count();
    const Json beat{{"images", facts_.images}, {"new_images", facts_.new_images}};
    RECKON_ASSIGN(const Json answer,
                  remote_.Ask("POST", "/data-stores/" + request_.name + "/beat", beat));
    const Json update = answer.value("update", Json());
    if (update.is_object()) return Answer(update);
    if (state_.run) return TakeEnd();
    RECKON_TRY(counted);
    facts_.now = Now();
    facts_.last_at = state_.last_at;
    facts_.failed_at = state_.failed_at;
    facts_.wanted = answer.value("wanted", "");
    if (request_.once && facts_.images == 0) {
      return base::BadInput(fmt::format("{}/train has no images", request_.folder));
    }
    if (request_.once && facts_.wanted.empty()) facts_.wanted = "asked for";
    const auto why = watch::WhyToUpdate(request_.triggers, facts_);
    if (!why || context_.clock.Monotonic() < silent_until_) return {};
    return AskFor(pieces_, *why);
  }

  Status Count() {
    const int64_t fetched = state_.fetched;
    const Status looked = answers_.Look(facts_);
    if (state_.fetched != fetched) RECKON_TRY(Keep());
    RECKON_ASSIGN(pieces_, train_.Pieces());
    RECKON_ASSIGN(facts_.images, train_.Count(pieces_));
    std::vector<std::string> fresh;
    std::set_difference(pieces_.begin(), pieces_.end(), state_.trained.begin(),
                        state_.trained.end(), std::back_inserter(fresh));
    RECKON_ASSIGN(facts_.new_images, train_.Count(fresh));
    return looked;
  }

  Status AskFor(const std::vector<std::string>& pieces, const std::string& why) {
    state_.pieces = pieces;
    RECKON_ASSIGN(const ImageSet images, train_.Load(pieces));
    RECKON_ASSIGN(const ImageSet validation, LoadValidation());
    UpdateAsk ask;
    ask.data_store = request_.name;
    ask.reason = why;
    ask.images = static_cast<int64_t>(images.size());
    ask.validation_images = static_cast<int64_t>(validation.size());
    ask.source = request_.source;
    ask.print = PrintOf(images);
    ask.base_model = model_.Exists();
    ask.policy = request_.policy;
    ask.estimators = request_.estimators;
    ask.servers = request_.servers;
    state_.validation = PrintOf(validation);
    RECKON_TRY(
        Keep());  // before anybody hears of it: whoever is killed knows what it has asked for
    Json body = JobBody(request_.job);
    body["data"] = ToJson(ask);
    const auto asked = remote_.Ask("POST", "/updates", body);
    if (!asked.ok()) {
      // Who is refused does not ask every second.
      silent_until_ = context_.clock.Monotonic() + kAfterRefusal;
      return asked.error();
    }
    Tell(fmt::format("run {}: asked for, with {} of {}: {}", asked->value("id", int64_t{0}),
                     base::Count(images.size(), "image"), base::Count(pieces.size(), "piece"),
                     why));
    return Answer(*asked);
  }

  Result<ImageSet> LoadValidation() const {
    RECKON_ASSIGN(const std::vector<std::string> pieces, validation_.Pieces());
    if (pieces.empty()) {
      return base::BadInput(fmt::format(
          "{}/validation has no images: nobody could tell how good a model is", request_.folder));
    }
    return validation_.Load(pieces);
  }

  // Does what an update asks for.
  Status Answer(const Json& update) {
    const auto run = update.value("id", int64_t{0});
    if (state_.run != run) {
      state_.run = run;
      state_.last_at = Now();
      RECKON_TRY(Keep());
    }
    const auto attempt = update.value("attempt", int64_t{0});
    const std::string asks = update.value("asks", "");
    const std::string state = update.value("state", "");
    Tell(fmt::format("run {}: {}{}", run, state, Why(update)));
    const bool fetched_elsewhere = state == core::RunStateName(core::RunState::kTransferring) &&
                                   asks == "nothing" && offered_ != std::pair(run, attempt);
    if (asks == UpdateAsksName(UpdateAsks::kOffer) || (fetched_elsewhere && HasPlan(update))) {
      return Offer(update, run, attempt);
    }
    if (asks == UpdateAsksName(UpdateAsks::kTask)) return Register(run, attempt);
    if (asks == UpdateAsksName(UpdateAsks::kAgain)) {
      Tell(fmt::format("run {}: asks again: {}", run, update.value("failure", "")));
      return Post(run, "again", Json{{"attempt", attempt}});
    }
    return {};
  }

  static bool HasPlan(const Json& update) {
    const Json plan = update.value("plan", Json::object());
    return !plan.value("shares", Json::array()).empty();
  }

  static std::string Why(const Json& update) {
    for (const char* key : {"waiting", "trouble"}) {
      const std::string text = update.value(key, "");
      if (!text.empty()) return ": " + text;
    }
    return "";
  }

  Status Post(int64_t run, const std::string& what, const Json& body) {
    return Dropped(remote_.Ask("POST", fmt::format("/updates/{}/{}", run, what), body));
  }

  static Status Dropped(const Result<Json>& answer) {
    // It has moved on meanwhile: the next beat tells where it is.
    if (answer.ok() || answer.error().code() == ErrorCode::kFailed) return {};
    return answer.error();
  }

  Status Offer(const Json& update, int64_t run, int64_t attempt) {
    RECKON_ASSIGN(const UpdatePlan plan, UpdatePlanFromJson(update.at("plan"), "plan"));
    RECKON_ASSIGN(const ImageSet images, train_.Load(state_.pieces));
    RECKON_ASSIGN(const ImageSet validation, LoadValidation());
    RECKON_TRY(offers_->Begin(fmt::format("{}.{}", run, attempt)));
    std::vector<act::DataWish::File> common;
    for (const NamedBytes& file :
         FilesOf(validation, request_.source, "validation", 0, validation.size())) {
      RECKON_ASSIGN(act::DataWish::File offered, offers_->Add(file));
      common.push_back(std::move(offered));
    }
    if (model_.Exists()) {
      RECKON_ASSIGN(std::string bytes, base::ReadFile(request_.model));
      RECKON_ASSIGN(act::DataWish::File offered, offers_->Add({kBaseModelFile, std::move(bytes)}));
      common.push_back(std::move(offered));
    }
    UpdateOffer offer{offers_->source(), offers_->secret(), {}};
    size_t first = 0;
    for (size_t rank = 0; rank < plan.shares.size(); ++rank) {
      const WorkerShare& share = plan.shares[rank];
      const auto count = static_cast<size_t>(share.images);
      if (first + count > images.size()) {
        return base::Corrupt(
            fmt::format("run {}: its shares are more than the {} images", run, images.size()));
      }
      std::vector<act::DataWish::File>& files = offer.files[share.node];
      files = common;
      for (const NamedBytes& file :
           FilesOf(images, request_.source, fmt::format("shard-{}", rank), first, count)) {
        RECKON_ASSIGN(act::DataWish::File offered, offers_->Add(file));
        files.push_back(std::move(offered));
      }
      first += count;
    }
    Tell(fmt::format("run {}: offers shards to {}", run, base::Count(plan.shares.size(), "node")));
    RECKON_TRY(Post(run, "offer", Json{{"attempt", attempt}, {"offer", ToJson(offer)}}));
    offered_ = {run, attempt};
    return {};
  }

  Status Register(int64_t run, int64_t attempt) {
    Json body{{"attempt", attempt}, {"set", Json::array()}};
    for (const spec::Override& one : request_.task_changes) {
      body["set"].push_back({{"path", one.path}, {"value", one.value}});
    }
    Tell(fmt::format("run {}: all nodes have their files; they may begin", run));
    return Post(run, "task", body);
  }

  // The update that was open is no more.
  Status TakeEnd() {
    auto shown = remote_.Ask("GET", fmt::format("/updates/{}", *state_.run), {});
    const bool unknown = !shown.ok() && shown.error().code() == ErrorCode::kNotFound;
    if (!shown.ok() && !unknown) return std::move(shown).error();
    // A manager with another store knows nothing of it.
    Json update = unknown ? Json{{"id", *state_.run},
                                 {"state", "failed"},
                                 {"failure", "the manager does not know it"}}
                          : *shown;
    const auto state = core::ParseRunState(update.value("state", ""));
    if (!state || !core::IsFinal(*state)) return {};
    Tell(fmt::format("run {}: {}", *state_.run, update.value("state", "")));
    if (*state == core::RunState::kFinished) {
      RECKON_TRY(model_.Take(*state_.run));
      state_.trained = state_.pieces;
      state_.failed_at.reset();
    } else {
      state_.failed_at = Now();
    }
    state_.pieces.clear();
    state_.run.reset();
    RECKON_TRY(Keep());
    offers_->End();
    ended_ = std::move(update);
    return {};
  }

  Result<Json> Ending() const {
    const std::string state = ended_->value("state", "");
    if (state == core::RunStateName(core::RunState::kFinished)) return *ended_;
    const std::string why = ended_->value("failure", "");
    return Error(ErrorCode::kFailed, fmt::format("run {} is {}{}", ended_->value("id", int64_t{0}),
                                                 state, why.empty() ? "" : ": " + why));
  }

  // Once, however often it is the case.
  void Tell(const std::string& text, bool trouble = false) {
    std::string& told = trouble ? trouble_ : told_;
    if (told == text) return;
    told = text;
    if (trouble) {
      context_.log.Warn(text);
    } else {
      context_.log.Info(text);
    }
  }

  void Wait() const {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, context_.stop, kDataBeat, [] { return false; });
  }

  const DataStoreRequest& request_;
  const Context& context_;
  Remote remote_;
  const ImagePool train_;
  const ImagePool validation_;
  const std::unique_ptr<Offers> offers_;
  DataStoreState state_;
  KeptModel model_;
  JudgedAnswers answers_;
  std::vector<std::string> pieces_;  // that were there at the last look
  watch::TriggerFacts facts_;
  std::pair<int64_t, int64_t> offered_{0, 0};  // run and attempt, by this process
  std::optional<Json> ended_;
  base::MonotonicTime silent_until_{};
  bool heard_ = false;  // the manager has answered well once
  std::string told_;
  std::string trouble_;
};

Result<net::Address> DoorAddress(const DataStoreRequest& request) {
  if (!request.listen.empty()) {
    auto address = net::ParseAddress(request.listen);
    if (!address.ok()) return std::move(address).error().Wrap("--listen");
    return address;
  }
  RECKON_ASSIGN(const ManagerPlace manager,
                ParseManager(request.manager.server, request.manager.tls_ca));
  RECKON_ASSIGN(std::string own, net::AddressTowards(manager.address));
  return net::Address{std::move(own), 0};
}

Status CheckStoreRequest(const DataStoreRequest& request) {
  if (request.manager.server.empty()) {
    return base::BadInput("no manager to ask (--server HOST:PORT)");
  }
  if (request.source != "idx" && request.source != "cifar10") {
    return base::BadInput(fmt::format("--source {}: expected idx or cifar10", request.source));
  }
  if (!base::IsPlainName(request.name)) {
    return base::BadInput(
        fmt::format("--name '{}': expected letters, digits and '._+-'", request.name));
  }
  if (request.tls_cert.empty() != request.tls_key.empty()) {
    return base::BadInput("--tls-cert and --tls-key belong together");
  }
  const watch::TriggerPolicy& triggers = request.triggers;
  if (triggers.every_s && !(*triggers.every_s > 0)) {
    return base::BadInput("--every: expected more than nothing");
  }
  return {};
}

}  // namespace

Result<Json> RunDataStore(const DataStoreRequest& given, const Context& context) {
  DataStoreRequest request = given;
  const fs::path folder = fs::absolute(request.folder).lexically_normal();
  if (request.name.empty()) {
    request.name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  }
  RECKON_TRY(CheckStoreRequest(request));
  RECKON_ASSIGN(ImagePool train, ImagePool::Open(folder / "train", request.source));
  RECKON_ASSIGN(ImagePool validation, ImagePool::Open(folder / "validation", request.source));
  const fs::path own = folder / ".reckon";
  std::error_code error;
  fs::create_directories(own, error);
  auto lock = act::RunLock::Take(act::RunFolder(own));
  if (!lock.ok()) {
    if (lock.error().code() != ErrorCode::kUnavailable) return std::move(lock).error();
    return Error(ErrorCode::kUnavailable,
                 fmt::format("{} is in use by another data store", folder.string()));
  }
  RECKON_ASSIGN(DataStoreState state, ReadDataStoreState(own / "state.json"));
  Offers::Options door{own / "offers", {}, {}};
  RECKON_ASSIGN(door.listen, DoorAddress(request));
  if (!request.tls_cert.empty()) door.tls = net::TlsFiles{request.tls_cert, request.tls_key};
  RECKON_ASSIGN(auto offers, Offers::Open(std::move(door)));
  RECKON_ASSIGN(Remote remote, Remote::Open(request.manager));
  context.log.Info(fmt::format("data store '{}' at {}", request.name, folder.string()));
  return DataStore(request, context, std::move(remote), std::move(train), std::move(validation),
                   std::move(offers), std::move(state))
      .Run();
}

}  // namespace reckon::app
