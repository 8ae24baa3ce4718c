// What the tests of the store share: a folder of their own, a clock that obeys, tables.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "base/clock.h"
#include "core/table.h"
#include "tests/support/temp_folder.h"

namespace reckon::store::testing {

using reckon::support::TempFolder;

// Each look at the wall clock is one second later.
class FakeClock final : public base::Clock {
 public:
  base::WallTime Now() const override {
    return base::WallTime(std::chrono::seconds(1'700'000'000 + ++looks_));
  }
  base::MonotonicTime Monotonic() const override { return {}; }

 private:
  mutable std::atomic<int64_t> looks_ = 0;
};

// `rows` rows of a whole number, a fraction with gaps, and a category.
core::Table MakeTable(size_t rows);

// Numbers at the limits of double, missing cells, unused levels, names that are not UTF-8.
core::Table MakeHardTable();

// "" when names, kinds, levels and cells are the same to the last bit, otherwise what is not.
std::string Difference(const core::Table& actual, const core::Table& expected);

// The whole file, to see that it stayed as it was.
std::string Bytes(const std::filesystem::path& path);

}  // namespace reckon::store::testing
