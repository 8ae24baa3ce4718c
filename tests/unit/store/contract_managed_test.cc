#include <vector>

#include "tests/unit/store/contract.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;
using core::RunState;

core::Run Queued() {
  core::Run run;
  run.name = "update";
  run.job = "{}";
  return run;
}

ManagedChange Step(int64_t run, RunState from, RunState to, const std::string& document) {
  ManagedChange change;
  change.from = from;
  change.to = to;
  change.managed = {run, document, true};
  return change;
}

TEST_P(StoreContract, AManagedRunIsThereWithItsDocument) {
  const auto run = store_->AddManagedRun(Queued(), R"({"attempt":0})");
  ASSERT_TRUE(run.ok()) << run.error().Describe();
  ASSERT_TRUE(store_->AddRun(Queued()).ok());
  Reopen();
  const auto open = store_->ListOpenManagedRuns();
  ASSERT_TRUE(open.ok());
  ASSERT_EQ(open->size(), 1U);
  EXPECT_EQ(open->front().run_id, run->id);
  EXPECT_EQ(open->front().document, R"({"attempt":0})");
  EXPECT_EQ(store_->FindManagedRun(run->id)->document, R"({"attempt":0})");
  EXPECT_EQ(store_->FindManagedRun(run->id + 1).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store_->AddManagedRun(Queued(), "[]").error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->ListRuns(10, {})->size(), 2U);
}

TEST_P(StoreContract, AStepOfAManagedRunHappensWholeOrNotAtAll) {
  const int64_t run = store_->AddManagedRun(Queued(), "{}")->id;
  ManagedChange change = Step(run, RunState::kQueued, RunState::kPlanning, R"({"attempt":1})");
  change.plan = R"({"engine":"agents"})";
  change.detail = R"({"reason":"nodes are free"})";
  change.nodes = {{"h0", R"({"strikes":1})"}};
  change.events = {{0, run, "node.strike", R"({"node":"h0"})", {}}, {0, {}, "node.lost", "", {}}};
  const auto moved = store_->ChangeManagedRun(change);
  ASSERT_TRUE(moved.ok()) << moved.error().Describe();
  EXPECT_EQ(moved->state, RunState::kPlanning);
  Reopen();
  EXPECT_EQ(store_->FindRun(run)->plan, R"({"engine":"agents"})");
  EXPECT_EQ(store_->FindManagedRun(run)->document, R"({"attempt":1})");
  EXPECT_EQ(store_->ListNodes()->front().document, R"({"strikes":1})");
  EXPECT_EQ(store_->ListEvents(run, 0, 10)->size(), 2U);  // the strike and the step
  EXPECT_EQ(store_->ListEvents({}, 0, 10)->size(), 3U);

  // Somebody else has moved it: nothing of the change stays.
  ManagedChange late = Step(run, RunState::kQueued, RunState::kPlanning, R"({"attempt":9})");
  late.nodes = {{"h0", R"({"strikes":9})"}};
  late.events = {{0, run, "late", "", {}}};
  EXPECT_EQ(store_->ChangeManagedRun(late).error().code(), ErrorCode::kFailed);
  late.to = late.from;
  EXPECT_EQ(store_->ChangeManagedRun(late).error().code(), ErrorCode::kFailed);
  late.from = RunState::kPlanning;
  late.to = RunState::kFinished;
  EXPECT_EQ(store_->ChangeManagedRun(late).error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->FindManagedRun(run)->document, R"({"attempt":1})");
  EXPECT_EQ(store_->ListNodes()->front().document, R"({"strikes":1})");
  EXPECT_EQ(store_->ListEvents({}, 0, 10)->size(), 3U);
}

TEST_P(StoreContract, ADocumentMayChangeAloneAndARunIsClosedAtLast) {
  const int64_t run = store_->AddManagedRun(Queued(), "{}")->id;
  ManagedChange change = Step(run, RunState::kQueued, RunState::kQueued, R"({"stop":true})");
  ASSERT_TRUE(store_->ChangeManagedRun(change).ok());
  EXPECT_EQ(store_->ListEvents(run, 0, 10)->size(), 0U);
  EXPECT_EQ(store_->FindManagedRun(run)->document, R"({"stop":true})");
  change.to = RunState::kFailed;
  ASSERT_TRUE(store_->ChangeManagedRun(change).ok());
  EXPECT_EQ(store_->ListOpenManagedRuns()->size(), 1U);
  change.from = RunState::kFailed;
  change.managed.open = false;
  ASSERT_TRUE(store_->ChangeManagedRun(change).ok());
  EXPECT_EQ(store_->ListOpenManagedRuns()->size(), 0U);
  // Runs that nobody manages are not touched.
  const int64_t other = store_->AddRun(Queued())->id;
  EXPECT_EQ(store_->ChangeManagedRun(Step(other, RunState::kQueued, RunState::kPlanning, "{}"))
                .error()
                .code(),
            ErrorCode::kNotFound);
}

TEST_P(StoreContract, NodesKeepTheirNewestDocument) {
  const std::vector<core::NodeRecord> both{{"b", "{}"}, {"a", R"({"cpus":4})"}};
  const std::vector<core::Event> events{{0, {}, "node.joined", R"({"node":"a"})", {}}};
  ASSERT_TRUE(store_->SaveNodes(both, events).ok());
  const std::vector<core::NodeRecord> one{{"b", R"({"cpus":1})"}};
  ASSERT_TRUE(store_->SaveNodes(one, {}).ok());
  Reopen();
  const auto nodes = store_->ListNodes();
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(nodes->front().name, "a");
  EXPECT_EQ(nodes->back().document, R"({"cpus":1})");
  EXPECT_EQ(store_->ListEvents({}, 0, 10)->size(), 1U);
  const std::vector<core::NodeRecord> nameless{{"", "{}"}};
  EXPECT_EQ(store_->SaveNodes(nameless, {}).error().code(), ErrorCode::kBadInput);
}

}  // namespace
}  // namespace reckon::store::testing
