#include "act/local/keep_order.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::act {
namespace {

using base::Json;

template <typename T>
std::optional<T> Field(const Json& json, const char* key) {
  if (!json.contains(key) || !json.at(key).is_number()) return std::nullopt;
  return json.at(key).get<T>();
}

std::string Text(const Json& json, const char* key) {
  const Json text = json.value(key, Json());
  return text.is_string() ? text.get<std::string>() : "";
}

std::optional<observe::TreeUsage> UsageFromJson(const Json& json) {
  const auto wall = Field<double>(json, "wall_s");
  const auto cpu = Field<double>(json, "cpu_s");
  const auto memory = base::WholeAt(json, "peak_memory_bytes");
  const auto sent = base::WholeAt(json, "bytes_sent");
  const auto received = base::WholeAt(json, "bytes_received");
  if (!wall || !cpu || !memory || !sent || !received) return std::nullopt;
  observe::TreeUsage usage;
  usage.wall_s = *wall;
  usage.cpu_s = *cpu;
  usage.peak_memory_bytes = *memory;
  usage.bytes_sent = *sent;
  usage.bytes_received = *received;
  usage.complete = json.value("complete", Json(false)) == Json(true);
  usage.disk_read_bytes = base::WholeAt(json, "disk_read_bytes").value_or(0);
  usage.disk_written_bytes = base::WholeAt(json, "disk_written_bytes").value_or(0);
  usage.cpu_p95_cores = Field<double>(json, "cpu_p95_cores").value_or(0);
  usage.memory_mean_bytes = Field<double>(json, "memory_mean_bytes").value_or(0);
  usage.memory_p95_bytes = Field<double>(json, "memory_p95_bytes").value_or(0);
  usage.sent_p95_bytes_s = Field<double>(json, "sent_p95_bytes_s").value_or(0);
  usage.received_p95_bytes_s = Field<double>(json, "received_p95_bytes_s").value_or(0);
  return usage;
}

}  // namespace

Json ToJson(const KeepOrder& order) {
  return {{"process", ToJson(order.process)},
          {"log_path", order.log_path},
          {"stop_grace_s", order.stop_grace_s}};
}

base::Result<KeepOrder> KeepOrderFromJson(const Json& json) {
  const auto grace = Field<double>(json, "stop_grace_s");
  if (!grace || !json.contains("process") || !json.contains("log_path") ||
      !json.at("log_path").is_string()) {
    return base::BadInput("the first line is no order for a keeper");
  }
  KeepOrder order;
  RECKON_ASSIGN(order.process, ProcessSpecFromJson(json.at("process"), "process"));
  order.log_path = json.at("log_path").get<std::string>();
  order.stop_grace_s = *grace;
  return order;
}

std::string Describe(const ProcessEnd& end) {
  const std::string cause = end.cause.empty() ? "" : "; " + end.cause;
  if (end.exit_code) return fmt::format("ended with code {}{}", *end.exit_code, cause);
  if (end.signal) {
    const char* name = sigabbrev_np(*end.signal);
    return fmt::format("was killed by signal {}{}{}", *end.signal,
                       name != nullptr ? fmt::format(" (SIG{})", name) : "", cause);
  }
  return end.failure;
}

base::Json ToJson(const observe::TreeUsage& usage) {
  return {{"wall_s", usage.wall_s},
          {"cpu_s", usage.cpu_s},
          {"peak_memory_bytes", usage.peak_memory_bytes},
          {"bytes_sent", usage.bytes_sent},
          {"bytes_received", usage.bytes_received},
          {"complete", usage.complete},
          {"disk_read_bytes", usage.disk_read_bytes},
          {"disk_written_bytes", usage.disk_written_bytes},
          {"cpu_p95_cores", usage.cpu_p95_cores},
          {"memory_mean_bytes", usage.memory_mean_bytes},
          {"memory_p95_bytes", usage.memory_p95_bytes},
          {"sent_p95_bytes_s", usage.sent_p95_bytes_s},
          {"received_p95_bytes_s", usage.received_p95_bytes_s}};
}

Json ToJson(const KeeperNews& news) {
  if (news.started) return {{"say", "started"}, {"pid", *news.started}};
  if (news.usage) {
    Json json = {{"say", "usage"}};
    json.update(ToJson(*news.usage));
    return json;
  }
  RECKON_CHECK(news.ended);
  Json json = {{"say", "ended"}, {"seconds", news.ended->seconds}};
  if (news.ended->exit_code) json["exit_code"] = *news.ended->exit_code;
  if (news.ended->signal) json["signal"] = *news.ended->signal;
  if (!news.ended->failure.empty()) json["failure"] = news.ended->failure;
  if (!news.ended->cause.empty()) json["cause"] = news.ended->cause;
  return json;
}

std::optional<KeeperNews> KeeperNewsFromJson(const Json& json) {
  KeeperNews news;
  const Json say = json.value("say", Json());
  if (say == "started") {
    news.started = Field<int64_t>(json, "pid");
    if (!news.started) return std::nullopt;
  } else if (say == "usage") {
    news.usage = UsageFromJson(json);
    if (!news.usage) return std::nullopt;
  } else if (say == "ended") {
    news.ended.emplace();
    news.ended->seconds = Field<double>(json, "seconds").value_or(0);
    news.ended->exit_code = Field<int>(json, "exit_code");
    news.ended->signal = Field<int>(json, "signal");
    news.ended->failure = Text(json, "failure");
    news.ended->cause = Text(json, "cause");
  } else {
    return std::nullopt;
  }
  return news;
}

}  // namespace reckon::act
