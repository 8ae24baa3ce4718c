#include "store/postgres/migrate.h"

#include <fmt/format.h>

#include "store/postgres/connection.h"
#include "store/postgres/errors.h"
#include "store/sql/transaction.h"

namespace reckon::store {
namespace {

// What says that a schema is ours, and its version: one row.
constexpr const char* kMark = "reckon_schema";
constexpr const char* kMakeMark =
    "CREATE TABLE reckon_schema (version bigint NOT NULL, application text NOT NULL);"
    "INSERT INTO reckon_schema VALUES (0, 'Reckon')";

class PostgresSchema final : public SchemaKeeper {
 public:
  explicit PostgresSchema(PostgresConnection& connection) : connection_(connection) {}

  base::Result<int64_t> Version() override { return StoredVersion(connection_); }

  base::Status ApplyFrom(int64_t version, const Migration& migration) override {
    RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(connection_));
    RECKON_ASSIGN(const int64_t current, Version());
    if (current != version) return {};
    if (version == 0) RECKON_TRY(connection_.Execute(kMakeMark));
    RECKON_TRY(connection_.Execute(migration.sql));
    // A migration does not commit by itself.
    RECKON_CHECK(PQtransactionStatus(connection_.handle()) == PQTRANS_INTRANS);
    RECKON_TRY(
        connection_.Execute(fmt::format("UPDATE reckon_schema SET version = {}", version + 1)));
    return transaction.Commit();
  }

 private:
  PostgresConnection& connection_;
};

}  // namespace

base::Result<int64_t> StoredVersion(PostgresConnection& connection) {
  const auto not_ours = [&] { return NotAPostgresStore(connection.name(), connection.schema()); };
  // Tables, views, sequences: whatever has columns, but for those that extensions have made.
  RECKON_ASSIGN(
      const auto look,
      connection.Prepare("SELECT count(*), count(*) FILTER (WHERE relname = ?1 AND relkind = 'r')"
                         " FROM pg_class WHERE relnamespace ="
                         " (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
                         " AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND NOT EXISTS"
                         " (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass"
                         " AND objid = pg_class.oid AND deptype = 'e')"));
  RECKON_ASSIGN(const bool counted, look->Bind(kMark).Step());
  RECKON_CHECK(counted);
  if (look->Integer(0) == 0) return 0;
  if (look->Integer(1) == 0) return not_ours();
  // A table of that name that is not ours lacks the columns, or the word.
  RECKON_ASSIGN(const auto columns,
                connection.Prepare("SELECT count(*) FROM pg_attribute"
                                   " WHERE attrelid = 'reckon_schema'::regclass AND attnum > 0"
                                   " AND ((attname = 'version' AND atttypid = 'bigint'::regtype) OR"
                                   " (attname = 'application' AND atttypid = 'text'::regtype))"));
  RECKON_ASSIGN(const bool described, columns->Step());
  if (!described || columns->Integer(0) != 2) return not_ours();
  RECKON_ASSIGN(const auto read,
                connection.Prepare("SELECT version, application FROM reckon_schema"));
  RECKON_ASSIGN(const bool found, read->Step());
  if (!found || read->Text(1) != "Reckon" || read->Integer(0) < 1) return not_ours();
  const int64_t version = read->Integer(0);
  RECKON_ASSIGN(const bool another, read->Step());
  if (another) return not_ours();
  return version;
}

base::Status Migrate(PostgresConnection& connection, std::span<const Migration> migrations) {
  PostgresSchema schema(connection);
  return MigrateStore(schema, connection.name(), migrations);
}

}  // namespace reckon::store
