#include "tables/adapters/extrap_text.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "tables/adapters/extrap_points.h"
#include "tables/adapters/extrap_rows.h"
#include "tables/adapters/lines.h"
#include "tables/adapters/stop_poll.h"
#include "tables/cell.h"

namespace reckon::tables {
namespace {

constexpr std::string_view kWordBlanks = " \t\r\f\v";

std::string_view TrimAll(std::string_view text) {
  const size_t first = text.find_first_not_of(kWordBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWordBlanks) - first + 1);
}

// Takes the first word off `text`.
std::string_view TakeWord(std::string_view& text) {
  text = TrimAll(text);
  const std::string_view word = text.substr(0, text.find_first_of(kWordBlanks));
  text = TrimAll(text.substr(word.size()));
  return word;
}

class Parser {
 public:
  explicit Parser(const std::string& name) : name_(name) {}

  base::Status ReadLine(std::string_view line, size_t number);
  base::Result<core::Table> Finish() &&;

 private:
  base::Status Parameter(std::string_view names);
  base::Status Points(std::string_view text);
  base::Status Metric(std::string_view name);
  base::Status Region(std::string_view name);
  base::Status Data(std::string_view numbers);
  base::Status EndGroup();
  base::Status EndRegion();
  base::Error Bad(size_t line, std::string_view fault) const {
    return base::BadInput(fmt::format("{}, line {}: {}", name_, line, fault));
  }

  const std::string& name_;
  size_t line_ = 0;
  ExtraPRows rows_;
  std::vector<Point> points_;
  std::string region_{kDefaultRegion};
  std::string metric_{kDefaultMetric};
  size_t region_line_ = 0;  // 0: no REGION waits for its first DATA
  size_t data_line_ = 0;    // the latest DATA
  size_t data_count_ = 0;   // DATA lines of this region and metric
};

base::Status Parser::ReadLine(std::string_view line, size_t number) {
  line_ = number;
  std::string_view rest = line;
  const std::string_view keyword = TakeWord(rest);
  if (keyword.empty() || keyword.front() == '#') return {};
  if (keyword == "DATA") return Data(rest);
  if (keyword == "REGION") return Region(rest);
  if (keyword == "METRIC") return Metric(rest);
  if (keyword == "POINTS") return Points(rest);
  if (keyword == "PARAMETER") return Parameter(rest);
  const std::array<std::string, 5> known{"PARAMETER", "POINTS", "METRIC", "REGION", "DATA"};
  const std::string shown = ShownCell(keyword);
  return Bad(line_, fmt::format("unknown keyword '{}'{}", shown, base::SuggestFrom(shown, known)));
}

base::Status Parser::Parameter(std::string_view names) {
  if (names.empty()) return Bad(line_, "PARAMETER without a name");
  if (!points_.empty()) return Bad(line_, "PARAMETER behind POINTS, which lack its coordinates");
  std::vector<std::string> all = rows_.parameters();
  while (!names.empty()) {
    const std::string_view name = TakeWord(names);
    const base::Status checked = CheckParameter(all, name);
    if (!checked.ok()) return Bad(line_, checked.error().message());
    all.emplace_back(name);
  }
  rows_.SetParameters(std::move(all));
  return {};
}

base::Status Parser::Points(std::string_view text) {
  if (rows_.parameters().empty()) return Bad(line_, "POINTS before PARAMETER");
  auto points = ParsePoints(text, rows_.parameters().size());
  if (!points.ok()) return Bad(line_, points.error().message());
  for (Point& point : *points) points_.push_back(std::move(point));
  return {};
}

base::Status Parser::Metric(std::string_view name) {
  if (name.empty()) return Bad(line_, "METRIC without a name");
  RECKON_TRY(EndGroup());
  metric_ = name;
  return {};
}

base::Status Parser::Region(std::string_view name) {
  if (name.empty()) return Bad(line_, "REGION without a name");
  RECKON_TRY(EndRegion());
  region_ = name;
  region_line_ = line_;
  return {};
}

base::Status Parser::Data(std::string_view numbers) {
  if (points_.empty()) return Bad(line_, "DATA before POINTS");
  if (data_count_ == points_.size()) {
    return Bad(line_, fmt::format("more DATA lines than points ({})", points_.size()));
  }
  if (numbers.empty()) return Bad(line_, "DATA without numbers");
  std::vector<double> values;
  while (!numbers.empty()) {
    const std::string_view word = TakeWord(numbers);
    const auto value = base::ParseNumber(word);
    if (!value) return Bad(line_, fmt::format("'{}' is not a number", ShownCell(word)));
    values.push_back(*value);
  }
  rows_.Add(points_[data_count_], region_, metric_, values, line_);
  ++data_count_;
  data_line_ = line_;
  region_line_ = 0;
  return {};
}

// A METRIC may follow a REGION and the other way round, so a group without data is no fault.
base::Status Parser::EndGroup() {
  if (data_count_ > 0 && data_count_ < points_.size()) {
    return Bad(data_line_,
               fmt::format("region '{}', metric '{}' ends with {} DATA line{}, expected "
                           "{}, one for each point",
                           ShownCell(region_), ShownCell(metric_), data_count_,
                           data_count_ == 1 ? "" : "s", points_.size()));
  }
  data_count_ = 0;
  return {};
}

base::Status Parser::EndRegion() {
  RECKON_TRY(EndGroup());
  if (region_line_ > 0) {
    return Bad(region_line_, fmt::format("region '{}' has no DATA", ShownCell(region_)));
  }
  return {};
}

base::Result<core::Table> Parser::Finish() && {
  RECKON_TRY(EndRegion());
  return std::move(rows_).Finish(name_);
}

}  // namespace

base::Result<core::Table> ReadExtraPText(std::string_view text, const std::string& name,
                                         const std::stop_token& stop) {
  Parser parser(name);
  StopPoll poll(stop);
  for (Lines lines(text); lines.Next();) {
    RECKON_TRY(poll.Check());
    RECKON_TRY(parser.ReadLine(lines.line(), lines.number()));
  }
  return std::move(parser).Finish();
}

}  // namespace reckon::tables
