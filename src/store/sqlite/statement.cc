#include "store/sqlite/statement.h"

#include <limits>

#include <sqlite3.h>

#include "store/sqlite/connection.h"

namespace reckon::store {

SqliteStatement::SqliteStatement(SqliteConnection& connection, CachedStatement& cached)
    : connection_(connection), cached_(cached) {
  RECKON_CHECK(!cached.in_use);
  cached.in_use = true;
}

SqliteStatement::~SqliteStatement() {
  Reset();
  sqlite3_clear_bindings(cached_.handle);
  cached_.in_use = false;
}

void SqliteStatement::Reset() {
  // Repeats the error of the last step, which Step reported already.
  sqlite3_reset(cached_.handle);
  bind_error_ = SQLITE_OK;
}

void SqliteStatement::BindAll(std::span<const SqlValue> values) {
  Reset();
  int index = 0;
  for (const SqlValue& value : values) {
    const int code = BindAt(++index, value);
    if (bind_error_ == SQLITE_OK) bind_error_ = code;
  }
}

int SqliteStatement::BindAt(int index, const SqlValue& value) {
  sqlite3_stmt* const handle = cached_.handle;
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return sqlite3_bind_int64(handle, index, *number);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return sqlite3_bind_double(handle, index, *real);  // a NaN becomes NULL
  }
  std::string_view text;
  if (const auto* given = std::get_if<std::string_view>(&value)) {
    text = *given;
  } else if (const auto* bytes = std::get_if<SqlBytes>(&value)) {
    text = bytes->bytes;
  } else {
    return sqlite3_bind_null(handle, index);
  }
  // A null pointer would bind NULL instead of an empty text.
  const char* const data = text.data() == nullptr ? "" : text.data();
  return sqlite3_bind_text64(handle, index, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

base::Result<bool> SqliteStatement::Step() {
  if (bind_error_ != SQLITE_OK) return connection_.Failure(bind_error_);
  const int code = sqlite3_step(cached_.handle);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_.Failure(code);
}

bool SqliteStatement::IsNull(int column) const {
  return sqlite3_column_type(cached_.handle, column) == SQLITE_NULL;
}

int64_t SqliteStatement::Integer(int column) const {
  return sqlite3_column_int64(cached_.handle, column);
}

double SqliteStatement::Real(int column) const {
  if (IsNull(column)) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(cached_.handle, column);
}

std::string_view SqliteStatement::Text(int column) const {
  // In this order: asking for the text may convert it, which changes its length.
  const auto* data = sqlite3_column_text(cached_.handle, column);
  const int size = sqlite3_column_bytes(cached_.handle, column);
  if (data == nullptr) return {};
  return {reinterpret_cast<const char*>(data), static_cast<size_t>(size)};
}

}  // namespace reckon::store
