// Whatever a rank posts: a report whose events can be kept as lines of JSON, or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "observe/events/report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace reckon;  // NOLINT(google-build-using-namespace): a program of its own
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto report = observe::ParseReport(body, base::WallTime());
  if (!report.ok()) {
    RECKON_CHECK(report.error().code() == base::ErrorCode::kBadInput);
    RECKON_CHECK(!report.error().Describe().empty());
    return 0;
  }
  for (const base::Json& event : report->events) {
    RECKON_CHECK(event.is_object());
    RECKON_CHECK(event.at("kind").is_string());
    RECKON_CHECK(event.at("at").is_number());
    if (event.at("kind") == "error") RECKON_CHECK(event.at("message").is_string());
    const auto again = base::ParseJson(base::DumpJson(event), "again");
    RECKON_CHECK(again.ok());
  }
  return 0;
}
