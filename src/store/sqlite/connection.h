// One connection to a SQLite file. SQLite itself stays inside this folder.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/open_options.h"
#include "store/sql/connection.h"
#include "store/sqlite/statement.h"

struct sqlite3;

namespace reckon::store {

class SqliteConnection final : public SqlConnection {
 public:
  // Opens or creates the file without changing one that exists. Whether it is ours, see
  // store_file.h.
  static base::Result<std::unique_ptr<SqliteConnection>> Open(const std::filesystem::path& path,
                                                              const OpenOptions& options);
  ~SqliteConnection() override;
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  const std::string& name() const override { return name_; }
  base::Status Execute(const std::string& sql) override;
  base::Result<std::unique_ptr<SqlStatement>> Prepare(std::string_view sql) override;
  base::Result<std::unique_ptr<SqlRows>> AddRows(std::string_view table,
                                                 std::string_view columns) override;
  base::Status BeginWrite() override;
  base::Status BeginRead() override;
  base::Status Commit() override;
  void Rollback() override;
  bool InTransaction() const override;

  // The write-ahead log lets readers go on while one writes. Stays with the file. A file system
  // without shared memory keeps the slower rollback journal, which is as safe.
  base::Status UseWriteAheadLog();

  const std::filesystem::path& path() const { return path_; }

  // The error of the last call on this connection, which returned `code`.
  base::Error Failure(int code) const;

 private:
  friend class SqliteStatement;
  using StatementCache = std::map<std::string, CachedStatement, std::less<>>;

  SqliteConnection(sqlite3* db, std::filesystem::path path, const OpenOptions& options);
  base::Status Configure();
  base::Status RunPrepared(std::string_view sql);

  sqlite3* db_;
  std::filesystem::path path_;
  std::string name_;
  OpenOptions options_;
  StatementCache statements_;
};

}  // namespace reckon::store
