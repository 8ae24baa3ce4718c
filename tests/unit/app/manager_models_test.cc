// The manager and trained models: they come up from nodes, and runs answer with them.
#include <gmock/gmock.h>

#include "act/agents/checkpoint_relay.h"
#include "tests/unit/app/manager_play.h"

namespace reckon::app {
namespace {

using core::RunState;
using std::chrono::seconds;
using support::Within;
using testing::HasSubstr;

TEST_F(ManagerTest, AModelThatWasTrainedComesUpBeforeTheRunIsOver) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  Submit();
  BringToWork(h0, h1);
  const auto end = base::Json{
      {"kind", "rank.ended"}, {"role", "worker"}, {"index", 0}, {"exit_code", 0}, {"at", 109}};
  h0.Tell(end);
  h1.Tell(end);
  ASSERT_TRUE(h0.IsTold("release"));
  ASSERT_TRUE(h1.IsTold("release"));
  const std::string text(1'500'000, 'm');
  const act::FilePrint print = act::PrintOf(text);
  const act::PartKey key{1, 1};
  h0.End("finished", 110);
  h0.Facts(1, 1)->result = print;
  h1.End("finished", 112);
  h1.Beat();
  for (int i = 0; i < 3; ++i) {
    h0.Beat();
    EXPECT_EQ(h0.wishes_.at(key).have_result, "");
  }
  EXPECT_EQ(StateNow(), RunState::kFinishing) << "its model is not here";
  EXPECT_EQ(manager_->ReadModel(1).error().code(), base::ErrorCode::kNotFound);
  EXPECT_EQ(manager_->TakeResult("h2", key, print, 0, text).error().code(),
            base::ErrorCode::kNotFound);
  EXPECT_EQ(manager_->TakeResult("h0", key, print, 0, text.substr(0, 1000)).value(), 1000U);
  // Another node's, meanwhile, is another file.
  EXPECT_EQ(manager_->TakeResult("h1", key, act::PrintOf("old"), 0, "old").value(), 3U);
  EXPECT_EQ(manager_->ReadModel(1).value(), "old");
  EXPECT_EQ(manager_->TakeResult("h0", key, print, 1000, text.substr(1000)).value(), text.size());
  EXPECT_EQ(manager_->ReadModel(1).value(), text);
  ASSERT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    return StateNow() == RunState::kFinished;
  }));
  Start();
  EXPECT_EQ(manager_->ReadModel(1).value(), text);
}

// A published model is served beside whatever works on the node.
TEST_F(ManagerTest, WhoServesAModelTakesNobodysNode) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.beat_.now.cpu = 0.9;
  h0.Beat();
  h1.Beat();
  const auto run = manager_->Serve({"camera", 3}, "the model");
  ASSERT_TRUE(run.ok()) << run.error().Describe();
  EXPECT_EQ(run->name, "camera.serving");
  ASSERT_EQ(manager_->Servings().size(), 1U);
  EXPECT_EQ(manager_->Servings()[0].url, "");
  clock_.Advance(seconds(6));
  ASSERT_TRUE(Within(kPatience, [&] {
    h1.Beat();
    return h1.Facts(1, 1) != nullptr;
  })) << "the idlest one";
  const act::PartWish& wish = h1.wishes_.at({1, 1});
  ASSERT_TRUE(wish.checkpoint);
  EXPECT_EQ(*wish.checkpoint, act::PrintOf("the model"));
  EXPECT_EQ(manager_->ReadCheckpoint("h1", {1, 1}, 0).value(), "the model");
  EXPECT_THAT(wish.spec->processes[0].argv[2], HasSubstr("--serve checkpoint"));
  // A run for two nodes begins, though it serves on one of them.
  ASSERT_TRUE(
      manager_->Submit({"name: update\nnum_nodes: 2\nrun: sleep 1\n", "job.yaml", {}}).ok());
  ASSERT_TRUE(Within(kPatience, [&] {
    h0.Beat(2);
    h1.Beat(2);
    return h0.Facts(2, 1) != nullptr && h1.Facts(2, 1) != nullptr;
  }));
  // It answers when it runs, also for a manager that was started anew.
  ASSERT_TRUE(h1.IsTold("start", 1));
  h1.Tell({{"kind", "part.state"}, {"at", 100}, {"state", "starting"}}, 1);
  h1.Tell({{"kind", "background.settled"}, {"at", 101}}, 1);
  ASSERT_TRUE(h1.IsTold("go", 1));
  h1.Tell({{"kind", "part.state"}, {"at", 102}, {"state", "running"}}, 1);
  Start();
  ASSERT_TRUE(Within(kPatience, [&] {
    h1.Beat(1);
    const auto servings = manager_->Servings();
    return servings.size() == 1 && !servings[0].url.empty();
  }));
  const ServingRun serving = manager_->Servings()[0];
  EXPECT_EQ(serving.of.name, "camera");
  EXPECT_EQ(serving.of.version, 3);
  EXPECT_EQ(serving.node, "h1");
  EXPECT_THAT(serving.url, HasSubstr("http://10.0.0.1:"));
  EXPECT_FALSE(serving.token.empty());
  ASSERT_TRUE(manager_->RequestStop(1, "another version is live").ok());
  EXPECT_TRUE(manager_->Servings().empty());
}

}  // namespace
}  // namespace reckon::app
