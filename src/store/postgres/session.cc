#include "store/postgres/session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <poll.h>

#include "base/text.h"
#include "store/postgres/errors.h"

namespace reckon::store {
namespace {

using base::Error;
using base::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kConnectTimeout{10'000};
constexpr std::string_view kStarting = "57P03";

// Of a message of libpq, which repeats what it did not understand, part of a password may be seen:
// it is said in our words. An @ or / that a password holds as it is ends up in the names behind it.
base::Status CheckUrl(const StoreAddress& address) {
  const PostgresOptions parsed(PQconninfoParse(address.text().c_str(), nullptr));
  bool good = parsed != nullptr;
  for (const PQconninfoOption* option = parsed.get();
       good && option != nullptr && option->keyword != nullptr; ++option) {
    const std::string_view keyword = option->keyword;
    const bool is_place =
        keyword == "host" || keyword == "hostaddr" || keyword == "port" || keyword == "dbname";
    const std::string_view value = option->val != nullptr ? option->val : "";
    good = !is_place || value.find('@') == std::string_view::npos;
  }
  if (good) return {};
  return base::BadInput(fmt::format(
      "'{}' is no address of a store; expected postgresql://USER@HOST:PORT/DATABASE?NAME=VALUE, "
      "with special characters as %XX",
      address.name()));
}

milliseconds TimeoutOf(PGconn* connection) {
  const PostgresOptions options(PQconninfo(connection));
  for (const PQconninfoOption* option = options.get();
       option != nullptr && option->keyword != nullptr; ++option) {
    if (std::string_view(option->keyword) != "connect_timeout" || option->val == nullptr) continue;
    const auto seconds = base::ParseInteger(option->val);
    if (seconds && *seconds > 0) return std::chrono::seconds(*seconds);
  }
  return kConnectTimeout;
}

bool AwaitSocket(int socket, bool to_read, steady_clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{socket, static_cast<int16_t>(to_read ? POLLIN : POLLOUT), 0};
    const int ready = poll(&wait, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// A connection, or why there is none.
struct Attempt {
  PostgresHandle handle;
  PostgresFailure failure;
};

// Asynchronously, for only then libpq can be asked beforehand for reasons with their SQLSTATE.
Attempt ConnectOnce(const StoreAddress& address) {
  // What stands before the URL may be replaced by it. A server that is gone without a word is
  // noticed within a minute.
  constexpr std::array keys{"fallback_application_name", "keepalives_idle",
                            "keepalives_interval",       "keepalives_count",
                            "tcp_user_timeout",          "dbname",
                            "client_encoding",           static_cast<const char*>(nullptr)};
  const std::array<const char*, keys.size()> values{
      "reckon", "30", "10", "3", "30000", address.text().c_str(), "UTF8", nullptr};
  constexpr int kExpandUrl = 1;
  PostgresHandle handle(PQconnectStartParams(keys.data(), values.data(), kExpandUrl));
  if (!handle) return {nullptr, {"", "out of memory"}};
  PQsetErrorVerbosity(handle.get(), PQERRORS_VERBOSE);
  const auto deadline = steady_clock::now() + TimeoutOf(handle.get());
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (PQstatus(handle.get()) != CONNECTION_BAD && next != PGRES_POLLING_OK &&
         next != PGRES_POLLING_FAILED) {
    if (!AwaitSocket(PQsocket(handle.get()), next == PGRES_POLLING_READING, deadline)) {
      return {nullptr, {"", "no answer in time"}};
    }
    next = PQconnectPoll(handle.get());
  }
  if (PQstatus(handle.get()) != CONNECTION_OK) {
    return {nullptr, FailureOfConnecting(PQerrorMessage(handle.get()))};
  }
  PQsetErrorVerbosity(handle.get(), PQERRORS_DEFAULT);
  // The server's remarks would go to standard error.
  PQsetNoticeReceiver(
      handle.get(), [](void*, const PGresult*) {}, nullptr);
  return {std::move(handle), {}};
}

base::Result<PostgresResult> Ask(PGconn* connection, const std::string& sql,
                                 const StoreAddress& address, milliseconds patience) {
  PostgresResult result(PQexec(connection, sql.c_str()));
  const ExecStatusType status = PQresultStatus(result.get());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return result;
  const char* const state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  const char* const message = PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
  return PostgresError(
      {state != nullptr ? state : "", message != nullptr ? message : "the connection was lost"},
      address.name(), patience);
}

// Settings of the server, the database or the user must not change what we promise: numbers to the
// last bit, commits that are on disk, locks that are not held for ever.
std::string Settings(milliseconds patience) {
  constexpr auto kMostIdle = std::chrono::minutes(5);
  return fmt::format(
      "SET client_min_messages = warning; SET extra_float_digits = 1; SET bytea_output = hex;"
      "SET standard_conforming_strings = on; SET statement_timeout = 0; SET lock_timeout = {};"
      "SET idle_in_transaction_session_timeout = {};"
      "SELECT set_config('synchronous_commit', 'on', false)"
      " WHERE current_setting('synchronous_commit') = 'off'",
      std::max<int64_t>(1, patience.count()), milliseconds(kMostIdle).count());
}

base::Status CheckServer(PGconn* connection, const StoreAddress& address) {
  constexpr int kOldest = 120'000;
  if (PQserverVersion(connection) < kOldest) {
    return base::BadInput(
        fmt::format("store '{}': PostgreSQL 12 or a newer one is needed", address.name()));
  }
  const char* const encoding = PQparameterStatus(connection, "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) != "UTF8") {
    return base::BadInput(
        fmt::format("store '{}': the database has the encoding {}; a store needs UTF8",
                    address.name(), encoding != nullptr ? encoding : "of nobody knows what"));
  }
  return {};
}

base::Status FindSchema(PostgresSession& session, const StoreAddress& address,
                        milliseconds patience) {
  RECKON_ASSIGN(const PostgresResult found,
                Ask(session.handle.get(),
                    "SELECT n.nspname, n.oid::bigint, quote_ident(n.nspname)"
                    " FROM pg_namespace n WHERE n.nspname = current_schema()",
                    address, patience));
  if (PQntuples(found.get()) != 1) {
    return Error(ErrorCode::kNotFound,
                 fmt::format("store '{}': no schema of the search_path exists", address.name()));
  }
  session.schema = PQgetvalue(found.get(), 0, 0);
  session.schema_oid = base::ParseInteger(PQgetvalue(found.get(), 0, 1)).value_or(0);
  // Nobody's tables of the same names in other schemas, temporary ones least of all.
  RECKON_TRY(Ask(session.handle.get(),
                 fmt::format("SET search_path = {}, pg_temp", PQgetvalue(found.get(), 0, 2)),
                 address, patience));
  return {};
}

}  // namespace

base::Result<PostgresSession> Connect(const StoreAddress& address, milliseconds patience) {
  RECKON_TRY(CheckUrl(address));
  constexpr milliseconds kPause{50};
  PostgresSession session;
  for (const auto deadline = steady_clock::now() + patience; !session.handle;) {
    Attempt attempt = ConnectOnce(address);
    session.handle = std::move(attempt.handle);
    if (session.handle) break;
    if (attempt.failure.sqlstate != kStarting || steady_clock::now() >= deadline) {
      return PostgresError(attempt.failure, address.name(), patience);
    }
    std::this_thread::sleep_for(kPause);
  }
  RECKON_TRY(CheckServer(session.handle.get(), address));
  RECKON_TRY(Ask(session.handle.get(), Settings(patience), address, patience));
  RECKON_TRY(FindSchema(session, address, patience));
  return session;
}

}  // namespace reckon::store
