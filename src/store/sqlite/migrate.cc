#include "store/sqlite/migrate.h"

#include <cstdint>

#include <fmt/format.h>

#include "store/sql/transaction.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/errors.h"
#include "store/sqlite/store_file.h"

namespace reckon::store {
namespace {

base::Result<int64_t> UserVersion(SqliteConnection& connection) {
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
  RECKON_ASSIGN(const auto check, connection.Prepare("PRAGMA foreign_key_check"));
  RECKON_ASSIGN(const bool dangling, check->Step());
  if (!dangling) return {};
  return base::Error(base::ErrorCode::kFailed,
                     fmt::format("a row of '{}' refers to nothing", check->Text(0)));
}

class SqliteSchema final : public SchemaKeeper {
 public:
  explicit SqliteSchema(SqliteConnection& connection) : connection_(connection) {}

  base::Result<int64_t> Version() override {
    RECKON_ASSIGN(const int64_t version, UserVersion(connection_));
    RECKON_ASSIGN(const int64_t application_id, connection_.QueryInteger("PRAGMA application_id"));
    const bool is_ours = application_id == kApplicationId;
    if (version < 0 || (version > 0 && !is_ours)) return NotAStore(connection_.path());
    return version;
  }

  base::Status ApplyFrom(int64_t version, const Migration& migration) override {
    RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(connection_));
    RECKON_ASSIGN(const int64_t current, UserVersion(connection_));
    if (current != version) return {};
    if (version == 0) RECKON_TRY(ClaimEmptyFile(connection_));
    RECKON_TRY(connection_.Execute(migration.sql));
    RECKON_CHECK(connection_.InTransaction());  // a migration does not commit by itself
    RECKON_TRY(CheckReferences(connection_));
    RECKON_TRY(connection_.Execute(fmt::format("PRAGMA user_version = {}", version + 1)));
    return transaction.Commit();
  }

 private:
  SqliteConnection& connection_;
};

}  // namespace

base::Status Migrate(SqliteConnection& connection, std::span<const Migration> migrations) {
  RECKON_TRY(connection.Execute("PRAGMA foreign_keys = OFF"));
  SqliteSchema schema(connection);
  RECKON_TRY(MigrateStore(schema, connection.name(), migrations));
  return connection.Execute("PRAGMA foreign_keys = ON");
}

}  // namespace reckon::store
