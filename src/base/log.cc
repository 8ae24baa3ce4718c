#include "base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>

namespace reckon::base {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

}  // namespace

Result<LogLevel> ParseLogLevel(std::string_view name) {
  if (name == "debug") return LogLevel::kDebug;
  if (name == "info") return LogLevel::kInfo;
  if (name == "warn") return LogLevel::kWarn;
  if (name == "error") return LogLevel::kError;
  if (name == "off") return LogLevel::kOff;
  return BadInput("unknown log level '" + std::string(name) +
                  "'; expected debug, info, warn, error or off");
}

Logger::Logger(LogLevel level)
    : sink_(std::make_unique<spdlog::logger>(
          "reckon", std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>())) {
  sink_->set_level(ToSpdlog(level));
  sink_->set_pattern("%H:%M:%S.%e %^%l%$ %v");
}

Logger::~Logger() = default;

void Logger::Debug(std::string_view message) { sink_->debug("{}", message); }
void Logger::Info(std::string_view message) { sink_->info("{}", message); }
void Logger::Warn(std::string_view message) { sink_->warn("{}", message); }
void Logger::Error(std::string_view message) { sink_->error("{}", message); }

}  // namespace reckon::base
