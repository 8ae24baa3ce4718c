#include "observe/events/reporter.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/random.h>

#include "base/json.h"
#include "base/text.h"
#include "observe/events/event_check.h"
#include "observe/events/report.h"

namespace reckon::observe {
namespace {

using std::chrono::milliseconds;

// In bytes. What is no UTF-8 triples on its way into JSON; the other side takes 64 KiB and 256.
constexpr size_t kMostMessageText = 16 << 10;
constexpr size_t kMostNameText = 80;
constexpr size_t kMostAnswerBytes = 64 << 10;
constexpr milliseconds kPauseInHurry{100};

std::string FromEnvironmentOr(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it here
  return value == nullptr ? otherwise : value;
}

std::string Clip(const std::string& text, size_t most) { return text.substr(0, most); }

bool IsAmount(double value) { return std::isfinite(value) && value >= 0; }

// No result depends on it, so it needs no seed. "" when the kernel has no randomness.
std::string RandomSender() {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits)) return "";
  return fmt::format("{:016x}", bits);
}

// What comes back from a report that was taken: mostly nothing.
bool SaysToEnd(const std::string& answer) {
  if (answer.empty()) return false;
  const base::Json json = base::Json::parse(answer, nullptr, false);
  return json.is_object() && json.value("end", base::Json()) == "epoch";
}

base::Json EventOf(const char* kind, const base::Clock& clock) {
  return {{"kind", kind}, {"at", EventTime(clock.Now())}};
}

}  // namespace

std::unique_ptr<Reporter> Reporter::FromEnvironment(const base::Clock& clock, base::Logger& log) {
  ReporterOptions options;
  options.token = FromEnvironmentOr("RECKON_TOKEN", "");
  const std::string url = FromEnvironmentOr("RECKON_STATUS_URL", "");
  if (!url.empty()) {
    auto target = net::ParseUrl(url);
    if (target.ok() && target->secure) {
      log.Warn("nothing is reported: RECKON_STATUS_URL: reports go to this machine, by http");
    } else if (target.ok()) {
      options.target = *std::move(target);
    } else {
      log.Warn("nothing is reported: RECKON_STATUS_URL: " + target.error().Describe());
    }
  }
  const std::string rank = FromEnvironmentOr("RANK", "0");
  const auto number = base::ParseInteger(rank);
  if (number && *number >= 0) {
    options.rank = *number;
  } else {
    log.Warn(
        fmt::format("RANK is '{}'; expected a whole number, not negative. Reporting as 0", rank));
  }
  const std::string role = FromEnvironmentOr("RECKON_ROLE", "worker");
  if (IsEventWord(role)) {
    options.role = role;
  } else {
    log.Warn(fmt::format("RECKON_ROLE is '{}'; expected {}. Reporting as {}", role, kEventWord,
                         options.role));
  }
  return std::make_unique<Reporter>(options, clock, log);
}

Reporter::Reporter(const ReporterOptions& options, const base::Clock& clock, base::Logger& log)
    : options_(options), sender_(RandomSender()), clock_(clock), log_(log), queue_(options.bounds) {
  if (options_.target) {
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }
}

Reporter::~Reporter() {
  if (!options_.target) return;
  if (!Flush(options_.last_flush)) {
    log_.Warn("the supervisor did not take the last reports of this rank");
  }
}

void Reporter::Stage(const std::string& name, double seconds, std::optional<int64_t> epoch) {
  if (!options_.target || name.empty() || !IsAmount(seconds)) return;
  base::Json event = EventOf("stage", clock_);
  event["stage"] = Clip(name, kMostNameText);
  event["seconds"] = seconds;
  if (epoch && *epoch >= 0) event["epoch"] = *epoch;
  Tell(base::DumpJsonLine(event));
}

void Reporter::Step(const StepRecord& step) {
  if (!options_.target || !IsAmount(step.wait_s) || !IsAmount(step.compute_s) ||
      !IsAmount(step.push_s) || !IsAmount(step.update_s) || !IsAmount(step.pull_s) ||
      step.bytes_sent < 0 || step.bytes_received < 0 || step.epoch < 0 || step.step < 0) {
    return;
  }
  const std::lock_guard lock(mutex_);
  queue_.Add(step, EventTime(clock_.Now()));
  SayDropped();
}

void Reporter::Metric(const std::string& name, double value, std::optional<int64_t> epoch) {
  if (!options_.target || name.empty() || !std::isfinite(value)) return;
  base::Json event = EventOf("metric", clock_);
  event["name"] = Clip(name, kMostNameText);
  event["value"] = value;
  if (epoch && *epoch >= 0) event["epoch"] = *epoch;
  Tell(base::DumpJsonLine(event));
}

void Reporter::Progress(double done, double total, const std::string& unit,
                        std::optional<double> remaining_s) {
  if (!options_.target || !IsAmount(done) || !IsAmount(total) || total == 0) return;
  base::Json event = EventOf("progress", clock_);
  event["done"] = done;
  event["total"] = total;
  if (!unit.empty()) event["unit"] = Clip(unit, kMostNameText);
  if (remaining_s && IsAmount(*remaining_s)) event["remaining_s"] = *remaining_s;
  const std::lock_guard lock(mutex_);
  queue_.SetProgress(base::DumpJsonLine(event));
}

void Reporter::Latency(double seconds, bool missed) {
  if (!options_.target || !IsAmount(seconds)) return;
  const std::lock_guard lock(mutex_);
  queue_.Add(LatencyRecord{seconds, missed}, EventTime(clock_.Now()));
  SayDropped();
}

void Reporter::Ready() {
  if (options_.target) Tell(base::DumpJsonLine(EventOf("ready", clock_)));
}

void Reporter::Error(const std::string& message) {
  if (!options_.target || message.empty()) return;
  base::Json event = EventOf("error", clock_);
  event["message"] = Clip(message, kMostMessageText);
  Tell(base::DumpJsonLine(event));
}

void Reporter::Tell(std::string event) {
  const std::lock_guard lock(mutex_);
  queue_.Add(std::move(event));
  SayDropped();
}

void Reporter::SayDropped() {
  if (said_dropped_ ||
      queue_.dropped_steps() + queue_.dropped_latencies() + queue_.dropped_events() == 0)
    return;
  said_dropped_ = true;
  log_.Warn("reports wait too long for the supervisor: the oldest are dropped");
}

bool Reporter::Flush(milliseconds limit) {
  if (!options_.target) return true;
  std::unique_lock lock(mutex_);
  hurry_ = true;
  wake_.notify_all();
  const bool all = sent_.wait_for(lock, limit, [this] { return queue_.empty() && !under_way_; });
  hurry_ = false;
  return all;
}

void Reporter::Run(const std::stop_token& stop) {
  net::HttpClient client(options_.target->address, {.connect_patience = options_.patience,
                                                    .answer_patience = options_.patience,
                                                    .most_body_bytes = kMostAnswerBytes});
  while (!stop.stop_requested()) {
    const bool reached = DeliverAll(client, stop);
    std::unique_lock lock(mutex_);
    const bool hurried = hurry_;
    const milliseconds pause = hurried && !reached ? kPauseInHurry : options_.every;
    // Whoever comes to be in a hurry does not wait for a pause that was made before.
    wake_.wait_for(lock, stop, pause,
                   [&] { return hurry_ && (reached ? !queue_.empty() : !hurried); });
  }
}

bool Reporter::DeliverAll(net::HttpClient& client, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (unsent_.empty()) {
      EventQueue::Portion portion;
      {
        const std::lock_guard lock(mutex_);
        portion = queue_.Take();
        under_way_ = !portion.empty();
        if (!under_way_) {
          sent_.notify_all();
          return true;
        }
      }
      // Writing it takes long enough to keep training from the lock.
      unsent_ = Compose(portion);
    }
    if (!Post(client, unsent_)) return false;
    unsent_.clear();
  }
  return false;
}

std::string Reporter::Compose(const EventQueue::Portion& portion) {
  const std::string number =
      sender_.empty() ? "" : fmt::format(R"("sender":"{}","sequence":{},)", sender_, sequence_++);
  return fmt::format(R"({{"rank":{},"role":"{}",{}"events":[{}]}})", options_.rank, options_.role,
                     number, portion.ToList());
}

bool Reporter::Post(net::HttpClient& client, const std::string& body) {
  const auto answer =
      client.Post(options_.target->target, body, {{"authorization", "Bearer " + options_.token}});
  std::string why;
  bool again = false;
  if (!answer.ok()) {
    why = answer.error().Describe();
    again = answer.error().code() != base::ErrorCode::kBadInput;
  } else if (answer->status >= 300) {
    why = fmt::format("status {}: {}", answer->status, Clip(answer->body, kMostNameText));
    again = answer->status >= 500;
  } else if (SaysToEnd(answer->body)) {
    ending_ = true;
  }
  bool& said = again ? said_away_ : said_refused_;
  if (!why.empty() && !std::exchange(said, true)) {
    log_.Warn(
        fmt::format("the supervisor {} a report: {}", again ? "did not get" : "refused", why));
  }
  return !again;
}

}  // namespace reckon::observe
