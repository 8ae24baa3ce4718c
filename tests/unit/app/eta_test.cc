#include "app/runs/eta.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace reckon::app {
namespace {

using base::Json;

Json Job(int epochs) { return {{"workers", 1}, {"trainer", {{"epochs", epochs}}}}; }

void TellEpoch(RunView& view, int number, double took_s, double at, double accuracy = 0.5) {
  view.Add({{"kind", "stage"},
            {"role", "worker"},
            {"index", 0},
            {"at", at},
            {"epoch", number},
            {"stage", "train_epoch"},
            {"seconds", took_s}});
  view.Add({{"kind", "metric"},
            {"role", "worker"},
            {"index", 0},
            {"at", at},
            {"epoch", number},
            {"name", "accuracy"},
            {"value", accuracy}});
}

TEST(EtaTest, CountsEpochsThatAreLeft) {
  RunView view;
  EXPECT_FALSE(EtaOf(Job(10), view, 100));
  for (int epoch = 0; epoch < 4; ++epoch)
    TellEpoch(view, epoch, epoch % 2 == 0 ? 9 : 11, 110 + 10 * epoch);
  const auto at_once = EtaOf(Job(10), view, 140).value();
  EXPECT_NEAR(at_once.remaining_s, 60, 1e-9);
  EXPECT_NEAR(at_once.epoch_s, 10, 1e-9);
  EXPECT_NEAR(at_once.epoch_left_s, 10, 1e-9);
  // 1.64 * 1.155 s * sqrt(6)
  EXPECT_NEAR(at_once.upper_s, 64.6, 0.1);
  EXPECT_NEAR(at_once.lower_s, 55.4, 0.1);
  EXPECT_NEAR(EtaOf(Job(10), view, 144)->remaining_s, 56, 1e-9);
  // An epoch that takes longer than the others is not over before it is.
  EXPECT_NEAR(EtaOf(Job(10), view, 170)->remaining_s, 50, 1e-9);
  view.Add({{"kind", "run.state"}, {"at", 200}, {"state", "finished"}});
  EXPECT_FALSE(EtaOf(Job(10), view, 200));
}

TEST(EtaTest, WhoMayEndEarlyIsExpectedTo) {
  RunView view;
  for (int epoch = 0; epoch < 12; ++epoch) {
    TellEpoch(view, epoch, 10, 110 + 10 * epoch, 0.9 - 0.5 / (1 + epoch * epoch));
  }
  Json job = Job(60);
  EXPECT_NEAR(EtaOf(job, view, 220)->remaining_s, 480, 1e-9);
  job["early_stop"] = {{"epochs", 60}};
  const auto early = EtaOf(job, view, 220).value();
  EXPECT_LT(early.remaining_s, 240);
  EXPECT_LE(early.lower_s, early.remaining_s);
  EXPECT_GE(early.upper_s, early.remaining_s);
  view.Add({{"kind", "run.ending"}, {"at", 221}, {"reason", "enough"}});
  EXPECT_NEAR(EtaOf(job, view, 222)->remaining_s, 8, 1e-9);
}

TEST(EtaTest, EpochsBeforeACheckpointAreDone) {
  RunView view;
  for (int epoch = 20; epoch < 22; ++epoch) TellEpoch(view, epoch, 10, 110 + 10 * (epoch - 20));
  EXPECT_NEAR(EtaOf(Job(30), view, 120)->remaining_s, 80, 1e-9);
}

TEST(EtaTest, ATargetThatIsStillFarAtTheEndOfAllEpochs) {
  RunView view;
  for (int epoch = 0; epoch < 6; ++epoch) TellEpoch(view, epoch, 10, 110 + 10 * epoch, 0.1 * epoch);
  Json job = Job(6);
  job["early_stop"] = {{"epochs", 6}, {"accuracy", 0.9}};
  EXPECT_EQ(EtaOf(job, view, 200)->remaining_s, 0);
}

TEST(EtaTest, WithoutEpochsProgressTells) {
  RunView view;
  for (int i = 0; i < 3; ++i) {
    view.Add({{"kind", "progress"},
              {"role", "worker"},
              {"index", 0},
              {"at", 100 + i * 10},
              {"done", 10 * i},
              {"total", 100}});
  }
  const auto eta = EtaOf(Json{{"run", "x"}}, view, 120).value();
  EXPECT_NEAR(eta.remaining_s, 80, 1e-9);
  EXPECT_NEAR(eta.lower_s, 64, 1e-9);
}

}  // namespace
}  // namespace reckon::app
