// Result<T>: a value, or an Error with a chain of causes. For everything that a user, a disk, a
// network or a child process can cause; a programmer's error is a RECKON_CHECK.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"

namespace reckon::base {

// What went wrong, as far as a caller acts on it. The command line maps these to exit codes.
enum class ErrorCode {
  kBadInput,     // what the user gave is wrong: fix the input
  kNotFound,     // a file, column, row or model that was named does not exist
  kCorrupt,      // a file of ours is damaged or of a format we do not know
  kUnavailable,  // locked or busy: trying again later may work
  kIo,           // the operating system refused: disk full, no permission
  kInterrupted,  // the user asked us to stop
  kFailed,       // the work itself could not be done
};

// A short stable name ("bad_input") for logs and JSON.
const char* ErrorCodeName(ErrorCode code);

class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), messages_{std::move(message)} {}

  // The same failure seen one level up: `message` first, then what was known so far. Keeps the
  // code, since the root decides what the caller can do.
  Error Wrap(std::string message) &&;
  // The same failure, with the value of the user's that is meant: the path of a key, as
  // "trainer.batch". Whoever knows where that was written adds the place; Describe leaves it out.
  Error About(std::string key) &&;

  ErrorCode code() const { return code_; }
  // The outermost message.
  const std::string& message() const { return messages_.front(); }
  // Outermost first; the last one is the root cause.
  const std::vector<std::string>& chain() const { return messages_; }
  // The whole chain on one line, joined by ": ".
  std::string Describe() const;
  // What About was told; "" when nothing was.
  const std::string& about() const { return about_; }

 private:
  ErrorCode code_;
  std::vector<std::string> messages_;
  std::string about_;
};

inline Error BadInput(std::string message) { return {ErrorCode::kBadInput, std::move(message)}; }
inline Error Corrupt(std::string message) { return {ErrorCode::kCorrupt, std::move(message)}; }

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(*-explicit-*)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(*-explicit-*)

  bool ok() const { return state_.index() == 0; }

  T& value() & {
    RECKON_CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    RECKON_CHECK(ok());
    return std::get<0>(state_);
  }
  // By value, so that `for (x : F().value())` does not walk what is already gone.
  T value() && {
    RECKON_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    RECKON_CHECK(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    RECKON_CHECK(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(*-explicit-*)

  bool ok() const { return !error_.has_value(); }
  void value() const { RECKON_CHECK(ok()); }
  const Error& error() const& {
    RECKON_CHECK(!ok());
    return *error_;
  }
  Error&& error() && {
    RECKON_CHECK(!ok());
    return *std::move(error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace reckon::base

// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot stand in parentheses.
#define RECKON_CONCAT_INNER(a, b) a##b
#define RECKON_CONCAT(a, b) RECKON_CONCAT_INNER(a, b)

// Leaves the function with the error of a Result, or goes on.
#define RECKON_TRY(expression) \
  RECKON_TRY_INNER(expression, RECKON_CONCAT(reckon_result_, __COUNTER__))
#define RECKON_TRY_INNER(expression, name)          \
  do {                                              \
    auto name = (expression);                       \
    if (!name.ok()) return std::move(name).error(); \
  } while (false)

// RECKON_ASSIGN(auto x, F()): x is the value of F(), or the function leaves with its error.
#define RECKON_ASSIGN(declaration, expression) \
  RECKON_ASSIGN_INNER(declaration, expression, RECKON_CONCAT(reckon_result_, __COUNTER__))
#define RECKON_ASSIGN_INNER(declaration, expression, name) \
  auto name = (expression);                                \
  if (!name.ok()) return std::move(name).error();          \
  declaration = std::move(name).value()
// NOLINTEND(bugprone-macro-parentheses)
