#include "observe/events/trainer_status.h"

#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "observe/events/event_check.h"
#include "observe/events/report.h"

namespace reckon::observe {
namespace {

using base::Json;

constexpr size_t kMostMetrics = 1000;

bool HasStatusField(const Json& json) {
  return json.is_object() && (json.contains("progressPercentage") || json.contains("metrics") ||
                              json.contains("estimatedRemainingSeconds"));
}

std::optional<double> MetricValue(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return base::ParseNumber(value.get_ref<const std::string&>());
  return std::nullopt;
}

}  // namespace

bool IsTrainerStatus(const Json& report) {
  return report.is_object() && !report.contains("events") &&
         (report.contains("trainerStatus") || HasStatusField(report));
}

base::Result<std::vector<Json>> TrainerStatusEvents(const Json& report, base::WallTime received) {
  const Json& status = report.contains("trainerStatus") ? report["trainerStatus"] : report;
  if (!HasStatusField(status)) {
    return base::BadInput(
        "report, trainerStatus: expected progressPercentage, estimatedRemainingSeconds or metrics");
  }
  const double at = EventTime(received);
  std::vector<Json> events;
  Json progress = {{"kind", "progress"}, {"at", at}};
  if (status.contains("progressPercentage")) {
    const Json& percentage = status["progressPercentage"];
    if (!percentage.is_number() || percentage.get<double>() > 100) {
      return base::BadInput("report, progressPercentage: expected a number from 0 to 100");
    }
    progress["done"] = percentage;
    progress["total"] = 100;
    progress["unit"] = "%";
  }
  if (status.contains("estimatedRemainingSeconds")) {
    progress["remaining_s"] = status["estimatedRemainingSeconds"];
  }
  if (progress.size() > 2) {
    RECKON_TRY(CheckEvent(progress, "report, progress"));
    events.push_back(std::move(progress));
  }
  if (!status.contains("metrics")) return events;
  const Json& metrics = status["metrics"];
  if (!metrics.is_array() || metrics.size() > kMostMetrics) {
    return base::BadInput(
        fmt::format("report, metrics: expected a list of at most {} metrics", kMostMetrics));
  }
  for (size_t i = 0; i < metrics.size(); ++i) {
    const std::string path = fmt::format("report, metrics[{}]", i);
    if (!metrics[i].is_object() || !metrics[i].contains("name") || !metrics[i].contains("value")) {
      return base::BadInput(path + ": expected an object with name and value");
    }
    const auto value = MetricValue(metrics[i]["value"]);
    if (!value) continue;
    Json event = {{"kind", "metric"}, {"at", at}, {"name", metrics[i]["name"]}, {"value", *value}};
    RECKON_TRY(CheckEvent(event, path));
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace reckon::observe
