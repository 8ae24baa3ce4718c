#include "store/sqlite/connection.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "store/sqlite/errors.h"

namespace reckon::store {
namespace {

// SQLite gives a meaning to names that begin with ':' or "file:", and to the empty one.
std::string PlainName(const std::filesystem::path& path) {
  const std::string name = path.string();
  return name.starts_with("/") ? name : "./" + name;
}

// The same prepared statement again and again is as fast as SQLite gets.
class SqliteRows final : public SqlRows {
 public:
  explicit SqliteRows(std::unique_ptr<SqlStatement> insert) : insert_(std::move(insert)) {}
  base::Status Finish() override { return {}; }

 private:
  base::Status AddRow(std::span<const SqlValue> values) override {
    return insert_->BindValues(values).Run();
  }

  std::unique_ptr<SqlStatement> insert_;
};

}  // namespace

SqliteConnection::SqliteConnection(sqlite3* db, std::filesystem::path path,
                                   const OpenOptions& options)
    : db_(db), path_(std::move(path)), name_(path_.string()), options_(options) {}

SqliteConnection::~SqliteConnection() {
  for (auto& [sql, statement] : statements_) sqlite3_finalize(statement.handle);
  sqlite3_close(db_);
}

base::Result<std::unique_ptr<SqliteConnection>> SqliteConnection::Open(
    const std::filesystem::path& path, const OpenOptions& options) {
  if (path.empty()) return base::BadInput("the name of the store is empty");
  const int flags = SQLITE_OPEN_READWRITE | (options.create ? SQLITE_OPEN_CREATE : 0) |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(PlainName(path).c_str(), &db, flags, nullptr);
  if (db == nullptr) {
    return base::Error(base::ErrorCode::kFailed,
                       fmt::format("store '{}': out of memory", path.string()));
  }
  std::unique_ptr<SqliteConnection> connection(new SqliteConnection(db, path, options));
  if (code != SQLITE_OK) return connection->Failure(code);
  RECKON_TRY(connection->Configure());
  return connection;
}

base::Status SqliteConnection::Configure() {
  sqlite3_busy_timeout(db_, static_cast<int>(options_.busy_timeout.count()));
  // A store may come from somebody else: nothing in its schema may do more than hold data.
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  // The log of a large import gives its space back instead of staying at its largest size.
  return Execute(
      "PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON;"
      "PRAGMA journal_size_limit = 16777216");
}

base::Status SqliteConnection::Execute(const std::string& sql) {
  const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return Failure(code);
  return {};
}

base::Result<std::unique_ptr<SqlStatement>> SqliteConnection::Prepare(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    if (code != SQLITE_OK) return Failure(code);
    found = statements_.emplace(std::string(sql), CachedStatement{handle, false}).first;
  }
  return std::unique_ptr<SqlStatement>(std::make_unique<SqliteStatement>(*this, found->second));
}

base::Result<std::unique_ptr<SqlRows>> SqliteConnection::AddRows(std::string_view table,
                                                                 std::string_view columns) {
  std::string parameters = "?1";
  const auto count = std::count(columns.begin(), columns.end(), ',') + 1;
  for (int64_t i = 2; i <= count; ++i) parameters += fmt::format(", ?{}", i);
  RECKON_ASSIGN(auto insert, Prepare(fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns,
                                                 parameters)));
  return std::unique_ptr<SqlRows>(std::make_unique<SqliteRows>(std::move(insert)));
}

base::Status SqliteConnection::RunPrepared(std::string_view sql) {
  RECKON_ASSIGN(const auto statement, Prepare(sql));
  return statement->Run();
}

base::Status SqliteConnection::BeginWrite() { return RunPrepared("BEGIN IMMEDIATE"); }
base::Status SqliteConnection::BeginRead() { return RunPrepared("BEGIN"); }
base::Status SqliteConnection::Commit() { return RunPrepared("COMMIT"); }

void SqliteConnection::Rollback() {
  // Needs no disk: what was not committed counts as never written, even if this fails.
  (void)RunPrepared("ROLLBACK").ok();
}

base::Status SqliteConnection::UseWriteAheadLog() {
  RECKON_ASSIGN(const std::string mode, QueryText("PRAGMA journal_mode"));
  if (mode == "wal") return {};
  // The switch needs the file for itself and does not wait for it as other statements do.
  constexpr std::chrono::milliseconds kPause{10};
  for (std::chrono::milliseconds waited{0};; waited += kPause) {
    base::Status done = Execute("PRAGMA journal_mode = WAL");
    const bool busy = !done.ok() && done.error().code() == base::ErrorCode::kUnavailable;
    if (!busy || waited >= options_.busy_timeout) return done;
    std::this_thread::sleep_for(kPause);
  }
}

bool SqliteConnection::InTransaction() const { return sqlite3_get_autocommit(db_) == 0; }

base::Error SqliteConnection::Failure(int code) const {
  const int primary = code & 0xff;
  // Kept by SQLite for these two only; elsewhere it is left over from an earlier failure.
  const bool from_system = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN;
  return SqliteError({.code = code,
                      .system_errno = from_system ? sqlite3_system_errno(db_) : 0,
                      .message = sqlite3_errmsg(db_)},
                     path_, options_.busy_timeout);
}

}  // namespace reckon::store
