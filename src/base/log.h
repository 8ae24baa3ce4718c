// Logging: a Logger is passed in; there is no global one. Lines go to standard error with time and
// level, so that standard output stays clean for results.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spdlog {
class logger;
}

namespace reckon::base {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };

// "debug", "info", "warn", "error" or "off".
Result<LogLevel> ParseLogLevel(std::string_view name);

// Thread-safe.
class Logger {
 public:
  // Writes to standard error.
  explicit Logger(LogLevel level);
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void Debug(std::string_view message);
  void Info(std::string_view message);
  void Warn(std::string_view message);
  void Error(std::string_view message);

 private:
  std::unique_ptr<spdlog::logger> sink_;
};

}  // namespace reckon::base
