#include "act/agents/agent.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/agents/app_door.h"
#include "act/agents/checkpoint_relay.h"
#include "act/agents/data_fetch.h"
#include "act/agents/node_secret.h"
#include "act/agents/part_shelf.h"
#include "base/json.h"
#include "base/random_token.h"
#include "net/http_client.h"
#include "net/sha256.h"
#include "observe/probes/node_probe.h"
#include "observe/probes/usage_meter.h"

namespace reckon::act {
namespace {

using base::Json;
using base::Result;
using base::Status;
using std::chrono::milliseconds;

constexpr size_t kMostUpload = 256 << 10;       // bytes a message
constexpr std::chrono::seconds kUploadTime{1};  // between two beats
constexpr milliseconds kWaitForManager{1'000};
constexpr milliseconds kWaitWhenRefused{10'000};  // nothing changes before people change it

class Agent {
 public:
  Agent(const AgentOptions& options, PartShelf shelf, observe::UsageMeter& meter,
        std::unique_ptr<AppDoor> apps, std::string instance, std::optional<std::string> secret,
        const base::Clock& clock, base::Logger& log)
      : options_(options),
        shelf_(std::move(shelf)),
        meter_(meter),
        apps_(std::move(apps)),
        instance_(std::move(instance)),
        secret_(std::move(secret)),
        clock_(clock),
        log_(log),
        client_(options.manager, {.connect_patience = milliseconds(3'000),
                                  .answer_patience = milliseconds(10'000),
                                  .tls = options.tls}),
        relay_(options.seat.node.name, "checkpoint", clock, Asker()),
        results_(options.seat.node.name, "result", clock, Asker()),
        fetch_(clock, options.tls),
        heard_at_(clock.Monotonic()) {}

  Status Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      auto next = BeatOnce();
      // Refused from the start: people want to know. Later it stays, for what runs here.
      if (!next.ok() && next.error().code() == base::ErrorCode::kBadInput && manager_.empty()) {
        return std::move(next).error();
      }
      if (next.ok()) {
        NoteContact();
        Wait(stop, *next);
      } else {
        NoteSilence(next.error());
        const bool refused = next.error().code() == base::ErrorCode::kBadInput;
        Wait(stop, refused ? kWaitWhenRefused : kWaitForManager);
      }
    }
    return {};
  }

 private:
  CheckpointRelay::Ask Asker() {
    return [this](const net::HttpRequest& request) { return Ask(request, secret_.value_or("")); };
  }

  // How long to wait until the next.
  Result<milliseconds> BeatOnce() {
    if (!secret_ && !options_.token.empty()) RECKON_TRY(Join());
    Beat beat;
    beat.node = options_.seat.node;
    beat.instance = instance_;
    beat.number = ++beats_;
    beat.manager = manager_;
    beat.now = Now();
    if (!manager_.empty()) beat.parts = shelf_.List(manager_);
    auto answered = SendBeat(beat);
    if (!answered.ok() && is_stranger_ && !options_.token.empty()) {
      // The manager does not know the secret: it never got it, or is another one than before.
      RECKON_TRY(Join());
      answered = SendBeat(beat);
    }
    if (!answered.ok()) return std::move(answered).error();
    RECKON_ASSIGN(const BeatAnswer answer, BeatAnswerFromJson(*answered));
    if (answer.manager != manager_) {
      // Its parts here, if it is one we had before, it hears of with the next beat, at once.
      log_.Info(fmt::format("manager {} at {}", answer.manager, options_.manager.ToText()));
      manager_ = answer.manager;
      return milliseconds(0);
    }
    bool soon = false;
    for (const PartWish& wish : answer.parts) {
      soon |= FulfilOrFetch(wish, FactsOf(beat, wish.key));
    }
    soon |= SendFiles(beat, answer);
    soon |= SendModels(beat, answer);
    return soon ? milliseconds(50) : milliseconds(static_cast<int64_t>(1000 * answer.beat_s));
  }

  Result<Json> SendBeat(const Beat& beat) {
    return Call("/api/v1/agents/" + beat.node.name + "/beat", base::DumpJsonLine(ToJson(beat)),
                "application/json", secret_.value_or(""));
  }

  // From now on the manager knows this node by its secret, of which it is told the hash alone. The
  // secret is kept before, so that whoever is killed meanwhile asks again with the same one.
  Status Join() {
    if (!secret_) {
      RECKON_ASSIGN(secret_, MakeNodeSecret(options_.folder));
    }
    const std::string& node = options_.seat.node.name;
    const Json body{{"secret_sha256", net::Sha256(*secret_)}};
    auto joined = Call("/api/v1/agents/" + node + "/join", base::DumpJsonLine(body),
                       "application/json", options_.token);
    if (!joined.ok()) {
      return std::move(joined).error().Wrap(fmt::format("node '{}' cannot join", node));
    }
    log_.Info(fmt::format("node '{}' has joined", node));
    return {};
  }

  static const PartFacts* FactsOf(const Beat& beat, const PartKey& key) {
    const auto facts = std::find_if(beat.parts.begin(), beat.parts.end(),
                                    [&](const PartFacts& one) { return one.key == key; });
    return facts == beat.parts.end() ? nullptr : &*facts;
  }

  // A message of each file that has grown, for as long as beats can wait. Whether the next beat
  // should come soon: events went up, to which the manager may have an answer, or not all did.
  bool SendFiles(const Beat& beat, const BeatAnswer& answer) {
    const auto until = clock_.Monotonic() + kUploadTime;
    bool soon = false;
    for (const PartWish& wish : answer.parts) {
      const PartFacts* facts = FactsOf(beat, wish.key);
      if (facts == nullptr || wish.want == "forget") continue;
      for (const auto& [name, size] : facts->files) {
        const auto had = wish.have.find(name);
        const uint64_t from = had == wish.have.end() ? 0 : had->second;
        if (from >= size) continue;
        if (clock_.Monotonic() >= until) return true;
        const size_t most = std::min<uint64_t>(kMostUpload, size - from);
        const Status sent = SendPiece(wish.key, name, from, most);
        if (!sent.ok()) log_.Warn(sent.error().Describe());
        const bool more = from + most < size;
        soon |= sent.ok() && (more || name == "events.jsonl");
      }
    }
    return soon;
  }

  // A part that trains on data of a data store, or begins with a checkpoint, is made when they have
  // come. True: they are still coming.
  bool FulfilOrFetch(const PartWish& wish, const PartFacts* facts) {
    const bool has_data = facts != nullptr && facts->has_data;
    if (wish.data && !has_data) return FetchData(wish.key, *wish.data, false);
    if (wish.bundle && !has_data) {
      return FetchData(wish.key, BundleWish(wish.key, *wish.bundle), true);
    }
    if (!wish.spec || !wish.checkpoint) {
      shelf_.Fulfil(manager_, wish);
      return false;
    }
    auto text = relay_.Fetch(wish.key, *wish.checkpoint, clock_.Monotonic() + kUploadTime);
    if (!text.ok()) {
      log_.Warn(text.error().Describe());
      return false;
    }
    if (!*text) return true;
    PartWish whole = wish;
    whole.contents[kCheckpointFile] = **std::move(text);
    shelf_.Fulfil(manager_, whole);
    return false;
  }

  // Code that was sent comes from the manager as data do from their store.
  DataWish BundleWish(const PartKey& key, const FilePrint& bundle) const {
    DataWish wish;
    wish.source =
        fmt::format("{}://{}/api/v1/agents/{}/parts/{}", options_.tls == nullptr ? "http" : "https",
                    options_.manager.ToText(), options_.seat.node.name, key.ToText());
    wish.secret = secret_.value_or("");
    wish.files = {{kBundleFile, bundle}};
    return wish;
  }

  // One part after the other, a while each beat.
  bool FetchData(const PartKey& key, const DataWish& wish, bool is_code) {
    auto whole =
        fetch_.Fetch(shelf_.DataFolderOf(manager_, key), wish, clock_.Monotonic() + kUploadTime);
    if (is_code && whole.ok() && *whole) whole = shelf_.UnpackCode(manager_, key);
    const std::string trouble = whole.ok() ? "" : whole.error().Describe();
    if (!trouble.empty() && trouble != data_trouble_) log_.Warn(trouble);
    data_trouble_ = trouble;
    shelf_.NoteData(manager_, key, whole.ok() && *whole, trouble);
    // What is whole is told at once; who is away is not asked again before the next beat.
    return whole.ok();
  }

  // True: there is more to send.
  bool SendModels(const Beat& beat, const BeatAnswer& answer) {
    for (const PartWish& wish : answer.parts) {
      const PartFacts* facts = FactsOf(beat, wish.key);
      if (facts == nullptr || wish.want == "forget") continue;
      if (facts->result && facts->result->print != wish.have_result) {
        if (Send(results_, wish.key, shelf_.ResultOf(manager_, wish.key))) return true;
      } else if (facts->checkpoint && facts->checkpoint->print != wish.have_checkpoint) {
        if (Send(relay_, wish.key, shelf_.CheckpointOf(manager_, wish.key))) return true;
      }
    }
    return false;
  }

  bool Send(CheckpointRelay& relay, const PartKey& key, const std::filesystem::path& file) {
    const auto more = relay.Send(key, file, clock_.Monotonic() + kUploadTime);
    if (more.ok()) return *more;
    log_.Warn(fmt::format("{} stays here: {}", file.filename().string(), more.error().Describe()));
    return false;
  }

  Status SendPiece(const PartKey& key, const std::string& name, uint64_t from, size_t most) {
    RECKON_ASSIGN(std::string bytes, shelf_.ReadBytes(manager_, key, name, from, most));
    if (bytes.empty()) return {};
    RECKON_TRY(Call(fmt::format("/api/v1/agents/{}/parts/{}/files/{}?from={}",
                                options_.seat.node.name, key.ToText(), name, from),
                    std::move(bytes), "application/octet-stream", secret_.value_or("")));
    return {};
  }

  Result<Json> Call(const std::string& target, std::string body, const std::string& type,
                    const std::string& shown) {
    RECKON_ASSIGN(const net::HttpResponse response,
                  Ask({"POST", target, {{"content-type", type}}, std::move(body)}, shown));
    Json json = Json::parse(response.body, nullptr, false);
    if (json.is_discarded()) return base::Corrupt("the manager's answer is no JSON");
    return json;
  }

  Result<net::HttpResponse> Ask(net::HttpRequest request, const std::string& shown) {
    if (!shown.empty()) request.headers["authorization"] = "Bearer " + shown;
    is_stranger_ = false;
    RECKON_ASSIGN(net::HttpResponse response, client_.Call(request));
    if (response.status < 300) return response;
    const Json json = Json::parse(response.body, nullptr, false);
    is_stranger_ = response.status == 401;
    const std::string why = json.is_object() ? json.value("error", "") : "";
    const std::string message =
        fmt::format("the manager at {} says {}{}", options_.manager.ToText(), response.status,
                    why.empty() ? "" : ": " + why);
    // Trying again does not help, unless it is the manager that is in trouble.
    const bool refused = response.status == 400 || response.status == 401 ||
                         response.status == 403 || response.status == 409;
    return base::Error(refused ? base::ErrorCode::kBadInput : base::ErrorCode::kUnavailable,
                       message);
  }

  NodeNow Now() const {
    const double now_s = observe::NodeClock();
    const auto usage = meter_.Summary("", now_s - 1, now_s);
    NodeNow now;
    if (apps_ != nullptr) now.apps = apps_->Now();
    if (!usage.ok()) return now;  // its first second, or a host that is gone
    now.cpu = usage->cpu.mean;
    now.memory = usage->memory.mean;
    if (usage->gpu) now.gpu = usage->gpu->mean;
    return now;
  }

  void NoteContact() {
    heard_at_ = clock_.Monotonic();
    if (silent_) log_.Info("the manager is back");
    silent_ = false;
  }

  void NoteSilence(const base::Error& error) {
    if (!silent_) log_.Warn(error.Describe() + "; waiting for it");
    silent_ = true;
    if (clock_.Monotonic() - heard_at_ > options_.lonely_limit) shelf_.StopAll();
  }

  static void Wait(const std::stop_token& stop, milliseconds time) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, time, [] { return false; });
  }

  const AgentOptions& options_;
  PartShelf shelf_;
  observe::UsageMeter& meter_;
  const std::unique_ptr<AppDoor> apps_;  // nullptr: there are none
  const std::string instance_;
  std::optional<std::string> secret_;
  bool is_stranger_ = false;  // the manager did not know who called last
  const base::Clock& clock_;
  base::Logger& log_;
  net::HttpClient client_;
  CheckpointRelay relay_;
  CheckpointRelay results_;
  DataFetch fetch_;
  std::string data_trouble_;  // that was told last
  uint64_t beats_ = 0;
  std::string manager_;  // whose parts are looked after
  base::MonotonicTime heard_at_;
  bool silent_ = false;
};

// Tried once: nodes that cannot are not given such runs.
bool RunsSentCode(const AgentOptions& options, base::Logger& log) {
  if (options.sandbox == SandboxUse::kNone) return true;
  const Status works = TrySandbox(options.folder.string());
  if (works.ok()) return true;
  log.Warn("runs whose code is sent are not for this node, without a sandbox: " +
           works.error().Describe());
  return false;
}

}  // namespace

Status RunAgent(const AgentOptions& options, const base::Clock& clock, base::Logger& log,
                const std::stop_token& stop) {
  AgentOptions own = options;
  RECKON_ASSIGN(PartShelf shelf,
                PartShelf::Open({options.folder, options.programs, options.seat.place,
                                 options.sandbox, options.shared},
                                clock));
  const Place& place = options.seat.place;
  std::vector<observe::MeteredNode> nodes(1);
  RECKON_ASSIGN(nodes[0].probe, observe::NodeProbe::Open(
                                    {place.netns, place.cgroups, place.cpus, place.memory_bytes}));
  observe::UsageMeter meter(std::move(nodes));
  RECKON_ASSIGN(std::string instance, base::RandomToken());
  RECKON_ASSIGN(std::optional<std::string> secret, FindNodeSecret(options.folder));
  std::unique_ptr<AppDoor> apps;
  if (!options.seat.node.apps.empty()) {
    RECKON_ASSIGN(apps, AppDoor::Open(options.folder, options.seat.node, clock));
  }
  own.seat.node.runs_sent_code = RunsSentCode(options, log);
  return Agent(own, std::move(shelf), meter, std::move(apps), std::move(instance),
               std::move(secret), clock, log)
      .Run(stop);
}

}  // namespace reckon::act
