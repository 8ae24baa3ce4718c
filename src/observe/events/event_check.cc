#include "observe/events/event_check.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::observe {
namespace {

using base::Json;

constexpr size_t kMostNameBytes = 256;
constexpr size_t kMostMessageBytes = 64 << 10;
constexpr size_t kMostInList = 100'000;             // steps or latencies of one event
constexpr uint64_t kMostEpoch = uint64_t{1} << 53;  // what a double still counts

// Looks at the fields of one event.
class EventFields {
 public:
  EventFields(const Json& event, const std::string& path) : event_(event), path_(path) {}

  bool Has(const char* key) const { return event_.contains(key); }

  base::Status Number(const char* key) const { return Require(key, "a finite number", IsFinite); }
  base::Status NotNegative(const char* key) const {
    return Require(key, "a number, not negative",
                   [](const Json& value) { return IsFinite(value) && value.get<double>() >= 0; });
  }
  base::Status Positive(const char* key) const {
    return Require(key, "a number above 0",
                   [](const Json& value) { return IsFinite(value) && value.get<double>() > 0; });
  }
  base::Status Whole(const char* key) const {
    return Require(key, "a whole number, not negative", IsWhole);
  }
  base::Status Whole(const char* key, uint64_t most) const {
    return Require(key, fmt::format("a whole number from 0 to {}", most), [&](const Json& value) {
      return IsWhole(value) && value.get<uint64_t>() <= most;
    });
  }
  base::Status Text(const char* key, size_t most_bytes) const {
    return Require(key, fmt::format("text of 1 to {} bytes", most_bytes), [&](const Json& value) {
      if (!value.is_string()) return false;
      const size_t size = value.get_ref<const std::string&>().size();
      return size >= 1 && size <= most_bytes;
    });
  }
  base::Status Word(const char* key) const {
    return Require(key, kEventWord, [](const Json& value) {
      return value.is_string() && IsEventWord(value.get_ref<const std::string&>());
    });
  }
  base::Status NumberList(const char* key, size_t least, size_t most, bool whole) const {
    RECKON_TRY(Require(key,
                       least == most
                           ? fmt::format("a list of {} numbers, as many as in compute_s", least)
                           : fmt::format("a list of {} to {} numbers", least, most),
                       [&](const Json& value) {
                         return value.is_array() && value.size() >= least && value.size() <= most;
                       }));
    const Json& list = event_[key];
    for (size_t i = 0; i < list.size(); ++i) {
      const bool good = whole ? IsWhole(list[i]) : IsFinite(list[i]) && list[i].get<double>() >= 0;
      if (!good) {
        return base::BadInput(fmt::format("{}.{}[{}]: expected a {}number, not negative", path_,
                                          key, i, whole ? "whole " : ""));
      }
    }
    return {};
  }

 private:
  static bool IsFinite(const Json& value) {
    return value.is_number() && std::isfinite(value.get<double>());
  }
  static bool IsWhole(const Json& value) {
    return value.is_number_unsigned() && value.get<uint64_t>() <= INT64_MAX;
  }

  template <typename Test>
  base::Status Require(const char* key, std::string_view expected, Test test) const {
    if (Has(key) && test(event_[key])) return {};
    return base::BadInput(fmt::format("{}.{}: expected {}", path_, key, expected));
  }

  const Json& event_;
  const std::string& path_;
};

base::Status CheckStage(const EventFields& fields) {
  RECKON_TRY(fields.Text("stage", kMostNameBytes));
  return fields.NotNegative("seconds");
}

base::Status CheckSteps(const Json& event, const EventFields& fields) {
  RECKON_TRY(fields.Whole("first"));
  RECKON_TRY(fields.NumberList("compute_s", 1, kMostInList, false));
  const size_t count = event["compute_s"].size();
  for (const char* key : {"wait_s", "push_s", "update_s", "pull_s"}) {
    if (fields.Has(key)) RECKON_TRY(fields.NumberList(key, count, count, false));
  }
  for (const char* key : {"bytes_sent", "bytes_received"}) {
    if (fields.Has(key)) RECKON_TRY(fields.NumberList(key, count, count, true));
  }
  return {};
}

base::Status CheckMetric(const EventFields& fields) {
  RECKON_TRY(fields.Text("name", kMostNameBytes));
  return fields.Number("value");
}

base::Status CheckProgress(const EventFields& fields) {
  // Who only guesses what is left need not know how much there is.
  if (!fields.Has("remaining_s") || fields.Has("done") || fields.Has("total")) {
    RECKON_TRY(fields.NotNegative("done"));
    RECKON_TRY(fields.Positive("total"));
  }
  if (fields.Has("unit")) RECKON_TRY(fields.Text("unit", kMostNameBytes));
  if (fields.Has("remaining_s")) RECKON_TRY(fields.NotNegative("remaining_s"));
  return {};
}

base::Status CheckLatency(const Json& event, const EventFields& fields) {
  if (fields.Has("name")) RECKON_TRY(fields.Text("name", kMostNameBytes));
  RECKON_TRY(fields.NumberList("seconds", 1, kMostInList, false));
  return fields.Whole("missed", event["seconds"].size());
}

}  // namespace

bool IsEventWord(std::string_view text) {
  constexpr size_t kMostWordBytes = 64;
  return !text.empty() && text.size() <= kMostWordBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

base::Status CheckEvent(const Json& event, const std::string& path) {
  if (!event.is_object()) return base::BadInput(path + ": expected an object");
  const EventFields fields(event, path);
  RECKON_TRY(fields.Word("kind"));
  RECKON_TRY(fields.NotNegative("at"));
  if (fields.Has("epoch")) RECKON_TRY(fields.Whole("epoch", kMostEpoch));
  const auto& kind = event["kind"].get_ref<const std::string&>();
  if (kind == "stage") return CheckStage(fields);
  if (kind == "steps") return CheckSteps(event, fields);
  if (kind == "metric") return CheckMetric(fields);
  if (kind == "progress") return CheckProgress(fields);
  if (kind == "latency") return CheckLatency(event, fields);
  if (kind == "error") return fields.Text("message", kMostMessageBytes);
  return {};  // `ready`, which has no fields, or a kind of the job's own
}

}  // namespace reckon::observe
