#include "watch/managed_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reckon::watch {
namespace {

using core::RunState;
using testing::HasSubstr;

const MovePolicy kMovePolicy{.blame_s = 2};

// Two nodes with a worker each, in their first attempt.
ManagedRun TwoNodes(RunState state) {
  ManagedRun run;
  run.run_id = 7;
  run.state = state;
  run.attempt = 1;
  run.parts.resize(2);
  run.parts[0].node = "h0";
  run.parts[1].node = "h1";
  for (Part& part : run.parts) {
    part.workers = 1;
    part.price_per_hour = 36;  // a cent a second
  }
  return run;
}

ManagedRun Training() {
  ManagedRun run = TwoNodes(RunState::kRunning);
  for (Part& part : run.parts) {
    part.want = Want::kGo;
    part.ready = part.settled = part.running = part.trained = true;
    part.began_at = 100;
  }
  return run;
}

// Until nothing changes; the reasons of new states.
std::string MoveAll(ManagedRun& run, double now) {
  std::string reasons;
  for (int i = 0; i < 20; ++i) {
    const Moved moved = MoveOn(run, kMovePolicy, now);
    if (!moved.changed) return reasons;
    reasons += moved.reason;
  }
  ADD_FAILURE() << "it never comes to rest";
  return reasons;
}

TEST(ManagedRunTest, ARunThatGoesWell) {
  ManagedRun run = TwoNodes(RunState::kTransferring);
  MoveAll(run, 1);
  EXPECT_EQ(run.state, RunState::kTransferring);
  run.parts[0].ready = true;
  MoveAll(run, 2);
  EXPECT_EQ(run.parts[0].want, Want::kReady) << "all start together";
  run.parts[1].ready = true;
  MoveAll(run, 3);
  EXPECT_EQ(run.state, RunState::kStarting);
  EXPECT_EQ(run.parts[0].want, Want::kStart);
  for (Part& part : run.parts) part.settled = true;
  MoveAll(run, 4);
  EXPECT_EQ(run.parts[1].want, Want::kGo);
  EXPECT_EQ(run.state, RunState::kStarting);
  for (Part& part : run.parts) part.running = true;
  MoveAll(run, 5);
  EXPECT_EQ(run.state, RunState::kRunning);
  run.parts[0].workers_ended = run.parts[0].workers_ended_well = 1;
  MoveAll(run, 6);
  EXPECT_EQ(run.state, RunState::kRunning);
  run.parts[1].workers_ended = run.parts[1].workers_ended_well = 1;
  MoveAll(run, 7);
  EXPECT_EQ(run.state, RunState::kFinishing);
  EXPECT_EQ(run.parts[0].want, Want::kRelease);
  for (Part& part : run.parts) {
    part.end = PartEnd{RunState::kFinished, "", 8};
    part.gone = true;
  }
  MoveAll(run, 9);
  EXPECT_EQ(run.state, RunState::kFinished);
  EXPECT_EQ(run.parts[0].want, Want::kForget);
  EXPECT_TRUE(IsOpen(run));
  for (Part& part : run.parts) part.forgotten = true;
  EXPECT_FALSE(IsOpen(run));
}

TEST(ManagedRunTest, ALostNodeIsToBlameAndTheOthersAreStoppedFirst) {
  ManagedRun run = Training();
  run.parts[0].end = PartEnd{RunState::kFailed, "worker 0 ended with code 1", 110};
  run.parts[0].gone = true;
  EXPECT_TRUE(MoveOn(run, kMovePolicy, 110).changed);
  EXPECT_FALSE(MoveOn(run, kMovePolicy, 111).changed) << "one may hear of a consequence first";
  run.parts[1].lost = true;
  const Moved moved = MoveOn(run, kMovePolicy, 113);
  ASSERT_TRUE(moved.blame);
  EXPECT_EQ(moved.blame->node, "h1");
  EXPECT_EQ(run.state, RunState::kRecovering);
  MoveAll(run, 113);
  EXPECT_EQ(run.state, RunState::kPlanning) << "one is gone, the other lost";
  EXPECT_EQ(run.parts[0].want, Want::kStop);
}

TEST(ManagedRunTest, NothingIsPlannedAnewBeforeEverythingHasEnded) {
  ManagedRun run = Training();
  run.parts[1].lost = true;
  MoveAll(run, 110);
  MoveAll(run, 113);
  EXPECT_EQ(run.state, RunState::kRecovering);
  EXPECT_EQ(run.parts[0].want, Want::kStop);
  run.parts[0].end = PartEnd{RunState::kStopped, "", 114};
  MoveAll(run, 115);
  EXPECT_EQ(run.state, RunState::kRecovering) << "not all it told has come";
  run.parts[0].gone = true;
  EXPECT_THAT(MoveAll(run, 116), HasSubstr("node h1 is lost"));
  EXPECT_EQ(run.state, RunState::kPlanning);
}

TEST(ManagedRunTest, WhoWasKilledIsToBlameBeforeWhoGaveUp) {
  ManagedRun run = Training();
  run.parts[0].end = PartEnd{RunState::kFailed, "worker 0: a peer is gone", 110};
  run.parts[1].end = PartEnd{RunState::kFailed, "worker 1 was killed by signal 9", 111};
  run.parts[1].killed_by_others = true;
  MoveOn(run, kMovePolicy, 111);
  const Moved moved = MoveOn(run, kMovePolicy, 111) /* all have ended: nothing more will come */;
  ASSERT_TRUE(moved.blame);
  EXPECT_EQ(moved.blame->node, "h1");
  EXPECT_THAT(moved.reason, HasSubstr("signal 9"));
  EXPECT_FALSE(run.hopeless);
}

TEST(ManagedRunTest, AJobThatEndsBeforeItTrainsIsNotTriedAgain) {
  ManagedRun run = Training();
  for (Part& part : run.parts) {
    part.trained = false;
    part.end = PartEnd{RunState::kFailed, "worker ended with code 2", 101};
    part.gone = true;
  }
  MoveOn(run, kMovePolicy, 102);
  const Moved moved = MoveOn(run, kMovePolicy, 102);
  EXPECT_FALSE(moved.blame) << "no node can help it";
  MoveAll(run, 103);
  EXPECT_EQ(run.state, RunState::kFailed);
  EXPECT_THAT(run.failure, HasSubstr("code 2"));
}

TEST(ManagedRunTest, AttemptsAreCounted) {
  ManagedRun run = Training();
  run.attempt = run.most_attempts = 2;
  for (Part& part : run.parts) part.lost = true;
  EXPECT_THAT(MoveAll(run, 110), HasSubstr("attempt 2 of 2"));
  EXPECT_EQ(run.state, RunState::kFailed);
  EXPECT_FALSE(IsOpen(run)) << "who is lost is not waited for";
}

TEST(ManagedRunTest, WorkersThatAllEndBadlyEndTheAttempt) {
  for (const bool trained : {true, false}) {
    ManagedRun run = Training();
    for (Part& part : run.parts) {
      part.trained = trained;
      part.workers_ended = 1;
    }
    EXPECT_THAT(MoveAll(run, 110), HasSubstr("no worker has ended well"));
    EXPECT_EQ(run.state, RunState::kRecovering);
    for (Part& part : run.parts) part.gone = true;
    MoveAll(run, 111);
    EXPECT_EQ(run.state, trained ? RunState::kPlanning : RunState::kFailed);
  }
}

TEST(ManagedRunTest, WhoDiesWithASilentNodeIsNotToBlame) {
  ManagedRun run = Training();
  run.parts[0].trained = run.parts[1].trained = false;
  run.parts[0].end = PartEnd{RunState::kFailed, "worker ended with code 1", 101};
  run.parts[0].gone = true;
  run.parts[1].silent = true;
  MoveAll(run, 102);
  MoveAll(run, 120);
  EXPECT_EQ(run.state, RunState::kRunning) << "nobody knows yet";
  run.parts[1].lost = true;
  const Moved moved = MoveOn(run, kMovePolicy, 131);
  ASSERT_TRUE(moved.blame);
  EXPECT_EQ(moved.blame->node, "h1");
  MoveAll(run, 132);
  EXPECT_EQ(run.state, RunState::kPlanning) << "another attempt";
}

// It tells of its failure sooner than the silence of the node that caused it can be noticed.
TEST(ManagedRunTest, NobodyIsBlamedBeforeAllOthersHaveBeenHeardAgain) {
  ManagedRun run = Training();
  run.parts[0].end = PartEnd{RunState::kFailed, "a worker went away", 101};
  run.parts[0].gone = true;
  run.parts[0].heard_at = run.parts[1].heard_at = 100.5;
  MoveAll(run, 102);
  MoveAll(run, 120);
  EXPECT_EQ(run.state, RunState::kRunning) << "the other one may be dead";
  ManagedRun heard = run;
  heard.parts[1].heard_at = 119;
  EXPECT_EQ(MoveOn(heard, kMovePolicy, 121).blame->node, "h0");
  run.parts[1].lost = true;
  EXPECT_EQ(MoveOn(run, kMovePolicy, 131).blame->node, "h1");
}

TEST(ManagedRunTest, AWorkerThatHangsIsGivenUp) {
  ManagedRun run = Training();
  run.ends_within_s = 30;
  run.parts[0].workers_ended = run.parts[0].workers_ended_well = 1;
  MoveAll(run, 110);
  MoveAll(run, 139);
  EXPECT_EQ(run.state, RunState::kRunning);
  const Moved moved = MoveOn(run, kMovePolicy, 141);
  ASSERT_TRUE(moved.blame);
  EXPECT_EQ(moved.blame->node, "h1");
  EXPECT_EQ(run.state, RunState::kRecovering);
}

TEST(ManagedRunTest, AStopWaitsUntilEverythingHasEnded) {
  for (const RunState state : {RunState::kTransferring, RunState::kStarting, RunState::kRunning,
                               RunState::kRecovering, RunState::kFinishing}) {
    ManagedRun run = Training();
    run.state = state;
    run.stop_wanted = true;
    run.stop_reason = "no longer needed";
    EXPECT_THAT(MoveAll(run, 110), HasSubstr("no longer needed"));
    EXPECT_EQ(run.state, RunState::kStopping) << core::RunStateName(state);
    EXPECT_EQ(run.parts[1].want, Want::kStop);
    for (Part& part : run.parts) part.gone = true;
    MoveAll(run, 111);
    EXPECT_EQ(run.state, RunState::kStopped);
  }
  ManagedRun queued;
  queued.stop_wanted = true;
  MoveAll(queued, 1);
  EXPECT_EQ(queued.state, RunState::kStopped);
  EXPECT_FALSE(IsOpen(queued));
}

TEST(ManagedRunTest, WhoDiesWhenTheWorkIsDoneTakesNothingAlong) {
  ManagedRun run = Training();
  run.state = RunState::kFinishing;
  for (Part& part : run.parts) part.want = Want::kRelease;
  run.parts[0].lost = true;
  run.parts[1].end = PartEnd{RunState::kFinished, "", 120};
  run.parts[1].gone = true;
  MoveAll(run, 121);
  EXPECT_EQ(run.state, RunState::kFinished);
}

TEST(ManagedRunTest, EveryPartIsPaidFromItsBeginToItsEnd) {
  ManagedRun run = Training();
  run.spent_before = 0.5;
  EXPECT_NEAR(Spent(run, 110), 0.5 + 2 * 0.10, 1e-9);
  run.parts[0].end = PartEnd{RunState::kFailed, "", 105};
  EXPECT_NEAR(Spent(run, 110), 0.5 + 0.05 + 0.10, 1e-9);
  run.parts[1].lost = true;
  MoveOn(run, kMovePolicy, 110);
  EXPECT_NEAR(Spent(run, 999), 0.5 + 0.05 + 0.10, 1e-9)
      << "a lost node costs until it was given up";
  run.parts[0].began_at.reset();
  EXPECT_NEAR(Spent(run, 999), 0.5 + 0.10, 1e-9) << "what never began costs nothing";
}

TEST(ManagedRunTest, WishesHaveNames) {
  for (const Want want :
       {Want::kReady, Want::kStart, Want::kGo, Want::kRelease, Want::kStop, Want::kForget}) {
    EXPECT_EQ(ParseWant(WantName(want)), want);
  }
  EXPECT_FALSE(ParseWant("wait"));
}

}  // namespace
}  // namespace reckon::watch
