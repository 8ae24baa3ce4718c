#include "store/sqlite/statement.h"

#include <limits>
#include <utility>

#include <sqlite3.h>

#include "store/sqlite/connection.h"

namespace reckon::store {

SqliteStatement::SqliteStatement(SqliteConnection& connection, CachedStatement& cached)
    : connection_(&connection), cached_(&cached) {
  RECKON_CHECK(!cached.in_use);
  cached.in_use = true;
}

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept
    : connection_(other.connection_),
      cached_(std::exchange(other.cached_, nullptr)),
      bind_error_(other.bind_error_) {}

SqliteStatement::~SqliteStatement() {
  if (cached_ == nullptr) return;
  Reset();
  sqlite3_clear_bindings(cached_->handle);
  cached_->in_use = false;
}

void SqliteStatement::Reset() {
  // Repeats the error of the last step, which Step reported already.
  sqlite3_reset(cached_->handle);
  bind_error_ = SQLITE_OK;
}

void SqliteStatement::Note(int code) {
  if (bind_error_ == SQLITE_OK) bind_error_ = code;
}

void SqliteStatement::BindAt(int index, int64_t value) {
  Note(sqlite3_bind_int64(cached_->handle, index, value));
}

void SqliteStatement::BindAt(int index, double value) {
  Note(sqlite3_bind_double(cached_->handle, index, value));
}

void SqliteStatement::BindAt(int index, std::string_view value) {
  // A null pointer would bind NULL instead of an empty text.
  const char* const data = value.data() == nullptr ? "" : value.data();
  Note(sqlite3_bind_text64(cached_->handle, index, data, value.size(), SQLITE_TRANSIENT,
                           SQLITE_UTF8));
}

void SqliteStatement::BindAt(int index, std::optional<int64_t> value) {
  Note(value ? sqlite3_bind_int64(cached_->handle, index, *value)
             : sqlite3_bind_null(cached_->handle, index));
}

base::Result<bool> SqliteStatement::Step() {
  if (bind_error_ != SQLITE_OK) return connection_->Failure(bind_error_);
  const int code = sqlite3_step(cached_->handle);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_->Failure(code);
}

base::Status SqliteStatement::Run() {
  RECKON_ASSIGN(const bool has_row, Step());
  RECKON_CHECK(!has_row);
  return {};
}

bool SqliteStatement::IsNull(int column) const {
  return sqlite3_column_type(cached_->handle, column) == SQLITE_NULL;
}

int64_t SqliteStatement::Integer(int column) const {
  return sqlite3_column_int64(cached_->handle, column);
}

double SqliteStatement::Real(int column) const {
  if (IsNull(column)) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(cached_->handle, column);
}

std::string_view SqliteStatement::Text(int column) const {
  // In this order: asking for the text may convert it, which changes its length.
  const auto* data = sqlite3_column_text(cached_->handle, column);
  const int size = sqlite3_column_bytes(cached_->handle, column);
  if (data == nullptr) return {};
  return {reinterpret_cast<const char*>(data), static_cast<size_t>(size)};
}

}  // namespace reckon::store
