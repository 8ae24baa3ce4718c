#include "core/run.h"

#include <array>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/job.h"

namespace reckon::core {
namespace {

constexpr std::array kStates{RunState::kQueued,   RunState::kPlanning,  RunState::kTransferring,
                             RunState::kStarting, RunState::kRunning,   RunState::kRecovering,
                             RunState::kStopping, RunState::kFinishing, RunState::kFinished,
                             RunState::kFailed,   RunState::kStopped};

// Row: from; column: to; both in the order of kStates. 'x' marks an allowed step.
constexpr std::array<const char*, kStates.size()> kAllowed{
    // queued planning transferring starting running recovering stopping finishing finished failed
    // stopped
    ".x....x..x.",  // queued
    "..xx..x..x.",  // planning
    "...x.xx..x.",  // transferring
    "....xxx..x.",  // starting
    ".....xxxxx.",  // running
    ".x..x.x..x.",  // recovering
    ".........xx",  // stopping
    ".....xx.xx.",  // finishing
    "...........",  // finished
    "...........",  // failed
    "...........",  // stopped
};

TEST(RunState, EveryStepIsAllowedOrNotAsTheTableSays) {
  for (size_t from = 0; from < kStates.size(); ++from) {
    for (size_t to = 0; to < kStates.size(); ++to) {
      EXPECT_EQ(CanFollow(kStates[from], kStates[to]), kAllowed[from][to] == 'x')
          << RunStateName(kStates[from]) << " -> " << RunStateName(kStates[to]);
    }
  }
}

TEST(RunState, FinalStatesAreThoseThatNothingFollows) {
  for (size_t from = 0; from < kStates.size(); ++from) {
    const bool stuck = std::string(kAllowed[from]).find('x') == std::string::npos;
    EXPECT_EQ(IsFinal(kStates[from]), stuck) << RunStateName(kStates[from]);
  }
}

TEST(RunState, EveryStateCanBeReachedFromQueued) {
  std::set<RunState> reached{RunState::kQueued};
  for (size_t round = 0; round < kStates.size(); ++round) {
    for (const RunState from : std::set<RunState>(reached)) {
      for (const RunState to : kStates) {
        if (CanFollow(from, to)) reached.insert(to);
      }
    }
  }
  EXPECT_EQ(reached.size(), kStates.size());
}

TEST(RunState, NamesReadBack) {
  std::set<std::string> names;
  for (const RunState state : kStates) {
    EXPECT_EQ(ParseRunState(RunStateName(state)), state);
    names.insert(RunStateName(state));
  }
  EXPECT_EQ(names.size(), kStates.size());
  EXPECT_EQ(ParseRunState("Queued"), std::nullopt);
  EXPECT_EQ(ParseRunState(""), std::nullopt);
}

TEST(Strategy, HasAName) {
  EXPECT_STREQ(StrategyName(Strategy::kAllReduce), "all-reduce");
  EXPECT_STREQ(StrategyName(Strategy::kAsyncParameterServer), "async-ps");
  EXPECT_STREQ(StrategyName(Strategy::kSyncParameterServer), "sync-ps");
}

}  // namespace
}  // namespace reckon::core
