// CHECK: a programmer's error ends the process with the place and the condition. What a user, a
// disk or a network can cause is never CHECKed; it is a Result (base/result.h).
#pragma once

namespace reckon::base {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace reckon::base

#define RECKON_CHECK(condition)                                    \
  do {                                                             \
    if (!(condition)) [[unlikely]]                                 \
      ::reckon::base::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)
