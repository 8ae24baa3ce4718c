#include "act/local/report_door.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "observe/events/report.h"

namespace reckon::act {
namespace {

net::HttpResponse Refuse(int status, std::string_view reason) {
  return {status, "application/json", base::DumpJsonLine({{"error", reason}})};
}

}  // namespace

ReportDoor::ReportDoor(const LaunchSpec& spec, EventWriter& events, const base::Clock& clock,
                       base::Logger& log, Adviser adviser)
    : target_(fmt::format("/runs/{}/events", spec.run_id)),
      authorization_("Bearer " + spec.token),
      host_(spec.status_host),
      events_(events),
      clock_(clock),
      log_(log),
      adviser_(std::move(adviser)) {}

base::Result<std::unique_ptr<ReportDoor>> ReportDoor::Open(const LaunchSpec& spec,
                                                           EventWriter& events,
                                                           const base::Clock& clock,
                                                           base::Logger& log, Adviser adviser) {
  std::unique_ptr<ReportDoor> door(new ReportDoor(spec, events, clock, log, std::move(adviser)));
  net::HttpServerOptions options;
  options.listen = {spec.status_host, 0};
  RECKON_ASSIGN(
      door->server_,
      net::HttpServer::Start(
          options, [door = door.get()](const auto& request) { return door->Take(request.body); },
          [door = door.get()](const auto& head) { return door->TurnAway(head); }));
  return door;
}

std::string ReportDoor::url() const {
  return "http://" + net::Address{host_, server_->port()}.ToText() + target_;
}

std::string ReportDoor::LastError(const std::string& role, int64_t index) const {
  const std::lock_guard lock(mutex_);
  for (const ToldError& error : errors_) {
    if (error.role == role && error.index == index) return error.message;
  }
  return "";
}

std::optional<ReportDoor::ToldError> ReportDoor::FirstErrorSince(base::MonotonicTime time) const {
  const std::lock_guard lock(mutex_);
  for (const ToldError& error : errors_) {
    if (error.at >= time) return error;
  }
  return std::nullopt;
}

bool ReportDoor::SaidReady(const std::string& role, int64_t index) const {
  const std::lock_guard lock(mutex_);
  return ready_.contains({role, index});
}

void ReportDoor::NoteTraining(const observe::Report& report, const base::Json& event) {
  if (report.role != kWorkerRole) return;
  const auto& kind = event.at("kind").get_ref<const std::string&>();
  const double at = event.at("at").get<double>();
  if (kind == "stage" && event.at("stage") == "training_loop") {
    loops_[report.rank] = {at - event.at("seconds").get<double>(), at};
  } else if (kind == "steps") {
    steps_.try_emplace(report.rank, Stretch{at, at}).first->second.to = at;
  }
}

std::optional<Stretch> ReportDoor::Training() const {
  const std::lock_guard lock(mutex_);
  const auto& told = loops_.empty() ? steps_ : loops_;
  if (told.empty()) return std::nullopt;
  Stretch common = told.begin()->second;
  for (const auto& [rank, own] : told) {
    common.from = std::max(common.from, own.from);
    common.to = std::min(common.to, own.to);
  }
  if (common.to <= common.from) return std::nullopt;
  return common;
}

void ReportDoor::Forget(const std::string& role, int64_t index) {
  std::erase_if(errors_,
                [&](const ToldError& error) { return error.role == role && error.index == index; });
}

void ReportDoor::ForgetError(const std::string& role, int64_t index) {
  const std::lock_guard lock(mutex_);
  Forget(role, index);
  ready_.erase({role, index});
}

std::optional<net::HttpResponse> ReportDoor::TurnAway(const net::HttpRequest& head) const {
  const auto given = head.headers.find("authorization");
  if (given == head.headers.end() || !base::SameSecret(given->second, authorization_)) {
    return Refuse(401, "the token is missing or wrong; it is in RECKON_TOKEN");
  }
  if (head.target != target_) return Refuse(404, "reports go to " + target_);
  if (head.method != "POST") return Refuse(405, "reports come by POST");
  return std::nullopt;
}

net::HttpResponse ReportDoor::Take(const std::string& body) {
  base::Result<observe::Report> report = observe::ParseReport(body, clock_.Now());
  if (!report.ok()) return Refuse(400, report.error().Describe());
  if (taken_.Has(*report)) return Taken();
  for (base::Json& event : report->events) {
    event["role"] = report->role;
    event["index"] = report->rank;
  }
  // Together: what 503 is said of comes again, and must not be there already.
  if (const base::Status written = events_.AppendAll(report->events); !written.ok()) {
    log_.Error(written.error().Describe());
    return Refuse(503, "the report cannot be kept now");
  }
  taken_.Add(*report);
  for (const base::Json& event : report->events) {
    const auto& kind = event.at("kind").get_ref<const std::string&>();
    const std::lock_guard lock(mutex_);
    NoteTraining(*report, event);
    if (kind == "ready" || kind == "latency") ready_.emplace(report->role, report->rank);
    if (kind != "error") continue;
    Forget(report->role, report->rank);
    errors_.push_back(
        {report->role, report->rank, event.at("message").get<std::string>(), clock_.Monotonic()});
  }
  if (adviser_ && !ending()) {
    for (const base::Json& event : report->events) {
      if (const auto why = adviser_(event)) AskToEnd(*why);
    }
  }
  return Taken();
}

net::HttpResponse ReportDoor::Taken() const {
  if (!ending()) return {204, "application/json", ""};
  return {200, "application/json", base::DumpJsonLine({{"end", "epoch"}})};
}

void ReportDoor::AskToEnd(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    ending_ = reason;
  }
  const base::Status written = events_.Append(
      {{"kind", "run.ending"}, {"at", observe::EventTime(clock_.Now())}, {"reason", reason}});
  if (!written.ok()) log_.Error(written.error().Describe());
}

std::optional<std::string> ReportDoor::ending() const {
  const std::lock_guard lock(mutex_);
  return ending_;
}

}  // namespace reckon::act
