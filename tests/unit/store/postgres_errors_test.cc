// What a user, an operator and other programs can do to a PostgresStore, and what it answers.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/postgres/connection.h"
#include "store/postgres/postgres_store.h"
#include "tests/unit/store/postgres_place.h"
#include "tests/unit/store/support.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const core::Event kSomething{.id = 0, .run_id = {}, .kind = "k", .detail = "", .at = {}};

class PostgresErrorsTest : public ::testing::Test {
 protected:
  base::Result<std::unique_ptr<PostgresStore>> Open(const std::string& url,
                                                    const OpenOptions& options = {}) {
    return PostgresStore::Open(StoreAddress(url), clock_, options);
  }
  // A store with a set "runs" of 2000 rows.
  std::unique_ptr<PostgresStore> MakeStore() {
    auto store = Open(url_);
    EXPECT_TRUE(store.ok()) << store.error().Describe();
    base::NoProgress progress;
    EXPECT_TRUE((*store)->AddSampleSet("runs", "f", MakeTable(2000), {}, progress).ok());
    return *std::move(store);
  }
  std::string Run(const std::string& sql) { return SharedServer().Run(DatabaseOf(url_), sql); }
  std::string Tables() {
    return Run(
        "SELECT string_agg(nspname || '.' || relname, ' ' ORDER BY nspname, relname) FROM pg_class"
        " JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind IN ('r', 'v')"
        " AND nspname NOT IN ('pg_catalog', 'information_schema')");
  }

  FakeClock clock_;
  std::string url_ = SharedServer().NewDatabase();
};

TEST_F(PostgresErrorsTest, ALockedStoreIsUnavailableAfterTheTimeout) {
  MakeStore();
  const auto other = PostgresConnection::Open(StoreAddress(url_), {});
  ASSERT_TRUE((*other)->BeginWrite().ok());
  const auto store = Open(url_, {.busy_timeout = milliseconds(50)});
  ASSERT_TRUE(store.ok()) << store.error().Describe();
  EXPECT_TRUE((*store)->LoadSamples("runs").ok()) << "readers do not wait for writers";
  const auto added = (*store)->AddEvent(kSomething);
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(added.error().message(), HasSubstr("is locked by another process (waited 50 ms)"));
  (*other)->Rollback();
  EXPECT_TRUE((*store)->AddEvent(kSomething).ok());
}

TEST_F(PostgresErrorsTest, AServerThatIsAwayIsUnavailable) {
  for (const char* url : {"postgresql:///x?host=/nowhere/at/all", "postgres://me@127.0.0.1:1/x"}) {
    const auto store = Open(url);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code(), ErrorCode::kUnavailable) << store.error().Describe();
    EXPECT_THAT(store.error().message(), HasSubstr("cannot be reached"));
  }
}

TEST_F(PostgresErrorsTest, WhatIsNotThereIsNotFound) {
  const auto database = Open(SharedServer().Url("nobodys"));
  ASSERT_FALSE(database.ok());
  EXPECT_EQ(database.error().code(), ErrorCode::kNotFound) << database.error().Describe();
  EXPECT_THAT(database.error().message(), HasSubstr("database \"nobodys\" does not exist"));
  EXPECT_THAT(database.error().message(), Not(HasSubstr("3D000")));
  const auto schema = Open(url_ + "&options=-csearch_path%3Dnone");
  EXPECT_EQ(schema.error().code(), ErrorCode::kNotFound);
  const auto store = Open(url_, {.create = false});
  EXPECT_EQ(store.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(Tables(), "");
  MakeStore();
  EXPECT_TRUE(Open(url_, {.create = false}).ok());
}

TEST_F(PostgresErrorsTest, ABadAddressIsRefusedAndKeepsItsPasswordToItself) {
  for (const char* url :
       {"postgresql://me:sec%zzret@host/db", "postgresql://me:secret@ret@nowhere.invalid/db",
        "postgresql://me:sec/secret@host/db", "postgresql://me:secret@host/db?passwrod=secret",
        "postgresql://me:secret@host:port/db", "postgresql://me@127.0.0.1:1/db?password=secret",
        "postgresql://me:secret@127.0.0.1:1/db"}) {
    const auto store = Open(url);
    ASSERT_FALSE(store.ok()) << url;
    EXPECT_THAT(store.error().Describe(),
                AllOf(Not(HasSubstr("secret")), Not(HasSubstr("sec/")), Not(HasSubstr("sec%")),
                      Not(HasSubstr("ret@")), HasSubstr("postgresql://me@")))
        << url;
  }
  EXPECT_EQ(Open("postgresql://me:sec%zzret@host/db").error().code(), ErrorCode::kBadInput);
}

TEST_F(PostgresErrorsTest, WhoMayNotComeInIsTold) {
  const auto store = Open(url_ + "&user=stranger");
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), ErrorCode::kBadInput);
  EXPECT_THAT(store.error().message(), HasSubstr("role \"stranger\" does not exist"));
}

TEST_F(PostgresErrorsTest, WhoMayNotWriteIsTold) {
  MakeStore();
  Run("DROP ROLE IF EXISTS reader");
  Run("CREATE ROLE reader LOGIN");
  Run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
  const auto store = Open(url_ + "&user=reader");
  ASSERT_TRUE(store.ok()) << store.error().Describe();
  EXPECT_TRUE((*store)->LoadSamples("runs").ok());
  const auto added = (*store)->AddEvent(kSomething);
  EXPECT_EQ(added.error().code(), ErrorCode::kIo) << added.error().Describe();
  EXPECT_THAT(added.error().message(), HasSubstr("permission denied"));
}

TEST_F(PostgresErrorsTest, AReadOnlyDatabaseIsNamed) {
  const auto store = Open(url_);
  Run("ALTER DATABASE " + DatabaseOf(url_) + " SET default_transaction_read_only = on");
  const auto again = Open(url_);
  ASSERT_TRUE(again.ok()) << again.error().Describe();
  const auto added = (*again)->AddEvent(kSomething);
  EXPECT_EQ(added.error().code(), ErrorCode::kIo);
  EXPECT_THAT(added.error().message(), HasSubstr("is read-only"));
}

TEST_F(PostgresErrorsTest, ADatabaseOfAnotherProgramIsLeftAlone) {
  for (const char* sql : {"CREATE TABLE run (id int, name text)", "CREATE TABLE theirs (x int)",
                          "CREATE TABLE reckon_schema (version text)",
                          "CREATE TABLE reckon_schema (version bigint, application text)",
                          "CREATE TABLE reckon_schema (version bigint, application text);"
                          "INSERT INTO reckon_schema VALUES (3, 'Other')",
                          "CREATE VIEW event AS SELECT 1 AS id", "CREATE SEQUENCE model"}) {
    url_ = SharedServer().NewDatabase();
    Run(sql);
    const std::string before = Tables();
    const auto store = Open(url_);
    ASSERT_FALSE(store.ok()) << sql;
    EXPECT_EQ(store.error().code(), ErrorCode::kCorrupt) << sql;
    EXPECT_THAT(store.error().message(), HasSubstr("schema 'public' of 'postgresql:///"));
    EXPECT_EQ(Tables(), before) << sql;
  }
}

TEST_F(PostgresErrorsTest, AStoreMayHaveASchemaOfItsOwnBesideOthers) {
  Run("CREATE TABLE run (id int); CREATE SCHEMA \"Team A\"; CREATE SCHEMA b");
  const auto first = Open(url_ + "&options=-csearch_path%3D%22Team%5C%20A%22");
  ASSERT_TRUE(first.ok()) << first.error().Describe();
  const auto second = Open(url_ + "&options=-csearch_path%3Db");
  ASSERT_TRUE(second.ok()) << second.error().Describe();
  ASSERT_TRUE((*first)->AddEvent(kSomething).ok());
  EXPECT_EQ((*second)->NewestEventId().value(), 0);
  EXPECT_EQ(Run("SELECT count(*) FROM \"Team A\".event"), "1");
  // The one does not wait for the other.
  const auto other =
      PostgresConnection::Open(StoreAddress(url_ + "&options=-csearch_path%3Db"), {});
  ASSERT_TRUE((*other)->BeginWrite().ok());
  EXPECT_TRUE((*first)->AddEvent(kSomething).ok());
  (*other)->Rollback();
}

TEST_F(PostgresErrorsTest, AnotherEncodingIsRefused) {
  const auto store = Open(SharedServer().NewDatabase("ENCODING 'LATIN1' TEMPLATE template0"));
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), ErrorCode::kBadInput);
  EXPECT_THAT(store.error().message(), HasSubstr("encoding LATIN1"));
}

TEST_F(PostgresErrorsTest, ANewerStoreIsRefused) {
  MakeStore();
  Run("UPDATE reckon_schema SET version = 1000");
  const auto store = Open(url_);
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), ErrorCode::kBadInput);
  EXPECT_THAT(store.error().message(),
              HasSubstr("was written by a newer Reckon (schema 1000, this program knows "));
}

TEST_F(PostgresErrorsTest, DamageOfTheSchemaIsCorrupt) {
  for (const char* sql : {"DROP TABLE sample", "ALTER TABLE sample DROP COLUMN cells",
                          "ALTER TABLE sample_set ALTER COLUMN name TYPE bigint USING 1"}) {
    url_ = SharedServer().NewDatabase();
    const auto store = MakeStore();
    Run(sql);
    const auto later = Open(url_);
    ASSERT_TRUE(later.ok()) << later.error().Describe();
    for (Store* const one : {store.get(), later->get()}) {
      const auto loaded = one->LoadSamples("runs");
      ASSERT_FALSE(loaded.ok()) << sql;
      EXPECT_EQ(loaded.error().code(), ErrorCode::kCorrupt) << loaded.error().Describe();
    }
  }
}

TEST_F(PostgresErrorsTest, DamagedSamplesAreCorruptNotACrash) {
  for (const char* sql :
       {"UPDATE sample SET cells = '[1,2]' WHERE row = 5",
        "UPDATE sample SET cells = '' WHERE row = 5", "DELETE FROM sample WHERE row = 5",
        "DELETE FROM sample", "UPDATE sample_set SET row_count = 9000000000000000000",
        "UPDATE sample_set SET columns = '7'"}) {
    url_ = SharedServer().NewDatabase();
    MakeStore();
    Run(sql);
    const auto table = Open(url_).value()->LoadSamples("runs");
    ASSERT_FALSE(table.ok()) << sql;
    EXPECT_EQ(table.error().code(), ErrorCode::kCorrupt) << table.error().Describe();
  }
}

TEST_F(PostgresErrorsTest, EventsCannotBeChangedBehindOurBack) {
  ASSERT_TRUE(Open(url_).value()->AddEvent(kSomething).ok());
  const auto connection = PostgresConnection::Open(StoreAddress(url_), {});
  EXPECT_THAT((*connection)->Execute("DELETE FROM event").error().message(),
              HasSubstr("events are never deleted"));
  EXPECT_THAT((*connection)->Execute("TRUNCATE event").error().message(),
              HasSubstr("events are never deleted"));
  EXPECT_THAT((*connection)->Execute("UPDATE event SET kind = 'x'").error().message(),
              HasSubstr("events are never changed"));
}

// Settings of a database or a role change neither numbers nor what is on disk.
TEST_F(PostgresErrorsTest, SettingsOfTheDatabaseDoNotReachIn) {
  const std::string name = DatabaseOf(url_);
  for (const char* setting :
       {"extra_float_digits = -15", "synchronous_commit = off", "bytea_output = escape",
        "standard_conforming_strings = off", "default_transaction_isolation = serializable",
        "statement_timeout = '1ms'", "lc_messages = 'C'", "search_path = pg_catalog, public"}) {
    Run("ALTER DATABASE " + name + " SET " + setting);
  }
  const auto store =
      Open(url_.substr(0, url_.find("&options")) + "&options=-csearch_path%3Dpublic");
  ASSERT_TRUE(store.ok()) << store.error().Describe();
  base::NoProgress progress;
  const core::Table table = MakeHardTable();
  ASSERT_TRUE((*store)->AddSampleSet("hard", "f", table, {}, progress).ok());
  EXPECT_EQ(Difference(*(*store)->LoadSamples("hard"), table), "");
  EXPECT_EQ((*store)->ListSampleSets()->front().source, table.source);
  const int64_t model = (*store)->SaveModel({.name = "m", .document = "{}"}).value();
  const core::ForecastRecord forecast{
      .model_id = model, .question = "{}", .forecast = {.predicted = 1.0 / 3}};
  ASSERT_TRUE((*store)->AddForecasts({&forecast, 1}).ok());
  EXPECT_EQ((*store)->ListForecasts(model)->front().forecast.predicted, 1.0 / 3);
}

TEST(StoreAddressTest, NamesShowNoSecrets) {
  const std::pair<const char*, const char*> cases[] = {
      {"reckon.db", "reckon.db"},
      {"dir/postgresql.db", "dir/postgresql.db"},
      {"postgres://h/db", "postgresql://h/db"},
      {"postgresql://u@h:5433/db", "postgresql://u@h:5433/db"},
      {"postgresql://u:pw@h/db", "postgresql://u@h/db"},
      {"postgresql://u:p@w@h/db", "postgresql://u@h/db"},
      {"postgresql://u:p/w@h/db", "postgresql://u@h/db"},
      {"postgresql://:pw@h/db", "postgresql://@h/db"},
      {"postgresql:///db?host=/run/pg&password=pw&user=u&sslpassword=pw",
       "postgresql:///db?host=/run/pg&user=u"},
      {"postgresql://h/db?%70assword=pw", "postgresql://h/db"},
  };
  for (const auto& [given, shown] : cases) {
    EXPECT_EQ(StoreAddress(given).name(), shown);
    EXPECT_EQ(StoreAddress(given).text(), given);
  }
}

}  // namespace
}  // namespace reckon::store::testing
