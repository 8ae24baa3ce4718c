#include "tests/unit/store/contract.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;
using core::PublishedState;

core::PublishedModel Of(const std::string& name, int64_t run) {
  core::PublishedModel model;
  model.name = name;
  model.run_id = run;
  model.document = R"({"accuracy": 0.5})";
  return model;
}

TEST_P(StoreContract, OneVersionOfAPublishedModelIsLive) {
  core::Run run;
  run.name = "camera";
  run.job = "{}";
  const int64_t id = store_->AddRun(run)->id;
  EXPECT_TRUE(store_->ListPublished()->empty());
  EXPECT_EQ(store_->AddPublished(Of("camera", 7)).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store_->AddPublished(Of("", id)).error().code(), ErrorCode::kBadInput);
  for (const int64_t version : {1, 2, 3}) {
    EXPECT_EQ(store_->AddPublished(Of("camera", id))->version, version);
  }
  EXPECT_EQ(store_->AddPublished(Of("badge", id))->version, 1);
  EXPECT_EQ(store_->SetLive("camera", 4).error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(store_->SetLive("camera", 2).ok());
  ASSERT_TRUE(store_->SetLive("camera", 3).ok());
  ASSERT_TRUE(store_->SetLive("camera", 3).ok()) << "twice is once";
  ASSERT_TRUE(store_->SetLive("badge", 1).ok());
  Reopen();
  const auto all = store_->ListPublished().value();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].name, "badge");
  EXPECT_EQ(all[0].state, PublishedState::kLive);
  EXPECT_EQ(all[1].state, PublishedState::kCandidate);
  EXPECT_EQ(all[2].state, PublishedState::kRetired);
  EXPECT_EQ(all[3].state, PublishedState::kLive);
  EXPECT_EQ(all[3].run_id, id);
  EXPECT_EQ(all[3].document, R"({"accuracy": 0.5})");
}

}  // namespace
}  // namespace reckon::store::testing
