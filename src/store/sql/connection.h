// A connection to a database that speaks SQL, as narrow as SqlStore needs it. SQL is written once
// for all technologies: parameters as ?1, ?2, ..., no more than both understand.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sql/statement.h"

namespace reckon::store {

// Many rows for one table, as fast as the technology takes them. The connection can do nothing else
// until it is finished or gone; without Finish no row counts. Inside a transaction.
class SqlRows {
 public:
  SqlRows() = default;
  virtual ~SqlRows() = default;
  SqlRows(const SqlRows&) = delete;
  SqlRows& operator=(const SqlRows&) = delete;

  // As many values as there are columns.
  template <typename... Values>
  base::Status Add(const Values&... values) {
    const std::array<SqlValue, sizeof...(Values)> list{ToSqlValue(values)...};
    return AddRow(list);
  }
  virtual base::Status Finish() = 0;

 private:
  virtual base::Status AddRow(std::span<const SqlValue> values) = 0;
};

// Not thread-safe; SqlStore guards it by a mutex. Not to be used across fork().
class SqlConnection {
 public:
  SqlConnection() = default;
  virtual ~SqlConnection() = default;
  SqlConnection(const SqlConnection&) = delete;
  SqlConnection& operator=(const SqlConnection&) = delete;

  // What messages call the store; never with a password.
  virtual const std::string& name() const = 0;

  // One or more statements without parameters; rows are thrown away.
  virtual base::Status Execute(const std::string& sql) = 0;

  // `sql` is text of the program, never of a user: it is compiled once and kept for the life of
  // the connection. The same statement cannot be in use twice at once.
  virtual base::Result<std::unique_ptr<SqlStatement>> Prepare(std::string_view sql) = 0;

  // `columns` as in SQL: "set_id, row, cells". Ids that the table gives grow with the rows.
  virtual base::Result<std::unique_ptr<SqlRows>> AddRows(std::string_view table,
                                                         std::string_view columns) = 0;

  // See SqlTransaction, which alone calls these.
  virtual base::Status BeginWrite() = 0;
  virtual base::Status BeginRead() = 0;
  virtual base::Status Commit() = 0;
  virtual void Rollback() = 0;
  virtual bool InTransaction() const = 0;

  // The first column of the first row; a programmer's error when there is none.
  base::Result<int64_t> QueryInteger(std::string_view sql);
  base::Result<std::string> QueryText(std::string_view sql);
};

}  // namespace reckon::store
