#include "store/sql/connection.h"

namespace reckon::store {

base::Result<int64_t> SqlConnection::QueryInteger(std::string_view sql) {
  RECKON_ASSIGN(const auto statement, Prepare(sql));
  RECKON_ASSIGN(const bool has_row, statement->Step());
  RECKON_CHECK(has_row);
  return statement->Integer(0);
}

base::Result<std::string> SqlConnection::QueryText(std::string_view sql) {
  RECKON_ASSIGN(const auto statement, Prepare(sql));
  RECKON_ASSIGN(const bool has_row, statement->Step());
  RECKON_CHECK(has_row);
  return statement->String(0);
}

}  // namespace reckon::store
