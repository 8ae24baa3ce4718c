#include "store/sqlite/migrate.h"

#include <cstdint>

#include <fmt/format.h>

#include "store/sqlite/connection.h"
#include "store/sqlite/errors.h"
#include "store/sqlite/store_file.h"
#include "store/sqlite/transaction.h"

namespace reckon::store {
namespace {

base::Result<int64_t> Version(SqliteConnection& connection) {
  return connection.QueryInteger("PRAGMA user_version");
}

// Inside the transaction of the first migration: nobody else can have put something here since.
base::Status ClaimEmptyFile(SqliteConnection& connection) {
  RECKON_ASSIGN(const int64_t application_id, connection.QueryInteger("PRAGMA application_id"));
  RECKON_ASSIGN(const int64_t objects,
                connection.QueryInteger("SELECT count(*) FROM sqlite_schema"));
  if (application_id != 0 || objects != 0) return NotAStore(connection.path());
  return connection.Execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
}

base::Status CheckReferences(SqliteConnection& connection) {
  RECKON_ASSIGN(SqliteStatement check, connection.Prepare("PRAGMA foreign_key_check"));
  RECKON_ASSIGN(const bool dangling, check.Step());
  if (!dangling) return {};
  return base::Error(base::ErrorCode::kFailed,
                     fmt::format("a row of '{}' refers to nothing", check.Text(0)));
}

// Applies `migration` if the store is still at `version`; otherwise somebody else did.
base::Status ApplyFrom(SqliteConnection& connection, int64_t version, const Migration& migration) {
  RECKON_ASSIGN(SqliteTransaction transaction, SqliteTransaction::BeginWrite(connection));
  RECKON_ASSIGN(const int64_t current, Version(connection));
  if (current != version) return {};
  if (version == 0) RECKON_TRY(ClaimEmptyFile(connection));
  RECKON_TRY(connection.Execute(migration.sql));
  RECKON_CHECK(connection.InTransaction());  // a migration does not commit by itself
  RECKON_TRY(CheckReferences(connection));
  RECKON_TRY(connection.Execute(fmt::format("PRAGMA user_version = {}", version + 1)));
  return transaction.Commit();
}

}  // namespace

base::Status Migrate(SqliteConnection& connection, std::span<const Migration> migrations) {
  RECKON_TRY(connection.Execute("PRAGMA foreign_keys = OFF"));
  const auto known = static_cast<int64_t>(migrations.size());
  for (;;) {
    RECKON_ASSIGN(const int64_t version, Version(connection));
    RECKON_ASSIGN(const int64_t application_id, connection.QueryInteger("PRAGMA application_id"));
    const bool is_ours = application_id == kApplicationId;
    if (version < 0 || (version > 0 && !is_ours)) return NotAStore(connection.path());
    if (version > known) {
      return base::BadInput(
          fmt::format("store '{}' was written by a newer Reckon (schema {}, this program knows {})",
                      connection.path().string(), version, known));
    }
    if (version == known) return connection.Execute("PRAGMA foreign_keys = ON");

    const Migration& migration = migrations[static_cast<size_t>(version)];
    base::Status applied = ApplyFrom(connection, version, migration);
    if (!applied.ok()) {
      const base::ErrorCode code = applied.error().code();
      // A busy, full or foreign file says it all; otherwise the migration is what went wrong.
      if (code != base::ErrorCode::kFailed) return applied;
      return std::move(applied).error().Wrap(
          fmt::format("store '{}' stays at schema {}: migration '{}' failed",
                      connection.path().string(), version, migration.name));
    }
  }
}

}  // namespace reckon::store
