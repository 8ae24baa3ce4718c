// A prepared statement of some database, bound and stepped; see SqlConnection::Prepare.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace reckon::store {

// Bytes that need not be UTF-8, as names from files are.
struct SqlBytes {
  std::string_view bytes;
};

// NULL, or a value; texts are those of the caller. A NaN is stored as NULL.
using SqlValue = std::variant<std::monostate, int64_t, double, std::string_view, SqlBytes>;

inline SqlValue ToSqlValue(int64_t value) { return value; }
inline SqlValue ToSqlValue(double value) { return value; }
inline SqlValue ToSqlValue(std::string_view value) { return value; }
inline SqlValue ToSqlValue(const std::string& value) { return std::string_view(value); }
inline SqlValue ToSqlValue(const char* value) { return std::string_view(value); }
inline SqlValue ToSqlValue(SqlBytes value) { return value; }
inline SqlValue ToSqlValue(std::optional<int64_t> value) {
  return value ? SqlValue(*value) : SqlValue();
}

// Belongs to its connection, which outlives it. Not thread-safe.
class SqlStatement {
 public:
  SqlStatement() = default;
  virtual ~SqlStatement() = default;
  SqlStatement(const SqlStatement&) = delete;
  SqlStatement& operator=(const SqlStatement&) = delete;

  // Resets the statement and binds its parameters ?1, ?2, ... in order; texts are copied. What goes
  // wrong is reported by the next Step.
  template <typename... Values>
  SqlStatement& Bind(const Values&... values) {
    const std::array<SqlValue, sizeof...(Values)> list{ToSqlValue(values)...};
    return BindValues(list);
  }
  SqlStatement& BindValues(std::span<const SqlValue> values) {
    BindAll(values);
    return *this;
  }

  // True: there is a row. False: done.
  virtual base::Result<bool> Step() = 0;
  // Steps to the end of a statement that returns no (more) rows.
  base::Status Run() {
    RECKON_ASSIGN(const bool has_row, Step());
    RECKON_CHECK(!has_row);
    return {};
  }
  // Of a statement that returns one row with one number: "INSERT ... RETURNING id".
  base::Result<int64_t> RunForNumber() {
    RECKON_ASSIGN(const bool has_row, Step());
    RECKON_CHECK(has_row);
    const int64_t number = Integer(0);
    RECKON_TRY(Run());
    return number;
  }

  // Of the current row, columns from 0. A text is valid until the next Step or Bind.
  virtual bool IsNull(int column) const = 0;
  virtual int64_t Integer(int column) const = 0;
  // NaN for NULL.
  virtual double Real(int column) const = 0;
  // Empty for NULL.
  virtual std::string_view Text(int column) const = 0;
  // What was bound as SqlBytes.
  virtual std::string Bytes(int column) const = 0;
  std::string String(int column) const { return std::string(Text(column)); }
  std::optional<int64_t> OptionalInteger(int column) const {
    return IsNull(column) ? std::nullopt : std::optional(Integer(column));
  }

 private:
  virtual void BindAll(std::span<const SqlValue> values) = 0;
};

}  // namespace reckon::store
