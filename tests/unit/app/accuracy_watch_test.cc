#include "app/runs/accuracy_watch.h"

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace reckon::app {
namespace {

using base::Json;
using ::testing::HasSubstr;

Json Metric(const char* name, double value, int worker, int epoch) {
  return {{"kind", "metric"}, {"at", 1.0},      {"role", "worker"}, {"index", worker},
          {"name", name},     {"value", value}, {"epoch", epoch}};
}

// One worker's validation of its part; epochs from 0.
std::optional<std::string> Tell(AccuracyWatch& watch, int epoch, int worker, double accuracy,
                                double images = 100) {
  EXPECT_FALSE(watch.Take(Metric("validated", images, worker, epoch)));
  return watch.Take(Metric("accuracy", accuracy, worker, epoch));
}

// Reaches 0.9 and stays there.
double Curve(int epoch) { return 0.9 - 0.6 * std::exp(-(epoch + 1) / 1.5); }

TEST(AccuracyWatchTest, EndsOnAPlateauOnceAllWorkersHaveTold) {
  core::EarlyStop wish;
  wish.epochs = 40;
  AccuracyWatch watch(wish, 2);
  for (int epoch = 0; epoch < 40; ++epoch) {
    // Half of the workers say nothing about the epoch yet.
    EXPECT_FALSE(Tell(watch, epoch, 0, Curve(epoch))) << epoch;
    if (const auto why = Tell(watch, epoch, 1, Curve(epoch))) {
      EXPECT_GE(epoch, 5);
      EXPECT_LE(epoch, 20);
      EXPECT_THAT(*why, HasSubstr("gain more than 0.005"));
      return;
    }
  }
  FAIL() << "it never ended";
}

TEST(AccuracyWatchTest, WhatEndsByItselfIsNotToldToEnd) {
  core::EarlyStop wish;
  wish.epochs = 6;
  AccuracyWatch watch(wish, 1);
  for (int epoch = 0; epoch < 6; ++epoch) {
    EXPECT_FALSE(Tell(watch, epoch, 0, 0.1 + 0.1 * epoch)) << epoch;
  }
}

TEST(AccuracyWatchTest, AWorkerCountsByItsImages) {
  core::EarlyStop wish;
  wish.accuracy = 0.8;
  wish.epochs = 40;
  AccuracyWatch watch(wish, 2);
  // The mean of both is 0.75, weighted by images 0.85.
  EXPECT_FALSE(Tell(watch, 0, 0, 0.9, 500));
  EXPECT_FALSE(Tell(watch, 1, 0, 0.9, 500));  // the other one's reports come late
  EXPECT_FALSE(Tell(watch, 0, 1, 0.6, 100));
  const auto why = Tell(watch, 1, 1, 0.6, 100);
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("0.800 is reached after 2 epochs"));
}

TEST(AccuracyWatchTest, OfScriptsTheFirstWorkerAloneMayTell) {
  core::EarlyStop wish;
  wish.accuracy = 0.8;
  wish.epochs = 40;
  AccuracyWatch watch(wish, 4);
  EXPECT_FALSE(watch.Take(Metric("accuracy", 0.85, 0, 0)));
  EXPECT_FALSE(watch.Take(Metric("accuracy", 0.86, 0, 1)));  // three more may still tell
  EXPECT_TRUE(watch.Take(Metric("accuracy", 0.86, 0, 2)));
}

TEST(AccuracyWatchTest, OtherWordsAndRolesAreNoAccuracies) {
  core::EarlyStop wish;
  wish.accuracy = 0.1;
  wish.epochs = 5;
  AccuracyWatch watch(wish, 1);
  for (int epoch = 0; epoch < 5; ++epoch) {
    Json server = Metric("accuracy", 0.9, 0, epoch);
    server["role"] = "server";
    EXPECT_FALSE(watch.Take(server));
    EXPECT_FALSE(watch.Take(Metric("loss", 0.9, 0, epoch)));
    Json none = Metric("accuracy", 0.9, 0, epoch);
    none.erase("epoch");
    EXPECT_FALSE(watch.Take(none));
    EXPECT_FALSE(watch.Take({{"kind", "progress"}, {"at", 1}}));
  }
}

}  // namespace
}  // namespace reckon::app
