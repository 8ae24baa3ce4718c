#include "act/agents/agent.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/agents/part_shelf.h"
#include "base/json.h"
#include "base/random_token.h"
#include "net/http_client.h"
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

class Agent {
 public:
  Agent(const AgentOptions& options, PartShelf shelf, observe::UsageMeter& meter,
        std::string instance, const base::Clock& clock, base::Logger& log)
      : options_(options),
        shelf_(std::move(shelf)),
        meter_(meter),
        instance_(std::move(instance)),
        clock_(clock),
        log_(log),
        client_(options.manager,
                {.connect_patience = milliseconds(3'000), .answer_patience = milliseconds(10'000)}),
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
      } else {
        NoteSilence(next.error());
      }
      Wait(stop, next.ok() ? *next : kWaitForManager);
    }
    return {};
  }

 private:
  // How long to wait until the next.
  Result<milliseconds> BeatOnce() {
    Beat beat;
    beat.node = options_.seat.node;
    beat.instance = instance_;
    beat.number = ++beats_;
    beat.manager = manager_;
    beat.now = Now();
    if (!manager_.empty()) beat.parts = shelf_.List(manager_);
    RECKON_ASSIGN(const Json json, Call("/api/v1/agents/" + beat.node.name + "/beat",
                                        base::DumpJsonLine(ToJson(beat)), "application/json"));
    RECKON_ASSIGN(const BeatAnswer answer, BeatAnswerFromJson(json));
    if (answer.manager != manager_) {
      // Its parts here, if it is one we had before, it hears of with the next beat, at once.
      log_.Info(fmt::format("manager {} at {}", answer.manager, options_.manager.ToText()));
      manager_ = answer.manager;
      return milliseconds(0);
    }
    for (const PartWish& wish : answer.parts) shelf_.Fulfil(manager_, wish);
    const bool soon = SendFiles(beat, answer);
    return soon ? milliseconds(50) : milliseconds(static_cast<int64_t>(1000 * answer.beat_s));
  }

  // A message of each file that has grown, for as long as beats can wait. Whether the next beat
  // should come soon: events went up, to which the manager may have an answer, or not all did.
  bool SendFiles(const Beat& beat, const BeatAnswer& answer) {
    const auto until = clock_.Monotonic() + kUploadTime;
    bool soon = false;
    for (const PartWish& wish : answer.parts) {
      const auto facts = std::find_if(beat.parts.begin(), beat.parts.end(),
                                      [&](const PartFacts& one) { return one.key == wish.key; });
      if (facts == beat.parts.end() || wish.want == "forget") continue;
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

  Status SendPiece(const PartKey& key, const std::string& name, uint64_t from, size_t most) {
    RECKON_ASSIGN(std::string bytes, shelf_.ReadBytes(manager_, key, name, from, most));
    if (bytes.empty()) return {};
    RECKON_TRY(Call(fmt::format("/api/v1/agents/{}/parts/{}/files/{}?from={}",
                                options_.seat.node.name, key.ToText(), name, from),
                    std::move(bytes), "application/octet-stream"));
    return {};
  }

  Result<Json> Call(const std::string& target, std::string body, const std::string& type) {
    net::HttpHeaders headers{{"content-type", type}};
    if (!options_.token.empty()) headers["authorization"] = "Bearer " + options_.token;
    RECKON_ASSIGN(const net::HttpResponse response,
                  client_.Post(target, std::move(body), std::move(headers)));
    const Json json = Json::parse(response.body, nullptr, false);
    if (response.status < 300) {
      if (json.is_discarded()) return base::Corrupt("the manager's answer is no JSON");
      return json;
    }
    const std::string why = json.is_object() ? json.value("error", "") : "";
    const std::string message =
        fmt::format("the manager at {} says {}{}", options_.manager.ToText(), response.status,
                    why.empty() ? "" : ": " + why);
    // Trying again does not help, unless it is the manager that is in trouble.
    const bool refused = response.status == 401 || response.status == 403 || response.status == 400;
    return base::Error(refused ? base::ErrorCode::kBadInput : base::ErrorCode::kUnavailable,
                       message);
  }

  NodeNow Now() const {
    const double now_s = observe::NodeClock();
    const auto usage = meter_.Summary("", now_s - 1, now_s);
    NodeNow now;
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
  const std::string instance_;
  const base::Clock& clock_;
  base::Logger& log_;
  net::HttpClient client_;
  uint64_t beats_ = 0;
  std::string manager_;  // whose parts are looked after
  base::MonotonicTime heard_at_;
  bool silent_ = false;
};

}  // namespace

Status RunAgent(const AgentOptions& options, const base::Clock& clock, base::Logger& log,
                const std::stop_token& stop) {
  RECKON_ASSIGN(PartShelf shelf,
                PartShelf::Open({options.folder, options.programs, options.seat.place}, clock));
  const Place& place = options.seat.place;
  std::vector<observe::MeteredNode> nodes(1);
  RECKON_ASSIGN(nodes[0].probe, observe::NodeProbe::Open(
                                    {place.netns, place.cgroups, place.cpus, place.memory_bytes}));
  observe::UsageMeter meter(std::move(nodes));
  RECKON_ASSIGN(std::string instance, base::RandomToken());
  return Agent(options, std::move(shelf), meter, std::move(instance), clock, log).Run(stop);
}

}  // namespace reckon::act
