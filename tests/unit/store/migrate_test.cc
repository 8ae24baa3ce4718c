#include "store/sqlite/migrate.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sqlite/connection.h"
#include "store/sqlite/store_file.h"
#include "tests/unit/store/support.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;
using ::testing::HasSubstr;

// Versions 1 to 4 of an imaginary schema; the third rebuilds a table others refer to.
std::vector<Migration> Synthetic() {
  return {
      {"0001_a",
       "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO a VALUES (1, 'one')"},
      {"0002_b",
       "CREATE TABLE b (a_id INTEGER REFERENCES a (id) ON DELETE CASCADE);"
       "INSERT INTO b VALUES (1)"},
      {"0003_rebuild",
       "CREATE TABLE a_new (id INTEGER PRIMARY KEY, x TEXT NOT NULL, y INTEGER NOT NULL);"
       "INSERT INTO a_new SELECT id, x, 7 FROM a; DROP TABLE a; ALTER TABLE a_new RENAME TO a"},
      {"0004_update", "UPDATE a SET y = y + 1"},
  };
}

class MigrateTest : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteConnection> Connect() {
    auto connection = SqliteConnection::Open(folder_ / "x.db", {});
    return std::move(connection).value();
  }

  // A store at `version`, closed again.
  void MakeVersion(size_t version) {
    const auto connection = Connect();
    const auto migrations = Synthetic();
    const auto done = Migrate(*connection, std::span(migrations).first(version));
    ASSERT_TRUE(done.ok()) << done.error().Describe();
  }

  int64_t Ask(const char* sql) {
    const auto answer = Connect()->QueryInteger(sql);
    return answer.ok() ? *answer : -1;
  }

  TempFolder folder_;
};

TEST_F(MigrateTest, EveryEarlierVersionReachesTheLatest) {
  for (size_t version = 0; version <= 4; ++version) {
    std::filesystem::remove(folder_ / "x.db");
    if (version > 0) MakeVersion(version);
    const auto migrations = Synthetic();
    const auto done = Migrate(*Connect(), migrations);
    ASSERT_TRUE(done.ok()) << done.error().Describe();
    EXPECT_EQ(Ask("PRAGMA user_version"), 4);
    EXPECT_EQ(Ask("PRAGMA application_id"), kApplicationId);
    EXPECT_EQ(Ask("SELECT y FROM a WHERE x = 'one'"), 8) << "from version " << version;
    EXPECT_EQ(Ask("SELECT count(*) FROM b"), 1);
  }
}

TEST_F(MigrateTest, ForeignKeysAreOnAfterwards) {
  const auto connection = Connect();
  ASSERT_TRUE(Migrate(*connection, Synthetic()).ok());
  EXPECT_EQ(*connection->QueryInteger("PRAGMA foreign_keys"), 1);
}

TEST_F(MigrateTest, AFailingMigrationLeavesTheVersionBeforeIt) {
  MakeVersion(1);
  auto migrations = Synthetic();
  migrations[2].sql = "UPDATE a SET x = 'gone'; DROP TABLE b; CREATE TABLE oops (; ";
  const auto done = Migrate(*Connect(), migrations);
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().Describe(), HasSubstr("stays at schema 2: migration '0003_rebuild'"));
  EXPECT_EQ(Ask("PRAGMA user_version"), 2);
  EXPECT_EQ(Ask("SELECT count(*) FROM a WHERE x = 'one'"), 1);
  EXPECT_EQ(Ask("SELECT count(*) FROM b"), 1);
  EXPECT_TRUE(Migrate(*Connect(), Synthetic()).ok());
  EXPECT_EQ(Ask("SELECT y FROM a"), 8);
}

TEST_F(MigrateTest, AFailingFirstMigrationLeavesAnEmptyFile) {
  const std::vector<Migration> bad{{"0001_bad", "CREATE TABLE a (x); SELECT nonsense"}};
  ASSERT_FALSE(Migrate(*Connect(), bad).ok());
  EXPECT_EQ(Ask("SELECT count(*) FROM sqlite_schema"), 0);
  EXPECT_EQ(Ask("PRAGMA application_id"), 0);
  EXPECT_TRUE(Migrate(*Connect(), Synthetic()).ok());
}

TEST_F(MigrateTest, AMigrationMayNotLeaveDanglingReferences) {
  MakeVersion(2);
  auto migrations = Synthetic();
  migrations[2].sql = "DELETE FROM a";
  const auto done = Migrate(*Connect(), migrations);
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().Describe(), HasSubstr("a row of 'b' refers to nothing"));
  EXPECT_EQ(Ask("SELECT count(*) FROM a"), 1);
}

TEST_F(MigrateTest, ANewerStoreIsRefused) {
  MakeVersion(4);
  const std::string before = Bytes(folder_ / "x.db");
  const auto migrations = Synthetic();
  const auto done = Migrate(*Connect(), std::span(migrations).first(1));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code(), ErrorCode::kBadInput);
  EXPECT_THAT(done.error().message(),
              HasSubstr("was written by a newer Reckon (schema 4, this program knows 1)"));
  EXPECT_EQ(Bytes(folder_ / "x.db"), before);
}

TEST_F(MigrateTest, AFileOfAnotherProgramIsRefused) {
  ASSERT_TRUE(Connect()->Execute("CREATE TABLE theirs (x); PRAGMA user_version = 1").ok());
  const std::string before = Bytes(folder_ / "x.db");
  EXPECT_EQ(Migrate(*Connect(), Synthetic()).error().code(), ErrorCode::kCorrupt);
  ASSERT_TRUE(Connect()->Execute("PRAGMA user_version = 0").ok());
  EXPECT_EQ(Migrate(*Connect(), Synthetic()).error().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(Ask("SELECT count(*) FROM sqlite_schema"), 1);
}

TEST_F(MigrateTest, ProgramsThatStartAtOnceMigrateOnce) {
  MakeVersion(1);
  std::vector<std::jthread> programs;
  std::atomic<int> ok = 0;
  for (int i = 0; i < 6; ++i) {
    programs.emplace_back([&] {
      const auto connection = Connect();
      if (Migrate(*connection, Synthetic()).ok()) ++ok;
    });
  }
  programs.clear();
  EXPECT_EQ(ok, 6);
  EXPECT_EQ(Ask("SELECT y FROM a"), 8);
}

TEST(BuiltInMigrationsTest, AreNamedInOrder) {
  const auto migrations = SqliteMigrations();
  ASSERT_FALSE(migrations.empty());
  for (size_t i = 0; i < migrations.size(); ++i) {
    EXPECT_EQ(std::stoul(migrations[i].name.substr(0, 4)), i + 1) << migrations[i].name;
  }
}

}  // namespace
}  // namespace reckon::store::testing
