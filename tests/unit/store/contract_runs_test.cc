#include <array>
#include <atomic>
#include <thread>

#include "base/progress.h"
#include "core/table_builder.h"
#include "tests/unit/store/contract.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;
using core::RunState;

core::Run MakeRun(const std::string& name) {
  return {.id = 0,
          .name = name,
          .job = R"({"network":"lenet"})",
          .plan = {},
          .state = RunState::kQueued,
          .created_at = {},
          .changed_at = {}};
}

core::Event MakeEvent(std::optional<int64_t> run_id, const std::string& kind) {
  return {.id = 0, .run_id = run_id, .kind = kind, .detail = R"({"x":1})", .at = {}};
}

TEST_P(StoreContract, ARunComesBackAsItWasAdded) {
  core::Run run = MakeRun("train");
  run.plan = R"({"nodes":["a"]})";
  const auto added = store_->AddRun(run);
  ASSERT_TRUE(added.ok()) << added.error().Describe();
  EXPECT_GT(added->id, 0);
  Reopen();
  const auto found = store_->FindRun(added->id);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->name, "train");
  EXPECT_EQ(found->job, run.job);
  EXPECT_EQ(found->plan, run.plan);
  EXPECT_EQ(found->state, RunState::kQueued);
  EXPECT_EQ(found->created_at, added->created_at);
  EXPECT_EQ(found->changed_at, added->created_at);
  EXPECT_EQ(store_->FindRun(added->id + 1).error().code(), ErrorCode::kNotFound);
}

TEST_P(StoreContract, ARunWithoutAPlanHasAnEmptyOne) {
  const int64_t id = store_->AddRun(MakeRun("train"))->id;
  EXPECT_EQ(store_->FindRun(id)->plan, "");
}

// A run that has gone as far as `running`.
core::Run RunningRun(Store& store) {
  core::Run run = store.AddRun(MakeRun("train")).value();
  for (const RunState state : {RunState::kPlanning, RunState::kStarting, RunState::kRunning}) {
    run = store.MoveRun(run.id, run.state, state, "").value();
  }
  return run;
}

core::CollectedRows RowsOf(const std::string& set, const core::Row& row) {
  core::TableBuilder builder;
  builder.AddRow(row);
  return {set, std::move(builder).Finish(core::kCollected)};
}

TEST_P(StoreContract, AFinishedRunLeavesItsRowsWithThoseOfEarlierRuns) {
  const core::Run first = RunningRun(*store_);
  const auto one = RowsOf("t.runs", {{"workers", 1.0}, {"network", "mlp"}, {"time_s", 0.1}});
  ASSERT_TRUE(store_->FinishRun(first.id, first.state, RunState::kFinished, "", {&one, 1}).ok());
  const core::Run second = RunningRun(*store_);
  const auto two = RowsOf("t.runs", {{"workers", 2.0}, {"network", "cnn"}, {"loss", 0.5}});
  ASSERT_TRUE(store_->FinishRun(second.id, second.state, RunState::kFinished, "", {&two, 1}).ok());
  Reopen();
  EXPECT_EQ(store_->FindRun(second.id)->state, RunState::kFinished);
  const core::Table table = store_->LoadSamples("t.runs").value();
  ASSERT_EQ(table.row_count, 2);
  EXPECT_EQ(table.Names(), (std::vector<std::string>{"workers", "network", "time_s", "loss"}));
  EXPECT_EQ(table.columns[1].Text(1), "cnn");
  EXPECT_EQ(table.columns[2].Text(0), "0.1");
  EXPECT_EQ(table.columns[2].Text(1), "");
  EXPECT_EQ(table.columns[3].Text(1), "0.5");
  const auto sets = store_->ListSampleSets().value();
  ASSERT_EQ(sets.size(), 1);
  EXPECT_EQ(sets[0].source, core::kCollected);
  EXPECT_EQ(sets[0].row_count, 2);
}

TEST_P(StoreContract, TheEndOfARunAndItsRowsAreOneStep) {
  const core::Run run = RunningRun(*store_);
  const auto rows = RowsOf("t.runs", {{"workers", 1.0}});
  // Somebody else was quicker.
  EXPECT_EQ(store_->FinishRun(run.id, RunState::kStarting, RunState::kFailed, "", {&rows, 1})
                .error()
                .code(),
            ErrorCode::kFailed);
  EXPECT_EQ(store_->LoadSamples("t.runs").error().code(), ErrorCode::kNotFound);
  // A set that somebody imported stays as it is, and the run too.
  base::NoProgress silent;
  ASSERT_TRUE(store_->AddSampleSet("t.runs", "print", rows.rows, {}, silent).ok());
  core::CollectedRows other = rows;
  other.rows.source = "elsewhere.csv";
  ASSERT_TRUE(store_->AddSampleSet("mine", "print", other.rows, {}, silent).ok());
  other.set = "mine";
  EXPECT_EQ(
      store_->FinishRun(run.id, run.state, RunState::kFinished, "", {&other, 1}).error().code(),
      ErrorCode::kBadInput);
  EXPECT_EQ(store_->FindRun(run.id)->state, RunState::kRunning);
  EXPECT_EQ(store_->LoadSamples("mine")->row_count, 1);
}

TEST_P(StoreContract, BadRunsAreRefused) {
  core::Run run = MakeRun("");
  EXPECT_EQ(store_->AddRun(run).error().code(), ErrorCode::kBadInput);
  run = MakeRun("a");
  run.job = "not json";
  EXPECT_EQ(store_->AddRun(run).error().code(), ErrorCode::kBadInput);
  run = MakeRun("a");
  run.state = RunState::kRunning;
  EXPECT_EQ(store_->AddRun(run).error().code(), ErrorCode::kBadInput);
  EXPECT_TRUE(store_->ListRuns(10, {})->empty());
}

TEST_P(StoreContract, RunsAreListedNewestFirstPageByPage) {
  std::vector<int64_t> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(store_->AddRun(MakeRun("r"))->id);
  const auto page = store_->ListRuns(2, {});
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->size(), 2U);
  EXPECT_EQ((*page)[0].id, ids[4]);
  EXPECT_EQ((*page)[1].id, ids[3]);
  const auto rest = store_->ListRuns(SIZE_MAX, (*page)[1].id);
  ASSERT_EQ(rest->size(), 3U);
  EXPECT_EQ((*rest)[0].id, ids[2]);
  EXPECT_TRUE(store_->ListRuns(0, {})->empty());
}

TEST_P(StoreContract, AStepMovesTheRunAndLeavesAnEvent) {
  const int64_t id = store_->AddRun(MakeRun("train"))->id;
  const auto moved =
      store_->MoveRun(id, RunState::kQueued, RunState::kPlanning, R"({"why":"its turn"})");
  ASSERT_TRUE(moved.ok()) << moved.error().Describe();
  EXPECT_EQ(moved->state, RunState::kPlanning);
  EXPECT_GT(moved->changed_at, moved->created_at);
  ASSERT_TRUE(store_->MoveRun(id, RunState::kPlanning, RunState::kStarting, "").ok());
  Reopen();
  EXPECT_EQ(store_->FindRun(id)->state, RunState::kStarting);
  const auto events = store_->ListEvents(id, 0, 10);
  ASSERT_TRUE(events.ok());
  ASSERT_EQ(events->size(), 2U);
  EXPECT_EQ((*events)[0].kind, "run.state");
  EXPECT_EQ((*events)[0].run_id, id);
  EXPECT_EQ((*events)[0].at, moved->changed_at);
  EXPECT_EQ((*events)[0].detail,
            R"({"from":"queued","to":"planning","detail":{"why":"its turn"}})");
  EXPECT_EQ((*events)[1].detail, R"({"from":"planning","to":"starting"})");
  EXPECT_EQ(store_->NewestEventId().value(), (*events)[1].id);
}

TEST_P(StoreContract, AForbiddenStepChangesNothing) {
  EXPECT_EQ(store_->NewestEventId().value(), 0);
  const int64_t id = store_->AddRun(MakeRun("train"))->id;
  const auto moved = store_->MoveRun(id, RunState::kQueued, RunState::kRunning, "");
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().code(), ErrorCode::kBadInput);
  EXPECT_NE(moved.error().message().find("from 'queued' to 'running'"), std::string::npos);
  EXPECT_EQ(store_->MoveRun(id, RunState::kQueued, RunState::kPlanning, "[]").error().code(),
            ErrorCode::kBadInput);
  EXPECT_EQ(store_->FindRun(id)->state, RunState::kQueued);
  EXPECT_TRUE(store_->ListEvents(id, 0, 10)->empty());
}

TEST_P(StoreContract, ALostRaceChangesNothing) {
  const int64_t id = store_->AddRun(MakeRun("train"))->id;
  const auto other = AnotherConnection();
  ASSERT_TRUE(other->MoveRun(id, RunState::kQueued, RunState::kStopping, "").ok());
  const auto moved = store_->MoveRun(id, RunState::kQueued, RunState::kPlanning, "");
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().code(), ErrorCode::kFailed);
  EXPECT_NE(moved.error().message().find("is 'stopping' by now, not 'queued'"), std::string::npos);
  EXPECT_EQ(store_->ListEvents(id, 0, 10)->size(), 1U);
  EXPECT_EQ(store_->MoveRun(id + 1, RunState::kQueued, RunState::kPlanning, "").error().code(),
            ErrorCode::kNotFound);
}

TEST_P(StoreContract, OfManyRacersOneWins) {
  const int64_t id = store_->AddRun(MakeRun("train"))->id;
  std::atomic<int> won = 0;
  std::atomic<int> lost = 0;
  {
    std::array<std::jthread, 4> racers;
    for (std::jthread& racer : racers) {
      racer = std::jthread([&, own = AnotherConnection()] {
        const auto moved = own->MoveRun(id, RunState::kQueued, RunState::kPlanning, "");
        if (moved.ok()) ++won;
        if (!moved.ok() && moved.error().code() == ErrorCode::kFailed) ++lost;
      });
    }
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 3);
  EXPECT_EQ(store_->ListEvents(id, 0, 10)->size(), 1U);
}

TEST_P(StoreContract, EventsAreReadOnFromTheLastOneSeen) {
  const int64_t run = store_->AddRun(MakeRun("train"))->id;
  const auto first = store_->AddEvent(MakeEvent(std::nullopt, "model.fitted"));
  const auto second = store_->AddEvent(MakeEvent(run, "run.heartbeat"));
  const auto third = store_->AddEvent(MakeEvent(std::nullopt, "model.fitted"));
  ASSERT_TRUE(first.ok() && second.ok() && third.ok());
  Reopen();
  const auto all = store_->ListEvents({}, 0, 10);
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ((*all)[0].id, *first);
  EXPECT_EQ((*all)[0].run_id, std::nullopt);
  EXPECT_EQ((*all)[0].kind, "model.fitted");
  EXPECT_EQ((*all)[0].detail, R"({"x":1})");
  EXPECT_LT((*all)[0].at, (*all)[1].at);
  EXPECT_EQ(store_->ListEvents({}, *first, 1)->front().id, *second);
  const auto of_run = store_->ListEvents(run, 0, 10);
  ASSERT_EQ(of_run->size(), 1U);
  EXPECT_EQ((*of_run)[0].id, *second);
  EXPECT_TRUE(store_->ListEvents(run, *second, 10)->empty());
}

TEST_P(StoreContract, BadEventsAreRefused) {
  EXPECT_EQ(store_->AddEvent(MakeEvent(7, "run.lost")).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store_->AddEvent(MakeEvent({}, "")).error().code(), ErrorCode::kBadInput);
  core::Event event = MakeEvent({}, "kind");
  event.detail = "3";
  EXPECT_EQ(store_->AddEvent(event).error().code(), ErrorCode::kBadInput);
  event.detail = "";
  ASSERT_TRUE(store_->AddEvent(event).ok());
  EXPECT_EQ(store_->ListEvents({}, 0, 10)->front().detail, "{}");
}

}  // namespace
}  // namespace reckon::store::testing
