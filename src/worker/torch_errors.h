// Torch's exceptions as errors of ours. Included where torch is.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include <c10/util/Exception.h>

#include "base/result.h"

namespace reckon::worker {

// The first line says what happened; the rest is a trace of torch's own insides.
inline std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

inline bool IsOutOfMemory(const std::string& message) {
  return message.find("can't allocate memory") != std::string::npos ||
         message.find("not enough memory") != std::string::npos;
}

// Calls `work`, which may throw; `doing` begins the message.
template <typename Work>
auto CatchTorch(const std::string& doing, Work work) -> decltype(work()) {
  using base::Error;
  using base::ErrorCode;
  try {
    return work();
  } catch (const c10::Error& error) {
    const std::string message = FirstLine(error.what_without_backtrace());
    if (IsOutOfMemory(message)) return Error(ErrorCode::kFailed, doing + ": not enough memory");
    return Error(ErrorCode::kFailed, doing + ": " + message);
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::kFailed, doing + ": not enough memory");
  } catch (const std::exception& error) {
    return Error(ErrorCode::kFailed, doing + ": " + FirstLine(error.what()));
  }
}

}  // namespace reckon::worker
