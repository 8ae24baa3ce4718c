#include "observe/events/report.h"

#include <utility>

#include <fmt/format.h>

#include "base/json_shape.h"
#include "observe/events/event_check.h"
#include "observe/events/trainer_status.h"

namespace reckon::observe {
namespace {

constexpr size_t kMostEvents = 10'000;
constexpr size_t kMostSenderBytes = 64;
constexpr size_t kMostDepth = 32;
constexpr size_t kMostFields = 200;  // of one object: each is compared with those before it

base::Error Wrong(std::string_view field, std::string_view expected) {
  return base::BadInput(fmt::format("report, {}: expected {}", field, expected));
}

// Both or neither: one alone cannot tell reports from each other.
base::Status ReadNumber(const base::Json& json, Report& report) {
  if (!json.contains("sender") && !json.contains("sequence")) return {};
  const auto sender = json.find("sender");
  if (sender != json.end() && sender->is_string()) report.sender = sender->get<std::string>();
  if (report.sender.empty() || report.sender.size() > kMostSenderBytes) {
    return Wrong("sender", fmt::format("text of 1 to {} bytes", kMostSenderBytes));
  }
  const auto sequence = base::WholeAt(json, "sequence");
  if (!sequence) return Wrong("sequence", "a whole number, not negative");
  report.sequence = *sequence;
  return {};
}

}  // namespace

base::Result<Report> ParseReport(std::string_view body, base::WallTime received) {
  const base::JsonShape shape = base::ShapeOfJson(body, kMostDepth);
  if (shape.depth > kMostDepth) {
    return base::BadInput(fmt::format("report: nested deeper than {} levels", kMostDepth));
  }
  if (shape.most_keys > kMostFields) {
    return base::BadInput(fmt::format("report: {} fields in one object; expected at most {}",
                                      shape.most_keys, kMostFields));
  }
  auto parsed = base::ParseJson(body, "report");
  if (!parsed.ok()) return base::BadInput(parsed.error().Describe());
  base::Json json = *std::move(parsed);
  if (!json.is_object()) return base::BadInput("report: expected an object");

  Report report;
  if (json.contains("rank")) {
    const auto rank = base::WholeAt(json, "rank");
    if (!rank || *rank > INT32_MAX) return Wrong("rank", "a whole number, not negative");
    report.rank = static_cast<int64_t>(*rank);
  } else if (!IsTrainerStatus(json)) {
    return Wrong("rank", "a whole number, not negative");
  }
  report.role = "worker";
  if (json.contains("role")) {
    if (!json["role"].is_string() || !IsEventWord(json["role"].get_ref<const std::string&>())) {
      return Wrong("role", kEventWord);
    }
    report.role = json["role"].get<std::string>();
  }
  RECKON_TRY(ReadNumber(json, report));

  if (IsTrainerStatus(json)) {
    RECKON_ASSIGN(report.events, TrainerStatusEvents(json, received));
    return report;
  }
  if (!json.contains("events") || !json["events"].is_array()) return Wrong("events", "a list");
  base::Json& events = json["events"];
  if (events.size() > kMostEvents) {
    return Wrong("events", fmt::format("at most {} entries", kMostEvents));
  }
  report.events.reserve(events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    RECKON_TRY(CheckEvent(events[i], fmt::format("report, events[{}]", i)));
    report.events.push_back(std::move(events[i]));
  }
  return report;
}

double EventTime(base::WallTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace reckon::observe
