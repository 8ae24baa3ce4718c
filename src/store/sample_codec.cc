#include "store/sample_codec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "store/checks.h"

namespace reckon::store {
namespace {

using base::Json;
using Width = core::NumberVector::Width;

constexpr std::array<std::pair<Width, std::string_view>, 3> kWidths{
    {{Width::kInt16, "int16"}, {Width::kInt32, "int32"}, {Width::kDouble, "double"}}};

base::Error Corrupt(std::string_view what) {
  return {base::ErrorCode::kCorrupt, fmt::format("stored samples are damaged: {}", what)};
}

// JSON holds UTF-8 only, yet a name from a file may be any bytes: those become {"hex": "ff41"}.
Json EncodeText(const std::string& text) {
  if (IsUtf8(text)) return text;
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return Json{{"hex", std::move(hex)}};
}

std::string DecodeText(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  const std::string hex = value.at("hex").get<std::string>();
  std::string text;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    text += static_cast<char>(byte);
  }
  return text;
}

base::Result<Width> WidthOf(const core::Table& table, const core::Column& column) {
  RECKON_CHECK(column.size() == table.row_count);
  Width width = Width::kInt16;
  for (size_t row = 0; row < column.size(); ++row) {
    const double cell = column[row];
    if (std::isinf(cell)) {
      return base::BadInput(
          fmt::format("{}: column '{}' is infinite", table.Place(row), column.name()));
    }
    if (column.kind() == core::ColumnKind::kCategory && !std::isnan(cell)) {
      RECKON_CHECK(cell >= 0 && cell < static_cast<double>(column.levels().size()));
    }
    width = std::max(width, core::NumberVector::WidthFor(cell));
  }
  return width;
}

std::optional<Width> ParseWidth(std::string_view name) {
  for (const auto& [width, known] : kWidths) {
    if (known == name) return width;
  }
  return std::nullopt;
}

void AppendNumber(double number, std::string& text) {
  constexpr double kExactBelow = 1e15;
  std::array<char, 32> buffer{};
  char* const begin = buffer.data();
  char* const limit = begin + buffer.size();
  const bool whole = std::fabs(number) < kExactBelow && number == std::trunc(number) &&
                     !(number == 0 && std::signbit(number));
  // Whole numbers as integers: faster, and "100000" instead of the shorter "1e+05".
  char* const end = whole ? std::to_chars(begin, limit, static_cast<int64_t>(number)).ptr
                          : std::to_chars(begin, limit, number).ptr;
  text.append(begin, end);
}

}  // namespace

base::Result<std::string> EncodeColumns(const core::Table& table) {
  Json columns = Json::array();
  for (const core::Column& column : table.columns) {
    RECKON_ASSIGN(const Width width, WidthOf(table, column));
    Json entry{{"name", EncodeText(column.name())},
               {"kind", core::ColumnKindName(column.kind())},
               {"width", kWidths[static_cast<size_t>(width)].second}};
    if (column.kind() == core::ColumnKind::kCategory) {
      Json levels = Json::array();
      for (const std::string& level : column.levels()) levels.push_back(EncodeText(level));
      entry["levels"] = std::move(levels);
    }
    columns.push_back(std::move(entry));
  }
  return base::DumpJsonLine(columns);
}

void EncodeCells(const core::Table& table, size_t row, std::string& text) {
  text.assign(1, '[');
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) text += ',';
    const double cell = table.columns[i][row];
    if (std::isnan(cell)) {
      text += "null";
    } else {
      AppendNumber(cell, text);
    }
  }
  text += ']';
}

base::Result<TableDecoder> TableDecoder::Create(std::string_view columns, size_t row_count) {
  RECKON_ASSIGN(const Json parsed, base::ParseJson(columns, "columns of stored samples"));
  TableDecoder decoder(row_count);
  try {
    for (const Json& entry : parsed) {
      const std::string kind = entry.at("kind").get<std::string>();
      const auto width = ParseWidth(entry.at("width").get<std::string>());
      const bool is_category = kind == core::ColumnKindName(core::ColumnKind::kCategory);
      if (!width || (!is_category && kind != core::ColumnKindName(core::ColumnKind::kNumber))) {
        return Corrupt("unknown kind of column");
      }
      Draft draft{.name = DecodeText(entry.at("name")),
                  .kind = is_category ? core::ColumnKind::kCategory : core::ColumnKind::kNumber,
                  .levels = {},
                  .cells = core::NumberVector(*width, row_count)};
      if (is_category) {
        for (const Json& level : entry.at("levels")) draft.levels.push_back(DecodeText(level));
      }
      decoder.drafts_.push_back(std::move(draft));
    }
  } catch (const Json::exception&) {
    return Corrupt("unexpected description of a column");
  }
  return decoder;
}

base::Status TableDecoder::SetCell(Draft& draft, size_t row, double number) {
  if (core::NumberVector::WidthFor(number) > draft.cells.width()) {
    return Corrupt(fmt::format("row {}: number out of range", row));
  }
  if (draft.kind == core::ColumnKind::kCategory &&
      !(number >= 0 && number < static_cast<double>(draft.levels.size()) &&
        number == std::trunc(number))) {
    return Corrupt(fmt::format("row {}: unknown category", row));
  }
  draft.cells.Set(row, number);
  return {};
}

base::Status TableDecoder::SetRow(size_t row, std::string_view cells) {
  const auto bad = [row] { return Corrupt(fmt::format("row {} is not as it was written", row)); };
  if (row >= row_count_ || cells.size() < 2 || cells.front() != '[' || cells.back() != ']') {
    return bad();
  }
  const char* at = cells.data() + 1;
  const char* const end = cells.data() + cells.size() - 1;
  for (size_t i = 0; i < drafts_.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return bad();
    if (std::string_view(at, end).starts_with("null")) {
      at += 4;
      continue;
    }
    double number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc() || !std::isfinite(number)) return bad();
    RECKON_TRY(SetCell(drafts_[i], row, number));
    at = after;
  }
  if (at != end) return bad();
  ++rows_set_;
  return {};
}

base::Result<core::Table> TableDecoder::Finish() && {
  if (rows_set_ != row_count_) {
    return Corrupt(fmt::format("{} rows of {} are there", rows_set_, row_count_));
  }
  core::Table table;
  table.row_count = row_count_;
  for (Draft& draft : drafts_) {
    table.columns.push_back(
        draft.kind == core::ColumnKind::kNumber
            ? core::Column::Numbers(std::move(draft.name), std::move(draft.cells))
            : core::Column::Categories(std::move(draft.name), std::move(draft.levels),
                                       std::move(draft.cells)));
  }
  return table;
}

}  // namespace reckon::store
