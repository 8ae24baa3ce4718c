// One connection to a SQLite file, as narrow as the store needs it: statements that are prepared
// once and bound, errors as Result. SQLite itself stays inside this folder.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sqlite/statement.h"

struct sqlite3;

namespace reckon::store {

struct OpenOptions {
  // How long a call waits for another process before it gives up with kUnavailable.
  std::chrono::milliseconds busy_timeout{5000};
  // Whether a store that does not exist is made; otherwise it is kNotFound.
  bool create = true;
};

// Not thread-safe; SqliteStore guards it by a mutex. Not to be used across fork().
class SqliteConnection {
 public:
  // Opens or creates the file without changing one that exists. Whether it is ours, see
  // store_file.h.
  static base::Result<std::unique_ptr<SqliteConnection>> Open(const std::filesystem::path& path,
                                                              const OpenOptions& options);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  // One or more statements without parameters; rows are thrown away.
  base::Status Execute(const std::string& sql);

  // `sql` is text of the program, never of a user: it is compiled once and kept for the life of
  // the connection. The same statement cannot be in use twice at once.
  base::Result<SqliteStatement> Prepare(std::string_view sql);

  // The first column of the first row; a programmer's error when there is none.
  base::Result<int64_t> QueryInteger(std::string_view sql);
  base::Result<std::string> QueryText(std::string_view sql);

  // The write-ahead log lets readers go on while one writes. Stays with the file. A file system
  // without shared memory keeps the slower rollback journal, which is as safe.
  base::Status UseWriteAheadLog();

  bool InTransaction() const;
  int64_t LastInsertId() const;
  const std::filesystem::path& path() const { return path_; }

  // The error of the last call on this connection, which returned `code`.
  base::Error Failure(int code) const;

 private:
  friend class SqliteStatement;
  using StatementCache = std::map<std::string, CachedStatement, std::less<>>;

  SqliteConnection(sqlite3* db, std::filesystem::path path, const OpenOptions& options);
  base::Status Configure();

  sqlite3* db_;
  std::filesystem::path path_;
  OpenOptions options_;
  StatementCache statements_;
};

}  // namespace reckon::store
