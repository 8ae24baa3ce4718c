#include "watch/update_trigger.h"

#include <gtest/gtest.h>

namespace reckon::watch {
namespace {

TEST(UpdateTriggerTest, TellsWhyItIsTime) {
  TriggerPolicy policy;
  TriggerFacts facts;
  facts.now = 1000;
  facts.images = 50;
  facts.new_images = 50;
  EXPECT_EQ(WhyToUpdate(policy, facts), std::nullopt) << "nobody has said when";
  policy.new_images = 51;
  EXPECT_EQ(WhyToUpdate(policy, facts), std::nullopt);
  policy.new_images = 50;
  EXPECT_EQ(WhyToUpdate(policy, facts), "50 new images");
  facts.new_images = 0;
  policy.every_s = 100;
  EXPECT_EQ(WhyToUpdate(policy, facts), "the first update");
  facts.last_at = 901;
  EXPECT_EQ(WhyToUpdate(policy, facts), std::nullopt);
  facts.last_at = 900;
  EXPECT_EQ(WhyToUpdate(policy, facts), "it is time");
}

TEST(UpdateTriggerTest, AModelThatMeetsSomethingElseIsUpdated) {
  TriggerPolicy policy;
  policy.accuracy_below = 0.8;
  policy.least_judged = 20;
  TriggerFacts facts;
  facts.images = 10;
  facts.new_images = 1;
  facts.accuracy = 0.5;
  facts.judged = 19;
  EXPECT_EQ(WhyToUpdate(policy, facts), std::nullopt) << "too few to tell";
  facts.judged = 20;
  EXPECT_EQ(WhyToUpdate(policy, facts), "accuracy 0.500 of 20 answers, below 0.800");
  facts.new_images = 0;
  EXPECT_EQ(WhyToUpdate(policy, facts), std::nullopt) << "it would come to the same";
  facts.new_images = 1;
  facts.accuracy = 0.8;
  EXPECT_EQ(WhyToUpdate(policy, facts), std::nullopt);
}

TEST(UpdateTriggerTest, WhoIsAskedDoesNotWait) {
  TriggerFacts facts;
  facts.images = 1;
  facts.wanted = "drift";
  facts.failed_at = 0;
  facts.now = 1;
  EXPECT_EQ(WhyToUpdate({}, facts), "drift");
  facts.images = 0;
  EXPECT_EQ(WhyToUpdate({}, facts), std::nullopt) << "there is nothing to train on";
}

TEST(UpdateTriggerTest, AfterAFailureItIsTriedAgainAfterAWhile) {
  TriggerPolicy policy;
  policy.new_images = 10;
  policy.retry_s = 60;
  TriggerFacts facts;
  facts.images = facts.new_images = 10;
  facts.failed_at = 100;
  facts.now = 159;
  EXPECT_EQ(WhyToUpdate(policy, facts), std::nullopt);
  facts.now = 160;
  EXPECT_EQ(WhyToUpdate(policy, facts), "10 new images");
}

}  // namespace
}  // namespace reckon::watch
