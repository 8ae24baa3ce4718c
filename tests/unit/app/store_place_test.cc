#include "app/store_place.h"

#include <cstdlib>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/runs/run_files.h"
#include "base/json.h"
#include "tests/support/temp_folder.h"

namespace reckon::app {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

core::Run RunKept(const RunsMark& mark) {
  core::Run run;
  run.plan = base::DumpJsonLine(base::Json{{"engine", "local"}, {"kept", ToJson(mark)}});
  return run;
}

class StorePlaceTest : public ::testing::Test {
 protected:
  support::TempFolder folder_;
};

TEST_F(StorePlaceTest, RunsOfAFileLieBesideItUnlessToldOtherwise) {
  const std::string folder = folder_.path().string();
  EXPECT_EQ(RunFolderPath(folder_ / "a.db", 7), folder + "/a.runs/7");
  EXPECT_EQ(RunFolderPath(folder_ / "a.sqlite", 7), folder + "/a.sqlite.runs/7");
  EXPECT_EQ(RunFolderPath({folder_ / "a.db", folder_ / "b"}, 7), folder + "/b/7");
  EXPECT_TRUE(StorePlace(folder_ / "a.db").KeepsRunsBeside());
  EXPECT_FALSE(StorePlace(folder_ / "a.db", folder_ / "b").KeepsRunsBeside());
}

TEST_F(StorePlaceTest, RunsOfADatabaseHaveAFolderNamedAfterItWithoutThePassword) {
  setenv("XDG_STATE_HOME", folder_.path().c_str(), 1);
  const auto of = [](const char* url) { return StorePlace(url).RunsFolder().string(); };
  const std::string one = of("postgresql://me:secret@db.org:5433/team");
  EXPECT_THAT(one, AllOf(StartsWith((folder_ / "reckon/me@db.org_5433_team-").string()),
                         EndsWith(".runs"), Not(HasSubstr("secret"))));
  EXPECT_EQ(one, of("postgres://me:other@db.org:5433/team"));
  EXPECT_NE(one, of("postgresql://me@db.org:5433/team?options=-csearch_path%3Da"));
  EXPECT_NE(of("postgresql://h/a_b"), of("postgresql://h/a/b"));
  EXPECT_FALSE(StorePlace("postgresql://h/a").KeepsRunsBeside());
  EXPECT_EQ(StorePlace("postgresql://me:secret@h/a").ForPrograms(), "postgresql://me:secret@h/a");
  unsetenv("XDG_STATE_HOME");
}

TEST_F(StorePlaceTest, ARunIsKeptWhereItsMarkIs) {
  const StorePlace here("postgresql://h/db", folder_ / "here");
  const StorePlace there("postgresql://h/db", folder_ / "there");
  const auto mark = ClaimRunsFolder(here);
  ASSERT_TRUE(mark.ok()) << mark.error().Describe();
  EXPECT_EQ(ClaimRunsFolder(here)->mark, mark->mark);
  EXPECT_EQ(KeptElsewhere(here, RunKept(*mark)), "");
  EXPECT_THAT(KeptElsewhere(there, RunKept(*mark)), HasSubstr((folder_ / "here").string()));
  ASSERT_TRUE(ClaimRunsFolder(there).ok());
  EXPECT_NE(KeptElsewhere(there, RunKept(*mark)), "");
  // Runs of a store with its folder beside it say nothing, and are looked for there.
  core::Run run;
  EXPECT_EQ(KeptElsewhere(there, run), "");
  run.plan = R"({"engine":"local"})";
  EXPECT_EQ(KeptElsewhere(folder_ / "a.db", run), "");
}

TEST_F(StorePlaceTest, AFolderIsOfOneStore) {
  const StorePlace first("postgresql://me:secret@h/one", folder_ / "runs");
  ASSERT_TRUE(ClaimRunsFolder(first).ok());
  const auto second = ClaimRunsFolder({"postgresql://h/two", folder_ / "runs"});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), base::ErrorCode::kBadInput);
  EXPECT_THAT(second.error().message(),
              AllOf(HasSubstr("keeps the runs of 'postgresql://me@h/one'"),
                    HasSubstr("--runs-folder"), Not(HasSubstr("secret"))));
  folder_.Write("runs/store.json", "{}");
  EXPECT_EQ(ClaimRunsFolder(first).error().code(), base::ErrorCode::kCorrupt);
}

TEST_F(StorePlaceTest, OfProgramsThatStartAtOnceAllHaveTheSameMark) {
  const StorePlace place("postgresql://h/db", folder_ / "runs");
  std::vector<std::string> marks(8);
  std::vector<std::jthread> programs;
  for (std::string& mark : marks) {
    programs.emplace_back([&mark, &place] { mark = ClaimRunsFolder(place).value().mark; });
  }
  programs.clear();
  for (const std::string& mark : marks) EXPECT_EQ(mark, marks[0]);
}

}  // namespace
}  // namespace reckon::app
