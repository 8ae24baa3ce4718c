#include "store/postgres/connection.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <poll.h>

#include "base/text.h"
#include "store/postgres/errors.h"
#include "store/postgres/rows.h"
#include "store/postgres/statement.h"

namespace reckon::store {
namespace {

using base::Error;
using base::ErrorCode;
using base::Status;

// "Reck" and the schema: stores of several schemas of one database do not wait for each other.
int64_t LockKey(int64_t schema_oid) {
  constexpr int64_t kReck = 0x5265636B;
  return kReck << 32 | schema_oid;
}

}  // namespace

base::Result<std::unique_ptr<PostgresConnection>> PostgresConnection::Open(
    const StoreAddress& address, const OpenOptions& options) {
  std::unique_ptr<PostgresConnection> connection(new PostgresConnection(address, options));
  RECKON_TRY(connection->Connect());
  return connection;
}

Status PostgresConnection::Connect() {
  statements_.clear();
  session_ = {};
  RECKON_ASSIGN(session_, store::Connect(address_, options_.busy_timeout));
  return {};
}

// A server that went away while nothing was asked has closed the connection, and mostly said why.
bool PostgresConnection::StillThere() {
  while (PQstatus(handle()) == CONNECTION_OK) {
    pollfd look{PQsocket(handle()), POLLIN, 0};
    if (poll(&look, 1, 0) <= 0) return true;
    if (PQconsumeInput(handle()) == 0) return false;
  }
  return false;
}

Status PostgresConnection::Wake() {
  if (in_transaction_ || StillThere()) return {};
  return Connect();
}

Error PostgresConnection::Failure(const PGresult* result) const {
  const auto field = [&](int code) -> std::string {
    const char* const text = PQresultErrorField(result, code);
    return text != nullptr ? text : "";
  };
  PostgresFailure failure{field(PG_DIAG_SQLSTATE), field(PG_DIAG_MESSAGE_PRIMARY)};
  if (failure.message.empty()) {
    // The lines below the first one guess.
    const std::string_view all = PQerrorMessage(handle());
    failure.message = base::Trim(all.substr(0, all.find('\n')));
  }
  return PostgresError(failure, name(), options_.busy_timeout);
}

Status PostgresConnection::Check(const PGresult* result) const {
  switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY:
    case PGRES_COPY_IN:
      return {};
    default:
      return Failure(result);
  }
}

Status PostgresConnection::Execute(const std::string& sql) {
  RECKON_TRY(Wake());
  const PostgresResult result(PQexec(handle(), sql.c_str()));
  return Check(result.get());
}

base::Result<std::unique_ptr<SqlStatement>> PostgresConnection::Prepare(std::string_view sql) {
  RECKON_TRY(Wake());
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    std::string own(sql);
    std::replace(own.begin(), own.end(), '?', '$');
    const std::string name = fmt::format("s{}", statements_.size());
    const PostgresResult prepared(PQprepare(handle(), name.c_str(), own.c_str(), 0, nullptr));
    RECKON_TRY(Check(prepared.get()));
    found = statements_.emplace(std::string(sql), name).first;
  }
  return std::unique_ptr<SqlStatement>(std::make_unique<PostgresStatement>(*this, found->second));
}

base::Result<std::unique_ptr<SqlRows>> PostgresConnection::AddRows(std::string_view table,
                                                                   std::string_view columns) {
  RECKON_CHECK(in_transaction_);
  RECKON_TRY(Execute(fmt::format("COPY {} ({}) FROM STDIN", table, columns)));
  return std::unique_ptr<SqlRows>(std::make_unique<PostgresRows>(*this));
}

Status PostgresConnection::Begin(const std::string& sql) {
  RECKON_TRY(Wake());
  const PostgresResult begun(PQexec(handle(), sql.c_str()));
  Status checked = Check(begun.get());
  in_transaction_ = true;
  if (!checked.ok()) Rollback();
  return checked;
}

Status PostgresConnection::BeginWrite() {
  // Each statement sees what was committed before it, so those after the lock see all that whoever
  // had the lock before has done. Commits are visible before their locks are given back.
  return Begin(fmt::format("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock({})",
                           LockKey(session_.schema_oid)));
}

Status PostgresConnection::BeginRead() {
  return Begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

Status PostgresConnection::Commit() {
  RECKON_CHECK(in_transaction_);
  const PostgresResult committed(PQexec(handle(), "COMMIT"));
  Status checked = Check(committed.get());
  if (!checked.ok()) {
    if (PQstatus(handle()) == CONNECTION_OK) return checked;
    return std::move(checked).error().Wrap(
        "the connection broke during the commit; whether it took place is not known");
  }
  in_transaction_ = false;
  // Of a transaction in which something has failed, COMMIT is a rollback and no error.
  if (std::string_view(PQcmdStatus(committed.get())) == "COMMIT") return {};
  return Error(ErrorCode::kFailed, fmt::format("store '{}' rolled the transaction back", name()));
}

void PostgresConnection::Rollback() {
  in_transaction_ = false;
  const PostgresResult done(PQexec(handle(), "ROLLBACK"));
  // A connection that cannot even do that is given up; the server rolls back on its own then.
  if (PQtransactionStatus(handle()) != PQTRANS_IDLE) session_.handle.reset();
}

}  // namespace reckon::store
