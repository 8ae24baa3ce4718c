#include "base/folder.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "base/file.h"
#include "tests/support/temp_folder.h"

namespace reckon::base {
namespace {

namespace fs = std::filesystem;

size_t Entries(const fs::path& folder) {
  return static_cast<size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFolder, AppearsWhole) {
  const support::TempFolder folder;
  AtomicFolder results = AtomicFolder::Create(folder / "out/").value();
  ASSERT_TRUE(results.Write("a.txt", "a").ok());
  EXPECT_FALSE(fs::exists(folder / "out"));
  ASSERT_TRUE(results.Commit().ok());
  EXPECT_EQ(ReadFile(folder / "out/a.txt").value(), "a");
  EXPECT_EQ(Entries(folder.path()), 1);
}

TEST(AtomicFolder, LeavesNothingWithoutCommit) {
  const support::TempFolder folder;
  {
    AtomicFolder results = AtomicFolder::Create(folder / "out").value();
    ASSERT_TRUE(results.Write("a.txt", "a").ok());
    const AtomicFolder moved = std::move(results);
  }
  EXPECT_EQ(Entries(folder.path()), 0);
}

TEST(AtomicFolder, TakesThePlaceOfAnEmptyFolderOnly) {
  const support::TempFolder folder;
  fs::create_directory(folder / "out");
  EXPECT_TRUE(CheckFreeFolder(folder / "out", "-o").ok());
  AtomicFolder results = AtomicFolder::Create(folder / "out").value();
  ASSERT_TRUE(results.Write("a.txt", "a").ok());
  ASSERT_TRUE(results.Commit().ok());
  EXPECT_EQ(CheckFreeFolder(folder / "out", "-o").error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(CheckFreeFolder(folder / "out/a.txt", "-o").error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(CheckFreeFolder(folder / "no/out", "-o").error().code(), ErrorCode::kBadInput);
  AtomicFolder second = AtomicFolder::Create(folder / "out").value();
  ASSERT_TRUE(second.Write("b.txt", "b").ok());
  EXPECT_FALSE(second.Commit().ok());
  EXPECT_FALSE(fs::exists(folder / "out/b.txt"));
}

TEST(AtomicFolder, NeedsTheFolderAbove) {
  const support::TempFolder folder;
  EXPECT_EQ(AtomicFolder::Create(folder / "no/out").error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace reckon::base
