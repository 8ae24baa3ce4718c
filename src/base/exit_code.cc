#include "base/exit_code.h"

namespace reckon::base {

int ExitCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadInput:
    case ErrorCode::kNotFound:
    case ErrorCode::kCorrupt:
      return 2;
    case ErrorCode::kInterrupted:
      return 130;
    case ErrorCode::kUnavailable:
    case ErrorCode::kIo:
    case ErrorCode::kFailed:
      return 1;
  }
  return 1;
}

}  // namespace reckon::base
