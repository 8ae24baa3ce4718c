#include "app/forecast_file.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tables/writer.h"

namespace reckon::app {
namespace {

using base::Result;
using base::Status;

const std::vector<std::string> kAddedColumns{"predicted", "lower", "upper", "in_support"};

void AppendForecast(const core::Forecast& forecast, char delimiter, std::string& line) {
  for (const double number : {forecast.predicted, forecast.lower, forecast.upper}) {
    line += delimiter;
    line += base::RoundTrip(number);
  }
  line += delimiter;
  line += forecast.in_support ? "true" : "false";
}

core::Table WithForecasts(const core::Table& questions,
                          const std::vector<core::Forecast>& forecasts) {
  core::Table table = questions;
  const auto add = [&](const char* name, auto&& value_of) {
    std::vector<double> cells;
    for (const core::Forecast& forecast : forecasts) cells.push_back(value_of(forecast));
    table.columns.push_back(core::Column::Numbers(name, core::NumberVector::Of(cells)));
  };
  add("predicted", [](const core::Forecast& f) { return f.predicted; });
  add("lower", [](const core::Forecast& f) { return f.lower; });
  add("upper", [](const core::Forecast& f) { return f.upper; });
  std::vector<double> codes;
  for (const core::Forecast& forecast : forecasts) codes.push_back(forecast.in_support ? 1 : 0);
  table.columns.push_back(
      core::Column::Categories("in_support", {"false", "true"}, core::NumberVector::Of(codes)));
  return table;
}

Status CheckAddedNames(const core::Table& questions) {
  for (const std::string& name : kAddedColumns) {
    if (questions.Find(name)) {
      return base::BadInput(fmt::format(
          "{} already has a column '{}', as forecasts are written; rename or remove it first",
          questions.source, name));
    }
  }
  return {};
}

// Files are copied cell by cell, so that what the user wrote stays as it was written.
Status CopyInput(const PredictRequest& request, const PredictReport& report, const Context& context,
                 char delimiter, base::AtomicFile& file) {
  RECKON_ASSIGN(const tables::Source source, tables::Source::Open(request.data.file));
  tables::Extras extras;
  extras.names = kAddedColumns;
  extras.row_count = report.forecasts.size();
  extras.append = [&](size_t row, std::string& line) -> Status {
    AppendForecast(report.forecasts[row], delimiter, line);
    return {};
  };
  RECKON_ASSIGN(const tables::ReadOptions options, ToReadOptions(request.data));
  return tables::CopyWithColumns(source, options, extras, delimiter, file, context.stop,
                                 context.progress);
}

}  // namespace

bool IsPlainFile(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && path != "-" && std::filesystem::is_regular_file(path, ignored);
}

Result<base::AtomicFile> PrepareForecastFile(const PredictRequest& request,
                                             const PredictReport& report, const Context& context) {
  RECKON_TRY(CheckAddedNames(report.questions));
  const char delimiter = tables::DelimiterFor(request.out);
  RECKON_ASSIGN(base::AtomicFile file, base::AtomicFile::Create(request.out));
  // What was computed, read from another format or can be read only once is written from memory.
  if (request.data.format == "samples" && IsPlainFile(request.data.file)) {
    RECKON_TRY(CopyInput(request, report, context, delimiter, file));
  } else {
    RECKON_TRY(
        tables::AppendTable(WithForecasts(report.questions, report.forecasts), delimiter, file));
  }
  RECKON_TRY(file.Finish());
  return file;
}

}  // namespace reckon::app
