#include "base/result.h"

namespace reckon::base {

const char* ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadInput:
      return "bad_input";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kInterrupted:
      return "interrupted";
    case ErrorCode::kFailed:
      return "failed";
  }
  return "unknown";
}

Error Error::Wrap(std::string message) && {
  messages_.insert(messages_.begin(), std::move(message));
  return std::move(*this);
}

Error Error::About(std::string key) && {
  about_ = std::move(key);
  return std::move(*this);
}

std::string Error::Describe() const {
  std::string line;
  for (const std::string& message : messages_) {
    if (!line.empty()) line += ": ";
    line += message;
  }
  return line;
}

}  // namespace reckon::base
