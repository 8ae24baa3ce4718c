// A prepared statement on a PostgreSQL server.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/postgres/handles.h"
#include "store/sql/statement.h"

namespace reckon::store {

class PostgresConnection;

// The first Step has it carried out and takes all rows; the connection is free for others then.
class PostgresStatement final : public SqlStatement {
 public:
  // `name`: of what was prepared.
  PostgresStatement(PostgresConnection& connection, std::string name)
      : connection_(connection), name_(std::move(name)) {}

  base::Result<bool> Step() override;
  bool IsNull(int column) const override;
  int64_t Integer(int column) const override;
  double Real(int column) const override;
  std::string_view Text(int column) const override;
  std::string Bytes(int column) const override;

 private:
  void BindAll(std::span<const SqlValue> values) override;
  base::Status Execute();

  PostgresConnection& connection_;
  std::string name_;
  std::vector<std::optional<std::string>> parameters_;
  PostgresResult result_;
  int row_ = 0;  // the current one, once there is a result
};

}  // namespace reckon::store
