#include "decide/recommend/epochs_law.h"

#include <cmath>

#include <gmock/gmock.h>

#include "base/rng.h"

namespace reckon::decide {
namespace {

using ::testing::HasSubstr;

TEST(EpochsLawTest, FindsTheCriticalBatch) {
  base::Rng rng(3);
  std::vector<EpochsSeen> seen;
  for (const double batch : {16, 32, 64, 128, 256, 512, 1024, 2048}) {
    const double epochs = 4 * (1 + batch / 500) * std::exp(0.03 * rng.Normal());
    seen.push_back({batch, 0, epochs, true});
  }
  const EpochsLaw law = EpochsLaw::Fit(seen).value();
  EXPECT_NEAR(law.Epochs(16, 0).Median(), 4.1, 0.4);
  EXPECT_NEAR(law.Epochs(1024, 0).Median(), 4 * (1 + 1024.0 / 500), 1.5);
  EXPECT_NEAR(1 / law.per_batch(), 500, 200);
  EXPECT_EQ(law.per_staleness(), 0) << "nothing told it";
}

TEST(EpochsLawTest, TrainingsThatWereTooShortSayAtLeastThat) {
  const std::vector<EpochsSeen> seen{
      {32, 0, 2, true}, {32, 0, 2.1, true}, {512, 0, 6, false}, {512, 0, 3, false}};
  const EpochsLaw law = EpochsLaw::Fit(seen).value();
  EXPECT_NEAR(law.Epochs(32, 0).Median(), 2, 0.3);
  EXPECT_GE(law.Epochs(512, 0).Median(), 5.5);
}

TEST(EpochsLawTest, StaleGradientsCostEpochs) {
  std::vector<EpochsSeen> seen;
  for (const double staleness : {0, 1, 3, 7}) {
    seen.push_back({64, staleness, 3 * (1 + staleness / 10), true});
    seen.push_back({64, staleness, 3 * (1 + staleness / 10), true});
  }
  const EpochsLaw law = EpochsLaw::Fit(seen).value();
  EXPECT_EQ(law.per_batch(), 0) << "one batch tells nothing of others";
  EXPECT_NEAR(law.Epochs(64, 7).Median(), 5.1, 0.3);
  EXPECT_NEAR(law.Epochs(64, 0).Median(), 3, 0.2);
  EXPECT_GE(law.Epochs(64, 0).deviation, 0.1);
}

TEST(EpochsLawTest, WithoutAnEffectThereIsNone) {
  const std::vector<EpochsSeen> seen{{16, 0, 3, true}, {64, 1, 3.05, true}, {256, 3, 2.95, true}};
  const EpochsLaw law = EpochsLaw::Fit(seen).value();
  EXPECT_EQ(law.per_batch(), 0);
  EXPECT_EQ(law.per_staleness(), 0);
  const std::vector<EpochsSeen> never{{16, 0, 3, false}};
  EXPECT_THAT(EpochsLaw::Fit(never).error().Describe(), HasSubstr("no training has reached"));
}

}  // namespace
}  // namespace reckon::decide
