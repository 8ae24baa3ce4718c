#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/postgres/connection.h"
#include "store/postgres/migrate.h"
#include "store/postgres/postgres_store.h"
#include "tests/unit/store/postgres_place.h"
#include "tests/unit/store/support.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;
using ::testing::HasSubstr;

std::vector<Migration> ImaginarySteps() {
  return {
      {"0001_a", "CREATE TABLE a (id bigint PRIMARY KEY, x text); INSERT INTO a VALUES (1, 'one')"},
      {"0002_b", "CREATE TABLE b (a_id bigint REFERENCES a (id)); INSERT INTO b VALUES (1)"},
      {"0003_y", "ALTER TABLE a ADD COLUMN y bigint NOT NULL DEFAULT 7"},
      {"0004_update", "UPDATE a SET y = y + 1"},
  };
}

class PostgresMigrateTest : public ::testing::Test {
 protected:
  std::unique_ptr<PostgresConnection> Connect() {
    return PostgresConnection::Open(StoreAddress(url_), {}).value();
  }
  void MakeVersion(size_t version) {
    const auto steps = ImaginarySteps();
    const auto done = Migrate(*Connect(), std::span(steps).first(version));
    ASSERT_TRUE(done.ok()) << done.error().Describe();
  }
  std::string Ask(const char* sql) { return SharedServer().Run(DatabaseOf(url_), sql); }

  std::string url_ = SharedServer().NewDatabase();
};

TEST_F(PostgresMigrateTest, EveryEarlierVersionReachesTheLatest) {
  for (size_t version = 0; version <= 4; ++version) {
    url_ = SharedServer().NewDatabase();
    if (version > 0) MakeVersion(version);
    const auto done = Migrate(*Connect(), ImaginarySteps());
    ASSERT_TRUE(done.ok()) << done.error().Describe();
    EXPECT_EQ(*StoredVersion(*Connect()), 4);
    EXPECT_EQ(Ask("SELECT y FROM a WHERE x = 'one'"), "8") << "from version " << version;
  }
}

TEST_F(PostgresMigrateTest, AFailingMigrationLeavesTheVersionBeforeIt) {
  MakeVersion(1);
  auto steps = ImaginarySteps();
  steps[2].sql = "UPDATE a SET x = 'gone'; DROP TABLE b; CREATE TABLE oops (; ";
  const auto done = Migrate(*Connect(), steps);
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().Describe(), HasSubstr("stays at schema 2: migration '0003_y'"));
  EXPECT_EQ(*StoredVersion(*Connect()), 2);
  EXPECT_EQ(Ask("SELECT x FROM a"), "one");
  EXPECT_TRUE(Migrate(*Connect(), ImaginarySteps()).ok());
  EXPECT_EQ(Ask("SELECT y FROM a"), "8");
}

TEST_F(PostgresMigrateTest, AFailingFirstMigrationLeavesNothing) {
  const std::vector<Migration> bad{{"0001_bad", "CREATE TABLE a (x int); SELECT nonsense"}};
  ASSERT_FALSE(Migrate(*Connect(), bad).ok());
  EXPECT_EQ(Ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
  EXPECT_TRUE(Migrate(*Connect(), ImaginarySteps()).ok());
}

TEST_F(PostgresMigrateTest, ProgramsThatStartAtOnceMigrateOnce) {
  for (const size_t version : {0, 1}) {
    url_ = SharedServer().NewDatabase();
    if (version > 0) MakeVersion(version);
    std::vector<std::jthread> programs;
    std::atomic<int> ok = 0;
    for (int i = 0; i < 8; ++i) {
      programs.emplace_back([&] {
        const auto done = Migrate(*Connect(), ImaginarySteps());
        EXPECT_TRUE(done.ok()) << done.error().Describe();
        if (done.ok()) ++ok;
      });
    }
    programs.clear();
    EXPECT_EQ(ok, 8);
    EXPECT_EQ(Ask("SELECT y FROM a"), "8");
  }
}

// The same version is the same schema, whatever keeps it.
TEST(PostgresMigrationsTest, AreThoseOfSqlite) {
  const auto postgres = PostgresMigrations();
  const auto sqlite = SqliteMigrations();
  ASSERT_EQ(postgres.size(), sqlite.size());
  for (size_t i = 0; i < sqlite.size(); ++i) EXPECT_EQ(postgres[i].name, sqlite[i].name);
}

}  // namespace
}  // namespace reckon::store::testing
