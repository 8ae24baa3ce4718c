#include "store/sqlite/sqlite_store.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/sqlite/migrate.h"
#include "store/sqlite/store_file.h"

namespace reckon::store {

base::Result<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::filesystem::path& path,
                                                             const base::Clock& clock,
                                                             const OpenOptions& options) {
  RECKON_TRY(CheckStoreFile(path));
  RECKON_ASSIGN(auto connection, SqliteConnection::Open(path, options));
  // The log comes after the first migration, so that the file carries our id before it has a log.
  RECKON_TRY(Migrate(*connection, BuiltInMigrations()));
  RECKON_TRY(connection->UseWriteAheadLog());
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(connection), clock));
}

base::Result<bool> SqliteStore::Exists(std::string_view sql, int64_t id) {
  RECKON_ASSIGN(SqliteStatement find, connection_->Prepare(sql));
  return find.Bind(id).Step();
}

base::Error SqliteStore::UnknownName(std::string_view what, std::string_view name,
                                     std::string_view names_sql) {
  std::vector<std::string> names;
  auto list = connection_->Prepare(names_sql);
  if (!list.ok()) return std::move(list).error();
  for (;;) {
    const base::Result<bool> has_row = list->Step();
    if (!has_row.ok()) return has_row.error();
    if (!*has_row) break;
    names.push_back(list->String(0));
  }
  return {base::ErrorCode::kNotFound,
          fmt::format("no {} '{}' in store '{}'{}", what, name, connection_->path().string(),
                      base::SuggestFrom(name, names))};
}

}  // namespace reckon::store
