#include "base/result.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reckon::base {
namespace {

using testing::ElementsAre;

TEST(Error, KeepsTheChainOutermostFirst) {
  const Error error =
      Error(ErrorCode::kIo, "disk full").Wrap("cannot write 'a'").Wrap("fit failed");
  EXPECT_THAT(error.chain(), ElementsAre("fit failed", "cannot write 'a'", "disk full"));
  EXPECT_EQ(error.message(), "fit failed");
  EXPECT_EQ(error.Describe(), "fit failed: cannot write 'a': disk full");
}

TEST(Error, WrapKeepsTheCodeOfTheRoot) {
  for (const ErrorCode code :
       {ErrorCode::kBadInput, ErrorCode::kNotFound, ErrorCode::kCorrupt, ErrorCode::kUnavailable,
        ErrorCode::kIo, ErrorCode::kInterrupted, ErrorCode::kFailed}) {
    EXPECT_EQ(Error(code, "root").Wrap("outer").code(), code);
  }
  EXPECT_EQ(BadInput("x").code(), ErrorCode::kBadInput);
}

TEST(ErrorCodeName, IsStable) {
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kBadInput), "bad_input");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kNotFound), "not_found");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kCorrupt), "corrupt");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kUnavailable), "unavailable");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kIo), "io");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kInterrupted), "interrupted");
  EXPECT_STREQ(ErrorCodeName(ErrorCode::kFailed), "failed");
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);
  const Result<int> bad = BadInput("no");
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().message(), "no");
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> value = std::move(result).value();
  EXPECT_EQ(*value, 5);
}

TEST(Result, CanHoldAString) {
  // std::string and the message of an Error must not be mistaken for each other.
  const Result<std::string> good = std::string("text");
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(good->size(), 4U);
}

TEST(ResultDeathTest, TakingWhatIsNotThereAborts) {
  EXPECT_DEATH(static_cast<void>(Result<int>(BadInput("no")).value()), "check failed: ok\\(\\)");
  EXPECT_DEATH(static_cast<void>(Result<int>(1).error()), "check failed: !ok\\(\\)");
  EXPECT_DEATH(Status(BadInput("no")).value(), "check failed");
  EXPECT_DEATH(static_cast<void>(Status().error()), "check failed");
}

Result<int> Half(int number) {
  if (number % 2 != 0) return BadInput("odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  RECKON_ASSIGN(const int half, Half(number));
  RECKON_ASSIGN(const int quarter, Half(half));
  return quarter;
}

Status CheckAll(const std::vector<int>& numbers, int& seen) {
  for (const int number : numbers) {
    RECKON_TRY(Half(number));
    ++seen;
  }
  return {};
}

TEST(Macros, AssignGoesOnOrLeaves) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).error().message(), "odd");
  EXPECT_EQ(Quarter(7).error().message(), "odd");
}

TEST(Macros, AssignMovesAndAssignsToAnExistingVariable) {
  const auto take = [](Result<std::unique_ptr<int>> result) -> Result<int> {
    std::unique_ptr<int> pointer;
    RECKON_ASSIGN(pointer, std::move(result));
    return *pointer;
  };
  EXPECT_EQ(*take(std::make_unique<int>(3)), 3);
  EXPECT_FALSE(take(BadInput("x")).ok());
}

TEST(Macros, TryStopsAtTheFirstFailure) {
  int seen = 0;
  EXPECT_TRUE(CheckAll({2, 4}, seen).ok());
  EXPECT_EQ(seen, 2);
  seen = 0;
  EXPECT_EQ(CheckAll({2, 3, 4}, seen).error().message(), "odd");
  EXPECT_EQ(seen, 1);
}

TEST(Macros, EvaluateTheirExpressionOnce) {
  int calls = 0;
  const auto count = [&]() -> Status {
    ++calls;
    return {};
  };
  const auto run = [&]() -> Status {
    RECKON_TRY(count());
    return {};
  };
  EXPECT_TRUE(run().ok());
  EXPECT_EQ(calls, 1);
}

// As with ParallelFor: the inner one must neither shadow the outer one nor leave its function.
TEST(Macros, TryNestsThroughALambda) {
  const auto call = [](const auto& function) -> Status { return function(); };
  const auto run = [&]() -> Status {
    RECKON_TRY(call([&]() -> Status {
      RECKON_TRY(Half(3));
      return {};
    }));
    return Error(ErrorCode::kFailed, "went on");
  };
  EXPECT_EQ(run().error().message(), "odd");
}

TEST(CheckDeathTest, SaysPlaceAndCondition) {
  EXPECT_DEATH(RECKON_CHECK(1 + 1 == 3), "result_test.cc:[0-9]+: check failed: 1 \\+ 1 == 3");
  RECKON_CHECK(true);
}

}  // namespace
}  // namespace reckon::base
