#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reckon::base {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ParseLogLevel, KnowsTheLevels) {
  EXPECT_EQ(*ParseLogLevel("debug"), LogLevel::kDebug);
  EXPECT_EQ(*ParseLogLevel("info"), LogLevel::kInfo);
  EXPECT_EQ(*ParseLogLevel("warn"), LogLevel::kWarn);
  EXPECT_EQ(*ParseLogLevel("error"), LogLevel::kError);
  EXPECT_EQ(*ParseLogLevel("off"), LogLevel::kOff);
}

TEST(ParseLogLevel, RefusesOthers) {
  for (const char* name : {"", "Debug", "warning", "trace", "info "}) {
    const Result<LogLevel> level = ParseLogLevel(name);
    ASSERT_FALSE(level.ok()) << name;
    EXPECT_EQ(level.error().code(), ErrorCode::kBadInput);
    EXPECT_THAT(level.error().message(), HasSubstr("expected debug, info, warn, error or off"));
  }
}

std::string LinesAt(LogLevel level) {
  testing::internal::CaptureStderr();
  {
    Logger logger(level);
    logger.Debug("one");
    logger.Info("two {}");  // braces of a message are no format
    logger.Warn("three");
    logger.Error("four");
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Logger, WritesFromItsLevelOn) {
  const std::string all = LinesAt(LogLevel::kDebug);
  EXPECT_THAT(all, HasSubstr("debug one\n"));
  EXPECT_THAT(all, HasSubstr("info two {}\n"));
  const std::string some = LinesAt(LogLevel::kWarn);
  EXPECT_THAT(some, Not(HasSubstr("two")));
  EXPECT_THAT(some, HasSubstr("three"));
  EXPECT_THAT(some, HasSubstr("error four\n"));
  EXPECT_EQ(LinesAt(LogLevel::kOff), "");
}

}  // namespace
}  // namespace reckon::base
