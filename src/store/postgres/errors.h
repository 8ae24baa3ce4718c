// What PostgreSQL reports, in the house's words: the store is named, and the code says what the
// caller can do about it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace reckon::store {

struct PostgresFailure {
  std::string sqlstate;  // five characters; empty when the server did not say, or did not live to
  std::string message;   // of one line
};

// `waited`: the lock timeout that had passed when the failure says "locked".
base::Error PostgresError(const PostgresFailure& failure, std::string_view store,
                          std::chrono::milliseconds waited);

// The server is away, or is not to be had.
base::Error Unreachable(std::string_view store, std::string_view why);

// Tables of another program are there, or our own are damaged.
base::Error NotAPostgresStore(std::string_view store, std::string_view schema);

// The reason of a connection that failed, out of the text that libpq makes of it with
// PQERRORS_VERBOSE, which has the SQLSTATE that it does not tell otherwise.
PostgresFailure FailureOfConnecting(std::string_view text);

}  // namespace reckon::store
