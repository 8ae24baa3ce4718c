#include <vector>

#include "tests/unit/store/contract.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;

core::Run RunOf(std::optional<int64_t> campaign, const std::string& point) {
  core::Run run;
  run.name = "grid";
  run.job = "{}";
  run.campaign_id = campaign;
  run.point = point;
  return run;
}

TEST_P(StoreContract, ACampaignKeepsItsNumberAndTakesTheNewestDocument) {
  const auto first = store_->SaveCampaign("grid", R"({"repeats":1})");
  ASSERT_TRUE(first.ok()) << first.error().Describe();
  ASSERT_TRUE(store_->SaveCampaign("other", "{}").ok());
  const auto second = store_->SaveCampaign("grid", R"({"repeats":2})");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->id, first->id);
  EXPECT_EQ(second->created_at, first->created_at);
  Reopen();
  EXPECT_EQ(store_->FindCampaign("grid")->document, R"({"repeats":2})");
  const auto all = store_->ListCampaigns();
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(all->back().name, "other");
  EXPECT_EQ(store_->FindCampaign("gird").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store_->SaveCampaign("", "{}").error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->SaveCampaign("x", "[]").error().code(), ErrorCode::kBadInput);
}

TEST_P(StoreContract, RunsOfACampaignAreFoundInTheOrderOfTheirMaking) {
  const int64_t grid = store_->SaveCampaign("grid", "{}")->id;
  const int64_t other = store_->SaveCampaign("other", "{}")->id;
  ASSERT_TRUE(store_->AddRun(RunOf(grid, "a")).ok());
  ASSERT_TRUE(store_->AddRun(RunOf({}, "")).ok());
  ASSERT_TRUE(store_->AddRun(RunOf(other, "a")).ok());
  ASSERT_TRUE(store_->AddRun(RunOf(grid, "b")).ok());
  Reopen();
  const auto runs = store_->ListCampaignRuns(grid);
  ASSERT_TRUE(runs.ok()) << runs.error().Describe();
  ASSERT_EQ(runs->size(), 2U);
  EXPECT_EQ(runs->front().point, "a");
  EXPECT_EQ(runs->front().campaign_id, grid);
  EXPECT_EQ(runs->back().point, "b");
  EXPECT_EQ(store_->FindRun(2)->campaign_id, std::nullopt);
  EXPECT_EQ(store_->FindRun(2)->point, "");
  EXPECT_EQ(store_->ListCampaignRuns(77).error().code(), ErrorCode::kNotFound);
}

TEST_P(StoreContract, ARunHasACampaignAndAPointOrNone) {
  const int64_t grid = store_->SaveCampaign("grid", "{}")->id;
  EXPECT_EQ(store_->AddRun(RunOf(grid, "")).error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->AddRun(RunOf({}, "a")).error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->AddRun(RunOf(grid + 1, "a")).error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(store_->ListCampaignRuns(grid)->empty());
}

TEST_P(StoreContract, ManyEventsAreAllOrNone) {
  const int64_t run = store_->AddRun(RunOf({}, ""))->id;
  std::vector<core::Event> events(1000);
  for (core::Event& event : events) {
    event.run_id = run;
    event.kind = "metric";
    event.detail = R"({"value":1})";
  }
  ASSERT_TRUE(store_->AddEvents(events).ok());
  ASSERT_TRUE(store_->AddEvents({}).ok());
  EXPECT_EQ(store_->ListEvents(run, 0, 5000)->size(), 1000U);
  events[999].run_id = run + 1;
  EXPECT_EQ(store_->AddEvents(events).error().code(), ErrorCode::kNotFound);
  events[999].run_id = run;
  events[999].detail = "no JSON";
  EXPECT_EQ(store_->AddEvents(events).error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->ListEvents(run, 0, 5000)->size(), 1000U);
}

}  // namespace
}  // namespace reckon::store::testing
