// The manager and a data store that the test plays: Deep-Edge's sequences of scheduling and
// failure.
#include <gmock/gmock.h>

#include "tests/unit/app/manager_play.h"

namespace reckon::app {
namespace {

using base::ErrorCode;
using core::RunState;
using std::chrono::seconds;
using support::Within;
using testing::ElementsAre;
using testing::HasSubstr;

class ManagerUpdateTest : public ManagerTest {
 protected:
  static constexpr const char* kJob =
      "name: camera\nservers: 1\n"
      "trainer: {network: mlp, strategy: async-ps, batch: 32, epochs: 2}\n";

  UpdateAsk Ask() const {
    UpdateAsk ask;
    ask.data_store = "camera";
    ask.reason = "of the test";
    ask.images = 300;
    ask.validation_images = 50;
    ask.print = "p1";
    ask.servers = {"pi"};
    return ask;
  }
  void Begin() {
    for (PlayedNode* node : {&pi_, &fast_, &slow_}) node->Beat();
    ASSERT_TRUE(manager_->HearDataStore("camera", 300, 300).ok());
    const auto run = manager_->AskForUpdate({kJob, "job.yaml", {}}, Ask());
    ASSERT_TRUE(run.ok()) << run.error().Describe();
    ASSERT_EQ(run->id, 1);
    clock_.Advance(seconds(6));  // nobody else will join
  }
  void BeatAll() {
    for (PlayedNode* node : {&pi_, &fast_, &slow_}) node->Beat();
  }
  bool Asks(UpdateAsks asks) {
    return Within(kPatience, [&] {
      BeatAll();
      const auto answer = manager_->HearDataStore("camera", 300, 300);
      return answer.ok() && answer->update && answer->update->asks == asks;
    });
  }
  UpdateOffer Offer(const UpdatePlan& plan) const {
    UpdateOffer offer{"http://127.0.0.1:9/1.1", "secret", {}};
    for (size_t rank = 0; rank < plan.shares.size(); ++rank) {
      for (const std::string& name :
           {fmt::format("shard-{}.images", rank), fmt::format("shard-{}.labels", rank),
            std::string("validation.images"), std::string("validation.labels")}) {
        offer.files[plan.shares[rank].node].push_back({name, {"0", 1}});
      }
    }
    return offer;
  }
  // As an agent that has fetched all of it.
  static void HasData(PlayedNode& node, int64_t attempt) {
    act::PartFacts facts;
    facts.key = {1, attempt};
    facts.has_data = true;
    node.beat_.parts.push_back(facts);
  }

  PlayedNode pi_{manager_, "pi"};
  PlayedNode fast_{manager_, "fast"};
  PlayedNode slow_{manager_, "slow"};
};

TEST_F(ManagerUpdateTest, FromTheQuestionToTheTask) {
  fast_.beat_.node.cpus = 2;
  Begin();
  EXPECT_THAT(manager_->AskForUpdate({kJob, "job.yaml", {}}, Ask()).error().Describe(),
              HasSubstr("has asked already"));
  ASSERT_TRUE(Asks(UpdateAsks::kOffer));
  const UpdateReport planned = manager_->ReportUpdate(1).value();
  EXPECT_EQ(planned.run.state, RunState::kTransferring);
  EXPECT_THAT(planned.plan.servers, ElementsAre("pi"));
  ASSERT_EQ(planned.plan.shares.size(), 2U);
  EXPECT_EQ(planned.plan.shares[0].node, "fast");
  EXPECT_EQ(planned.plan.shares[0].images, 200) << "twice the processors";
  EXPECT_EQ(planned.plan.shares[1].images, 100);
  EXPECT_EQ(fast_.wishes_.at({1, 1}).data, std::nullopt);
  EXPECT_EQ(fast_.Facts(1, 1), nullptr) << "what it shall do nobody has said";

  // Killed now, the manager knows it all.
  Start();
  ASSERT_TRUE(Asks(UpdateAsks::kOffer));
  UpdateOffer wrong = Offer(planned.plan);
  wrong.files["slow"].pop_back();
  EXPECT_THAT(manager_->OfferData(1, 1, wrong).error().Describe(), HasSubstr("nodes.slow"));
  EXPECT_EQ(manager_->OfferData(1, 2, Offer(planned.plan)).error().code(), ErrorCode::kFailed);
  ASSERT_TRUE(manager_->OfferData(1, 1, Offer(planned.plan)).ok());
  BeatAll();
  const auto& data = fast_.wishes_.at({1, 1}).data;
  ASSERT_TRUE(data);
  EXPECT_EQ(data->secret, "secret");
  EXPECT_EQ(data->files[0].name, "shard-0.images");
  EXPECT_EQ(pi_.wishes_.at({1, 1}).data, std::nullopt) << "a server needs no images";
  HasData(fast_, 1);
  BeatAll();
  EXPECT_EQ(manager_->RegisterTask(1, 1, {}).error().code(), ErrorCode::kFailed);
  HasData(slow_, 1);
  ASSERT_TRUE(Asks(UpdateAsks::kTask));
  EXPECT_THAT(manager_->RegisterTask(1, 1, {{"trainer.epochs", "many"}}).error().Describe(),
              HasSubstr("trainer.epochs"));
  ASSERT_TRUE(manager_->RegisterTask(1, 1, {{"trainer.epochs", "5"}}).ok());
  for (PlayedNode* node : {&fast_, &slow_})
    std::erase_if(node->beat_.parts, [](auto&) { return true; });
  BeatAll();
  const act::PartWish& wish = slow_.wishes_.at({1, 1});
  ASSERT_TRUE(wish.spec);
  ASSERT_TRUE(wish.data) << "an agent that has lost it fetches it again";
  EXPECT_EQ(wish.spec->processes[0].role, "worker");
  EXPECT_EQ(wish.spec->processes[0].index, 1);
  EXPECT_EQ(pi_.wishes_.at({1, 1}).spec->processes[0].role, "server");
  const auto trainer = base::ParseJson(wish.contents.begin()->second, "trainer").value();
  EXPECT_EQ(trainer.at("epochs"), 5);
  EXPECT_EQ(trainer.at("shards"), base::Json({200, 100}));
  EXPECT_EQ(trainer.at("shards_of"), "p1");
  EXPECT_EQ(trainer.at("train_files"), base::Json({"shard-{rank}.images", "shard-{rank}.labels"}));
  // And killed now it goes on, too.
  Start();
  ASSERT_TRUE(Within(kPatience, [&] {
    BeatAll();
    return slow_.Facts(1, 1) != nullptr && slow_.Facts(1, 1)->began;
  }));
}

TEST_F(ManagerUpdateTest, AfterAFailureTheDataStoreIsToldToAskAgain) {
  Begin();
  ASSERT_TRUE(Asks(UpdateAsks::kOffer));
  const UpdatePlan plan = manager_->ReportUpdate(1)->plan;
  EXPECT_EQ(manager_->AskAgain(1, 1).error().code(), ErrorCode::kFailed) << "nothing has failed";
  ASSERT_TRUE(manager_->OfferData(1, 1, Offer(plan)).ok());
  // A node is lost while it fetches.
  for (int i = 0; i < 2; ++i) {
    clock_.Advance(seconds(16));
    pi_.Beat();
    fast_.Beat();
    ASSERT_TRUE(manager_->HearDataStore("camera", 300, 300).ok());
  }
  ASSERT_TRUE(Within(kPatience, [&] {
    pi_.Beat();
    fast_.Beat();
    return manager_->HearDataStore("camera", 300, 300)->update->asks == UpdateAsks::kAgain;
  })) << UpdateAsksName(manager_->ReportUpdate(1)->asks);
  EXPECT_THAT(manager_->ReportUpdate(1)->failure, HasSubstr("node slow is lost"));
  Start();
  pi_.Beat();
  fast_.Beat();
  ASSERT_TRUE(manager_->AskAgain(1, 1).ok());
  clock_.Advance(seconds(6));
  ASSERT_TRUE(Within(kPatience, [&] {
    pi_.Beat();
    fast_.Beat();
    return manager_->HearDataStore("camera", 300, 300)->update->asks == UpdateAsks::kOffer;
  }));
  const UpdateReport second = manager_->ReportUpdate(1).value();
  EXPECT_EQ(second.attempt, 2);
  ASSERT_EQ(second.plan.shares.size(), 1U);
  EXPECT_EQ(second.plan.shares[0].images, 300);
  EXPECT_THAT(Kinds(), HasSubstr("update.planned"));
  EXPECT_THAT(Kinds(), HasSubstr("node.lost run.state:recovering run.state:planning "
                                 "update.asked_again"));
}

TEST_F(ManagerUpdateTest, ADataStoreThatIsSilentHasGivenItUp) {
  Begin();
  ASSERT_TRUE(Asks(UpdateAsks::kOffer));
  for (int i = 0; i < 7; ++i) {
    clock_.Advance(seconds(9));
    BeatAll();
  }
  ASSERT_TRUE(Within(kPatience, [&] {
    BeatAll();
    return StateNow() == RunState::kFailed;
  }));
  EXPECT_THAT(manager_->ReportUpdate(1)->failure, HasSubstr("has been silent for 6"));
  // What it asks next is another update.
  ASSERT_TRUE(manager_->AskForUpdate({kJob, "job.yaml", {}}, Ask()).ok());
}

TEST_F(ManagerUpdateTest, WhatIsNoUpdateIsSaid) {
  Submit();
  EXPECT_EQ(manager_->ReportUpdate(1).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(manager_->ReportUpdate(7).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(manager_->OfferData(1, 1, {}).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(manager_->WantUpdate("nobody", "x").error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(
      manager_->AskForUpdate({"name: c\nrun: id\n", "job.yaml", {}}, Ask()).error().Describe(),
      HasSubstr("has no trainer"));
  ASSERT_TRUE(manager_->HearDataStore("camera", 1, 1).ok());
  ASSERT_TRUE(manager_->WantUpdate("camera", "drift").ok());
  EXPECT_EQ(manager_->HearDataStore("camera", 1, 1)->wanted, "drift");
  ASSERT_TRUE(manager_->AskForUpdate({kJob, "job.yaml", {}}, Ask()).ok());
  EXPECT_EQ(manager_->HearDataStore("camera", 1, 1)->wanted, "");
}

}  // namespace
}  // namespace reckon::app
