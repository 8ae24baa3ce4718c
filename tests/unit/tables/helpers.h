// What the tests of this layer share.
#pragma once

#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/progress.h"
#include "core/table.h"
#include "tables/formats.h"
#include "tables/reader.h"
#include "tables/source.h"
#include "tests/support/temp_folder.h"

namespace reckon::tables {

using reckon::support::TempFolder;

inline std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline base::Result<core::Table> TryReadAs(Format format, std::string text,
                                           const ReadOptions& options = {}) {
  base::NoProgress progress;
  const Source source = Source::FromText(std::move(text), "runs.csv");
  return ReadAs(format, source, options, std::stop_token(), progress);
}

// The table of a text that is good.
inline core::Table Read(std::string text, const ReadOptions& options = {},
                        Format format = Format::kTable) {
  auto table = TryReadAs(format, std::move(text), options);
  if (!table.ok()) {
    ADD_FAILURE() << table.error().Describe();
    return {};
  }
  return std::move(table).value();
}

inline core::Table ReadFormat(Format format, std::string text) {
  return Read(std::move(text), {}, format);
}

// The message for a text that is not; "" when it was read all the same.
inline std::string ReadError(std::string text, const ReadOptions& options = {},
                             Format format = Format::kTable,
                             base::ErrorCode code = base::ErrorCode::kBadInput) {
  const auto table = TryReadAs(format, std::move(text), options);
  if (table.ok()) return "";
  EXPECT_EQ(table.error().code(), code) << table.error().Describe();
  return table.error().Describe();
}

inline std::string FormatError(Format format, std::string text) {
  return ReadError(std::move(text), {}, format);
}

// The cells of a column as text, "" for the missing ones.
inline std::vector<std::string> Cells(const core::Table& table, std::string_view column) {
  const auto at = table.Find(column);
  if (!at) {
    ADD_FAILURE() << "no column " << column;
    return {};
  }
  std::vector<std::string> cells;
  for (size_t row = 0; row < table.row_count; ++row) {
    cells.push_back(table.columns[*at].Text(row));
  }
  return cells;
}

}  // namespace reckon::tables
