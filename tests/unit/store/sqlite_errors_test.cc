// What a user can do to a SqliteStore, and what it answers.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "store/sqlite/connection.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/unit/store/support.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class SqliteErrorsTest : public ::testing::Test {
 protected:
  base::Result<std::unique_ptr<SqliteStore>> Open(const std::filesystem::path& path,
                                                  const OpenOptions& options = {}) {
    return SqliteStore::Open(path, clock_, options);
  }

  // A store with a set "runs" of 2000 rows.
  std::filesystem::path MakeStore() {
    const auto store = Open(path_);
    EXPECT_TRUE(store.ok());
    base::NoProgress progress;
    EXPECT_TRUE((*store)->AddSampleSet("runs", "f", MakeTable(2000), {}, progress).ok());
    return path_;
  }

  void ExpectNotAStore(const std::filesystem::path& path) {
    const std::string before = Bytes(path);
    const auto store = Open(path);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code(), ErrorCode::kCorrupt);
    EXPECT_EQ(store.error().message(),
              "'" + path.string() + "' is not a Reckon store or is damaged");
    EXPECT_EQ(Bytes(path), before);
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
      EXPECT_FALSE(std::filesystem::exists(path.string() + suffix)) << suffix;
    }
  }

  FakeClock clock_;
  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "x.db";
};

TEST_F(SqliteErrorsTest, ALockedStoreIsUnavailableAfterTheTimeout) {
  MakeStore();
  const auto other = SqliteConnection::Open(path_, {});
  ASSERT_TRUE((*other)->Execute("BEGIN IMMEDIATE").ok());
  const auto store = Open(path_, {.busy_timeout = milliseconds(50)});
  ASSERT_TRUE(store.ok()) << store.error().Describe();
  EXPECT_TRUE((*store)->LoadSamples("runs").ok()) << "readers do not wait for writers";
  const auto added =
      (*store)->AddEvent({.id = 0, .run_id = {}, .kind = "k", .detail = "", .at = {}});
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(added.error().message(),
            "store '" + path_.string() + "' is locked by another process (waited 50 ms)");
  ASSERT_TRUE((*other)->Execute("ROLLBACK").ok());
  EXPECT_TRUE(
      (*store)->AddEvent({.id = 0, .run_id = {}, .kind = "k", .detail = "", .at = {}}).ok());
}

TEST_F(SqliteErrorsTest, AFileLockedByAnotherProgramIsUnavailable) {
  MakeStore();
  const auto other = SqliteConnection::Open(path_, {});
  ASSERT_TRUE((*other)->Execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").ok());
  const auto store = Open(path_, {.busy_timeout = milliseconds(20)});
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), ErrorCode::kUnavailable);
}

TEST_F(SqliteErrorsTest, TextIsNotAStore) {
  std::ofstream(path_) << "workers,time\n4,10\n";
  ExpectNotAStore(path_);
  std::ofstream(path_) << std::string(5000, 'x');
  ExpectNotAStore(path_);
}

TEST_F(SqliteErrorsTest, ATruncatedStoreIsDamaged) {
  MakeStore();
  const auto size = std::filesystem::file_size(path_);
  for (const uintmax_t keep : {size - 4096, size / 2, uintmax_t{4096}, uintmax_t{50}}) {
    std::filesystem::resize_file(path_, keep);
    const auto store = Open(path_);
    ASSERT_FALSE(store.ok()) << keep;
    EXPECT_EQ(store.error().code(), ErrorCode::kCorrupt);
    EXPECT_THAT(store.error().message(), HasSubstr("is not a Reckon store or is damaged"));
  }
}

TEST_F(SqliteErrorsTest, OverwrittenPagesAreDamage) {
  MakeStore();
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    const auto pages = static_cast<std::streamsize>(std::filesystem::file_size(path_)) - 4096;
    for (std::streamsize i = 0; i < pages; ++i) file.put('\x5a');
  }
  const auto store = Open(path_);
  const auto table = store.ok() ? (*store)->LoadSamples("runs") : store.error();
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code(), ErrorCode::kCorrupt);
}

TEST_F(SqliteErrorsTest, ADatabaseOfAnotherProgramIsLeftAlone) {
  for (const char* sql :
       {"CREATE TABLE theirs (x)", "PRAGMA application_id = 7; PRAGMA user_version = 1; VACUUM",
        "CREATE TABLE theirs (x); PRAGMA user_version = 1",
        "PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)"}) {
    std::filesystem::remove(path_);
    ASSERT_TRUE((*SqliteConnection::Open(path_, {}))->Execute(sql).ok()) << sql;
    ExpectNotAStore(path_);
  }
}

TEST_F(SqliteErrorsTest, ADatabaseWhoseTablesAreStillInItsLogIsLeftAlone) {
  ASSERT_TRUE((*SqliteConnection::Open(path_, {}))->Execute("PRAGMA journal_mode = WAL").ok());
  const auto owner = SqliteConnection::Open(path_, {});
  ASSERT_TRUE((*owner)->Execute("CREATE TABLE theirs (x)").ok());
  EXPECT_EQ(Open(path_).error().code(), ErrorCode::kCorrupt);
}

TEST_F(SqliteErrorsTest, AnEmptyFileOrDatabaseBecomesAStore) {
  std::ofstream(path_).close();
  EXPECT_TRUE(Open(path_).ok());
  std::filesystem::remove(path_);
  ASSERT_TRUE((*SqliteConnection::Open(path_, {}))->Execute("PRAGMA user_version = 0").ok());
  ASSERT_GT(std::filesystem::file_size(path_), 0U);
  EXPECT_TRUE(Open(path_).ok());
}

TEST_F(SqliteErrorsTest, ANewerStoreIsRefused) {
  MakeStore();
  ASSERT_TRUE((*SqliteConnection::Open(path_, {}))->Execute("PRAGMA user_version = 1000").ok());
  const auto store = Open(path_);
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), ErrorCode::kBadInput);
  EXPECT_THAT(store.error().message(),
              HasSubstr("store '" + path_.string() +
                        "' was written by a newer Reckon (schema 1000, this program knows "));
}

TEST_F(SqliteErrorsTest, AMissingFolderIsNamed) {
  const auto store = Open(folder_ / "none/x.db");
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(store.error().message(),
              HasSubstr("folder '" + (folder_ / "none").string() + "' does not exist"));
}

TEST_F(SqliteErrorsTest, AFileInThePlaceOfAFolderIsNamed) {
  std::ofstream(folder_ / "file") << "x";
  const auto store = Open(folder_ / "file/x.db");
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(store.error().message(),
              HasSubstr("folder '" + (folder_ / "file").string() + "' is not a folder"));
}

TEST_F(SqliteErrorsTest, FoldersAndPipesAreNoStores) {
  EXPECT_THAT(Open(folder_.path()).error().message(), HasSubstr("is a folder, not a store"));
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(Open(folder_ / "pipe").error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(Open("").error().code(), ErrorCode::kBadInput);
}

TEST_F(SqliteErrorsTest, WithoutCreateAMissingStoreIsNotFound) {
  const auto store = Open(path_, {.create = false});
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(path_));
  MakeStore();
  EXPECT_TRUE(Open(path_, {.create = false}).ok());
}

TEST_F(SqliteErrorsTest, NamesThatSqliteWouldInterpretAreFiles) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  for (const char* name : {":memory:", "file:a?mode=memory", "-x"}) {
    EXPECT_TRUE(Open(name).ok()) << name;
    EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
  }
  std::filesystem::current_path(before);
}

TEST_F(SqliteErrorsTest, DamagedSamplesAreCorruptNotACrash) {
  MakeStore();
  for (const char* sql :
       {"UPDATE sample SET cells = '[1,2]' WHERE row = 5",
        "UPDATE sample SET cells = '' WHERE row = 5",
        "UPDATE sample SET cells = '[1,2,9]' WHERE row = 5",
        "UPDATE sample SET cells = '[70000,2,1]' WHERE row = 5",
        "UPDATE sample SET cells = '[1,2,0.5]' WHERE row = 5",
        "UPDATE sample SET cells = '[1,inf,1]' WHERE row = 5",
        "UPDATE sample SET cells = '[1,1e999,1]' WHERE row = 5",
        "UPDATE sample SET cells = '[1,2,1,]' WHERE row = 5", "DELETE FROM sample WHERE row = 5",
        "DELETE FROM sample", "UPDATE sample_set SET row_count = 9000000000000000000",
        "UPDATE sample_set SET columns = '7'", "UPDATE sample_set SET columns = '[{}]'"}) {
    SCOPED_TRACE(sql);
    std::filesystem::remove(path_);
    MakeStore();
    ASSERT_TRUE((*SqliteConnection::Open(path_, {}))->Execute(sql).ok());
    const auto store = Open(path_);
    const auto table = (*store)->LoadSamples("runs");
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.error().code(), ErrorCode::kCorrupt) << table.error().Describe();
  }
}

TEST_F(SqliteErrorsTest, EventsCannotBeChangedBehindOurBack) {
  {
    const auto store = Open(path_);
    ASSERT_TRUE(
        (*store)->AddEvent({.id = 0, .run_id = {}, .kind = "k", .detail = "", .at = {}}).ok());
  }
  const auto connection = SqliteConnection::Open(path_, {});
  EXPECT_THAT((*connection)->Execute("DELETE FROM event").error().message(),
              HasSubstr("events are never deleted"));
  EXPECT_THAT((*connection)->Execute("UPDATE event SET kind = 'x'").error().message(),
              HasSubstr("events are never changed"));
}

}  // namespace
}  // namespace reckon::store::testing
