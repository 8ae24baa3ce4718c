// One connection to a PostgreSQL server, which comes back by itself after the server was away.
// libpq stays inside this folder.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/address.h"
#include "store/open_options.h"
#include "store/postgres/session.h"
#include "store/sql/connection.h"

namespace reckon::store {

// A call that is under way when the connection breaks fails with kUnavailable; the next one
// connects anew.
class PostgresConnection final : public SqlConnection {
 public:
  static base::Result<std::unique_ptr<PostgresConnection>> Open(const StoreAddress& address,
                                                                const OpenOptions& options);

  const std::string& name() const override { return address_.name(); }
  base::Status Execute(const std::string& sql) override;
  base::Result<std::unique_ptr<SqlStatement>> Prepare(std::string_view sql) override;
  base::Result<std::unique_ptr<SqlRows>> AddRows(std::string_view table,
                                                 std::string_view columns) override;
  // Under an advisory lock of the store, which goes with the transaction: writers take turns, and
  // whoever gets it sees all that was committed before.
  base::Status BeginWrite() override;
  base::Status BeginRead() override;
  base::Status Commit() override;
  void Rollback() override;
  bool InTransaction() const override { return in_transaction_; }

  // Where our tables are.
  const std::string& schema() const { return session_.schema; }

  // For statements and rows, which live no longer than their connection.
  PGconn* handle() const { return session_.handle.get(); }
  // The error that a call of libpq has left in `result`, or on the connection without one.
  base::Error Failure(const PGresult* result) const;
  // Fails unless `result` is one of success.
  base::Status Check(const PGresult* result) const;

 private:
  PostgresConnection(StoreAddress address, const OpenOptions& options)
      : address_(std::move(address)), options_(options) {}

  base::Status Connect();
  // Before the first statement of a call.
  base::Status Wake();
  bool StillThere();
  base::Status Begin(const std::string& sql);

  StoreAddress address_;
  OpenOptions options_;
  PostgresSession session_;
  // Since Begin, until it was ended; also while it can no longer be committed.
  bool in_transaction_ = false;
  std::map<std::string, std::string, std::less<>> statements_;  // SQL to the name of the prepared
};

}  // namespace reckon::store
