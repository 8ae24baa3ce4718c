#include <cmath>

#include "tests/unit/store/contract.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;

int64_t AddRunNamed(Store& store, const std::string& name) {
  core::Run run;
  run.name = name;
  run.job = "{}";
  return store.AddRun(run)->id;
}

TEST_P(StoreContract, SpendIsSummedByUserAndProject) {
  EXPECT_TRUE(store_->ListSpend({})->empty());
  const auto begin = clock_.Now();
  for (const auto& [user, project, dollars] :
       {std::tuple("Ada", "digits", 1.5), std::tuple("Bo", "", 0.0),
        std::tuple("Ada", "digits", 0.25), std::tuple("Ada", "", 3.0)}) {
    ASSERT_TRUE(store_->SetCharge({AddRunNamed(*store_, "r"), user, project, dollars}).ok());
  }
  // A bill that is written again replaces itself.
  ASSERT_TRUE(store_->SetCharge({2, "Bo", "", 2.0}).ok());
  Reopen();
  const auto all = store_->ListSpend({});
  ASSERT_TRUE(all.ok()) << all.error().Describe();
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ((*all)[0].user, "Ada");
  EXPECT_EQ((*all)[0].project, "");
  EXPECT_EQ((*all)[0].dollars, 3);
  EXPECT_EQ((*all)[1].project, "digits");
  EXPECT_EQ((*all)[1].runs, 2);
  EXPECT_EQ((*all)[1].dollars, 1.75);
  EXPECT_EQ((*all)[2].user, "Bo");
  EXPECT_EQ((*all)[2].dollars, 2);
  EXPECT_EQ(store_->ListSpend(begin)->size(), 3U);
  EXPECT_TRUE(store_->ListSpend(clock_.Now() + std::chrono::hours(1))->empty());
}

TEST_P(StoreContract, ABillCountsOnceItsRunIsClosed) {
  core::Run run;
  run.name = "update";
  run.job = "{}";
  const int64_t id = store_->AddManagedRun(run, "{}")->id;
  ASSERT_TRUE(store_->SetCharge({id, "Ada", "", 2}).ok());
  EXPECT_TRUE(store_->ListSpend({})->empty());
  ManagedChange close;
  close.from = close.to = core::RunState::kQueued;
  close.managed = {id, "{}", false};
  ASSERT_TRUE(store_->ChangeManagedRun(close).ok());
  EXPECT_EQ(store_->ListSpend({})->size(), 1U);
}

TEST_P(StoreContract, BillsAreOfRunsAndNeverNegative) {
  EXPECT_EQ(store_->SetCharge({7, "Ada", "", 1}).error().code(), ErrorCode::kNotFound);
  const int64_t run = AddRunNamed(*store_, "r");
  EXPECT_EQ(store_->SetCharge({run, "Ada", "", -1}).error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->SetCharge({run, "Ada", "", std::nan("")}).error().code(), ErrorCode::kBadInput);
  EXPECT_TRUE(store_->ListSpend({})->empty());
}

}  // namespace
}  // namespace reckon::store::testing
