#include "store/postgres/errors.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "store/sql/errors.h"

namespace reckon::store {
namespace {

using base::Error;
using base::ErrorCode;

constexpr size_t kStateSize = 5;

struct StateCode {
  std::string_view state;  // or its beginning: the class
  ErrorCode code;
};

// https://www.postgresql.org/docs/current/errcodes-appendix.html; the first that fits counts.
constexpr std::array kStates{
    StateCode{"08", ErrorCode::kUnavailable},     // connection
    StateCode{"25P03", ErrorCode::kUnavailable},  // was idle in a transaction for too long
    StateCode{"40", ErrorCode::kUnavailable},     // rolled back for another's sake
    StateCode{"53300", ErrorCode::kUnavailable},  // too many connections
    StateCode{"55", ErrorCode::kUnavailable},     // in use
    StateCode{"57", ErrorCode::kUnavailable},     // the operator, a crash, a start
    StateCode{"3D000", ErrorCode::kNotFound},     // no such database
    StateCode{"28", ErrorCode::kBadInput},        // who are you
    StateCode{"22021", ErrorCode::kBadInput},     // no UTF-8, or a NUL
    StateCode{"22P05", ErrorCode::kBadInput},     // the same
    StateCode{"54", ErrorCode::kBadInput},        // a value that is too large
    StateCode{"42501", ErrorCode::kIo},           // not permitted
    StateCode{"53", ErrorCode::kIo},              // memory and the like
    StateCode{"58", ErrorCode::kIo},              // the server's operating system
    StateCode{"F0", ErrorCode::kCorrupt},
    StateCode{"XX001", ErrorCode::kCorrupt},
    StateCode{"XX002", ErrorCode::kCorrupt},
    // The statements are ours: tables, columns or types that they miss have been changed.
    StateCode{"22P02", ErrorCode::kCorrupt},
    StateCode{"42P01", ErrorCode::kCorrupt},
    StateCode{"42703", ErrorCode::kCorrupt},
    StateCode{"42804", ErrorCode::kCorrupt},
    StateCode{"42883", ErrorCode::kCorrupt},
    StateCode{"42P10", ErrorCode::kCorrupt},
    StateCode{"3F000", ErrorCode::kCorrupt},
    StateCode{"428C9", ErrorCode::kCorrupt},
};

ErrorCode CodeOf(std::string_view state) {
  for (const StateCode& known : kStates) {
    if (state.starts_with(known.state)) return known.code;
  }
  return ErrorCode::kFailed;
}

bool IsState(std::string_view text) {
  return text.size() == kStateSize && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isupper(c) != 0 || std::isdigit(c) != 0;
         });
}

}  // namespace

Error Unreachable(std::string_view store, std::string_view why) {
  return {ErrorCode::kUnavailable, fmt::format("store '{}' cannot be reached: {}", store, why)};
}

Error NotAPostgresStore(std::string_view store, std::string_view schema) {
  return {
      ErrorCode::kCorrupt,
      fmt::format("schema '{}' of '{}' holds no Reckon store but something else, or is damaged; "
                  "a store needs a database or a schema of its own",
                  schema, store)};
}

Error PostgresError(const PostgresFailure& failure, std::string_view store,
                    std::chrono::milliseconds waited) {
  constexpr std::string_view kLockTimeout = "55P03";
  constexpr std::string_view kDiskFull = "53100";
  constexpr std::string_view kReadOnly = "25006";
  if (failure.sqlstate == kLockTimeout) return LockedError(store, waited);
  if (failure.sqlstate == kDiskFull) return DiskFullError(store);
  if (failure.sqlstate == kReadOnly) return ReadOnlyError(store);
  if (failure.sqlstate.empty()) return Unreachable(store, failure.message);
  const ErrorCode code = CodeOf(failure.sqlstate);
  if (code == ErrorCode::kUnavailable) return Unreachable(store, failure.message);
  if (code == ErrorCode::kCorrupt) {
    return {code, fmt::format("store '{}' is damaged: {}", store, failure.message)};
  }
  return {code, fmt::format("store '{}': {}", store, failure.message)};
}

// As "connection to server at "h" (1.2.3.4), port 5432 failed: FATAL:  3D000: database "x" does not
// exist\nLOCATION:  ..."; a line for each server that was tried.
PostgresFailure FailureOfConnecting(std::string_view text) {
  constexpr std::string_view kBeforeState = ":  ";
  constexpr std::string_view kAfterState = ": ";
  PostgresFailure failure;
  for (const std::string_view line : base::Split(text, '\n')) {
    if (base::Trim(line).empty() || line.starts_with("LOCATION:")) continue;
    std::string told(base::Trim(line));
    if (const size_t at = told.find(kBeforeState); at != std::string::npos) {
      const size_t begin = at + kBeforeState.size();
      const std::string state = told.substr(begin, kStateSize);
      if (IsState(state) && told.compare(begin + kStateSize, 2, kAfterState) == 0) {
        failure.sqlstate = state;
        told.erase(begin, kStateSize + kAfterState.size());
      }
    }
    if (!failure.message.empty()) failure.message += "; ";
    failure.message += told;
  }
  if (failure.message.empty()) failure.message = "no reason was given";
  return failure;
}

}  // namespace reckon::store
