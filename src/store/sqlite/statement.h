// A prepared statement, bound and stepped; see SqliteConnection::Prepare.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sql/statement.h"

struct sqlite3_stmt;

namespace reckon::store {

class SqliteConnection;

struct CachedStatement {
  sqlite3_stmt* handle = nullptr;
  bool in_use = false;
};

// Resets itself when it goes.
class SqliteStatement final : public SqlStatement {
 public:
  // The statement is not in use.
  SqliteStatement(SqliteConnection& connection, CachedStatement& cached);
  ~SqliteStatement() override;
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  base::Result<bool> Step() override;
  bool IsNull(int column) const override;
  int64_t Integer(int column) const override;
  double Real(int column) const override;
  std::string_view Text(int column) const override;
  // SQLite takes any bytes for text.
  std::string Bytes(int column) const override { return String(column); }

 private:
  void BindAll(std::span<const SqlValue> values) override;
  int BindAt(int index, const SqlValue& value);
  void Reset();

  SqliteConnection& connection_;
  CachedStatement& cached_;
  int bind_error_ = 0;
};

}  // namespace reckon::store
