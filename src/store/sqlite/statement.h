// A prepared statement, bound and stepped; see SqliteConnection::Prepare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3_stmt;

namespace reckon::store {

class SqliteConnection;

struct CachedStatement {
  sqlite3_stmt* handle = nullptr;
  bool in_use = false;
};

// Borrowed from its connection; resets itself when it goes. Not thread-safe.
class SqliteStatement {
 public:
  ~SqliteStatement();
  SqliteStatement(SqliteStatement&& other) noexcept;
  SqliteStatement& operator=(SqliteStatement&&) = delete;
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  // Resets the statement and binds its parameters ?1, ?2, ... in order; texts are copied. What goes
  // wrong is reported by the next Step.
  template <typename... Values>
  SqliteStatement& Bind(const Values&... values) {
    Reset();
    int index = 0;
    (BindAt(++index, values), ...);
    return *this;
  }

  // True: there is a row. False: done.
  base::Result<bool> Step();
  // Steps to the end of a statement that returns no rows.
  base::Status Run();

  // Of the current row, columns from 0. A text is valid until the next Step or Bind.
  bool IsNull(int column) const;
  int64_t Integer(int column) const;
  // NaN for NULL, which is how SQLite keeps a NaN.
  double Real(int column) const;
  std::string_view Text(int column) const;
  std::string String(int column) const { return std::string(Text(column)); }

 private:
  friend class SqliteConnection;
  SqliteStatement(SqliteConnection& connection, CachedStatement& cached);

  void Reset();
  void BindAt(int index, int64_t value);
  void BindAt(int index, double value);
  void BindAt(int index, std::string_view value);
  void BindAt(int index, std::optional<int64_t> value);
  void Note(int code);

  SqliteConnection* connection_;
  CachedStatement* cached_;  // null after a move
  int bind_error_ = 0;
};

}  // namespace reckon::store
