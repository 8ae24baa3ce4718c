#include <limits>

#include "tests/unit/store/contract.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;

class RecordingProgress final : public base::Progress {
 public:
  void Begin(std::string_view, uint64_t total) override { total_ = total; }
  void Advance(uint64_t steps) override {
    done_ += steps;
    if (on_advance) on_advance();
  }
  void End() override { ++ends_; }

  std::function<void()> on_advance;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
  int ends_ = 0;
};

TEST_P(StoreContract, SamplesComeBackAsTheyWere) {
  const core::Table table = MakeTable(5000);
  const auto set = Add("runs", table, "abc");
  ASSERT_TRUE(set.ok()) << set.error().Describe();
  EXPECT_EQ(set->name, "runs");
  EXPECT_EQ(set->source, "runs.csv");
  EXPECT_EQ(set->fingerprint, "abc");
  EXPECT_EQ(set->row_count, 5000);

  Reopen();
  const auto loaded = store_->LoadSamples("runs");
  ASSERT_TRUE(loaded.ok()) << loaded.error().Describe();
  EXPECT_EQ(Difference(*loaded, table), "");
  EXPECT_NE(loaded->source.find("samples 'runs' of "), std::string::npos);
  EXPECT_TRUE(loaded->lines.empty());
}

TEST_P(StoreContract, HardNumbersAndNamesComeBackToTheLastBit) {
  const core::Table table = MakeHardTable();
  const auto set = Add("hard", table);
  ASSERT_TRUE(set.ok()) << set.error().Describe();
  EXPECT_EQ(set->source, table.source);
  const auto loaded = store_->LoadSamples("hard");
  ASSERT_TRUE(loaded.ok()) << loaded.error().Describe();
  EXPECT_EQ(Difference(*loaded, table), "");
}

TEST_P(StoreContract, TablesWithoutRowsOrColumnsAreTables) {
  core::Table no_columns;
  no_columns.row_count = 3;
  for (const core::Table& table : {MakeTable(0), core::Table(), no_columns}) {
    ASSERT_TRUE(Add("empty", table).ok());
    const auto loaded = store_->LoadSamples("empty");
    ASSERT_TRUE(loaded.ok()) << loaded.error().Describe();
    EXPECT_EQ(Difference(*loaded, table), "");
    ASSERT_TRUE(store_->RemoveSampleSet("empty").ok());
  }
}

TEST_P(StoreContract, SetsAreListedOldestFirst) {
  for (const char* name : {"b", "a", "c"}) ASSERT_TRUE(Add(name, MakeTable(2)).ok());
  const auto sets = store_->ListSampleSets();
  ASSERT_TRUE(sets.ok());
  ASSERT_EQ(sets->size(), 3U);
  EXPECT_EQ((*sets)[0].name, "b");
  EXPECT_EQ((*sets)[1].name, "a");
  EXPECT_EQ((*sets)[2].name, "c");
  EXPECT_LT((*sets)[0].imported_at, (*sets)[1].imported_at);
  EXPECT_EQ((*sets)[2].row_count, 2);
}

TEST_P(StoreContract, TheOldestSetOfAFingerprintIsFound) {
  ASSERT_TRUE(Add("first", MakeTable(1), "same").ok());
  ASSERT_TRUE(Add("second", MakeTable(1), "same").ok());
  const auto found = store_->FindSampleSetByFingerprint("same");
  ASSERT_TRUE(found.ok());
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->name, "first");
  const auto none = store_->FindSampleSetByFingerprint("other");
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
}

TEST_P(StoreContract, ATakenNameIsRefusedAndNamed) {
  ASSERT_TRUE(Add("runs", MakeTable(3)).ok());
  const auto again = Add("runs", MakeTable(9));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code(), ErrorCode::kBadInput);
  EXPECT_NE(again.error().message().find("'runs'"), std::string::npos);
  EXPECT_EQ(store_->LoadSamples("runs")->row_count, 3U);
}

TEST_P(StoreContract, BadNamesAreRefused) {
  const std::string_view bad[] = {"",         "a\nb",         "a\xff",
                                  "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80"};
  for (const std::string_view name : bad) {
    EXPECT_EQ(Add(std::string(name), MakeTable(1)).error().code(), ErrorCode::kBadInput) << name;
  }
  EXPECT_TRUE(Add("größe 測量 🚀'; DROP TABLE sample; --", MakeTable(1)).ok());
  EXPECT_EQ(store_->ListSampleSets()->size(), 1U);
}

TEST_P(StoreContract, AnInfiniteNumberIsRefusedWithItsPlace) {
  core::Table table;
  table.source = "runs.csv";
  table.row_count = 2;
  table.lines = {2, 3};
  table.columns.push_back(core::Column::Numbers(
      "time", core::NumberVector::Of({1, std::numeric_limits<double>::infinity()})));
  const auto set = Add("runs", table);
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(set.error().message(), "runs.csv, line 3: column 'time' is infinite");
}

TEST_P(StoreContract, AnUnknownSetIsNotFoundAndTheNearestNameIsSuggested) {
  ASSERT_TRUE(Add("measurements", MakeTable(1)).ok());
  const auto loaded = store_->LoadSamples("mesurements");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(loaded.error().message().find("did you mean 'measurements'"), std::string::npos);
  const auto removed = store_->RemoveSampleSet("x");
  ASSERT_FALSE(removed.ok());
  EXPECT_EQ(removed.error().code(), ErrorCode::kNotFound);
}

TEST_P(StoreContract, ARemovedSetIsGoneAndItsNameFree) {
  ASSERT_TRUE(Add("keep", MakeTable(10)).ok());
  ASSERT_TRUE(Add("runs", MakeTable(10)).ok());
  ASSERT_TRUE(store_->RemoveSampleSet("runs").ok());
  EXPECT_EQ(store_->LoadSamples("runs").error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(Add("runs", MakeTable(4)).ok());
  EXPECT_EQ(Difference(*store_->LoadSamples("runs"), MakeTable(4)), "");
  EXPECT_EQ(Difference(*store_->LoadSamples("keep"), MakeTable(10)), "");
}

TEST_P(StoreContract, ProgressCountsRows) {
  RecordingProgress progress;
  ASSERT_TRUE(store_->AddSampleSet("runs", "f", MakeTable(3000), {}, progress).ok());
  EXPECT_EQ(progress.total_, 3000U);
  EXPECT_EQ(progress.done_, 3000U);
  EXPECT_EQ(progress.ends_, 1);
}

TEST_P(StoreContract, AStoppedImportLeavesNothing) {
  ASSERT_TRUE(Add("old", MakeTable(5)).ok());
  std::stop_source source;
  RecordingProgress progress;
  progress.on_advance = [&] { source.request_stop(); };
  const auto set =
      store_->AddSampleSet("new", "f2", MakeTable(50000), source.get_token(), progress);
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().code(), ErrorCode::kInterrupted);
  EXPECT_LT(progress.done_, 50000U);
  EXPECT_EQ(progress.ends_, 1);
  EXPECT_EQ(store_->ListSampleSets()->size(), 1U);
  EXPECT_FALSE(store_->FindSampleSetByFingerprint("f2")->has_value());
  EXPECT_TRUE(Add("new", MakeTable(5)).ok());
}

TEST_P(StoreContract, AStopRequestedAtTheLastRowStillLeavesNothing) {
  std::stop_source source;
  RecordingProgress progress;
  progress.on_advance = [&] { source.request_stop(); };
  const auto set = store_->AddSampleSet("new", "f", MakeTable(3), source.get_token(), progress);
  ASSERT_FALSE(set.ok());
  EXPECT_TRUE(store_->ListSampleSets()->empty());
}

}  // namespace
}  // namespace reckon::store::testing
