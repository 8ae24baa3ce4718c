// Generated images, shards and batches.
#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "train/data/generated_images.h"
#include "train/data/prefetch.h"
#include "train/data/shards.h"

namespace reckon::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GeneratedImagesTest, AnImageDependsOnItsNumberAlone) {
  const ImageSet all = GenerateImages(kCifarShape, 5, {100, 30});
  const ImageSet part = GenerateImages(kCifarShape, 5, {110, 7});
  ASSERT_EQ(part.size(), 7);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(part.labels[i], all.labels[10 + i]);
    EXPECT_TRUE(std::equal(part.Image(i).begin(), part.Image(i).end(), all.Image(10 + i).begin()));
  }
  EXPECT_NE(GenerateImages(kCifarShape, 6, {100, 30}).pixels, all.pixels);
}

// The nearest of the classes' mean images tells most labels of images it has not seen, but by far
// not all: there is something left to learn.
TEST(GeneratedImagesTest, AreLearnableButNotTrivial) {
  const ImageSet train = GenerateImages(kMnistShape, 1, {0, 2000});
  const ImageSet test = GenerateImages(kMnistShape, 1, {kFirstValidationImage, 500});
  std::vector<std::vector<double>> mean(10, std::vector<double>(kMnistShape.pixels(), 0));
  std::vector<double> count(10, 0);
  for (size_t i = 0; i < train.size(); ++i) {
    ++count[train.labels[i]];
    for (size_t p = 0; p < kMnistShape.pixels(); ++p) mean[train.labels[i]][p] += train.Image(i)[p];
  }
  for (size_t c = 0; c < 10; ++c) {
    ASSERT_GT(count[c], 120);
    for (double& pixel : mean[c]) pixel /= count[c];
  }
  size_t right = 0;
  for (size_t i = 0; i < test.size(); ++i) {
    std::vector<double> distance(10, 0);
    for (size_t c = 0; c < 10; ++c) {
      for (size_t p = 0; p < kMnistShape.pixels(); ++p) {
        distance[c] += std::pow(test.Image(i)[p] - mean[c][p], 2);
      }
    }
    const auto best = std::min_element(distance.begin(), distance.end()) - distance.begin();
    right += best == test.labels[i] ? 1 : 0;
  }
  EXPECT_GT(right, 250);
  EXPECT_LT(right, 490);
}

using Sizes = std::vector<size_t>;

TEST(DealingTest, ShardsAreAfterEachOther) {
  const Dealing dealing = Dealing::Make(11, 2, Sizes{8, 3}, Sizes{4, 3}).value();
  EXPECT_EQ(dealing.steps(), 2);
  EXPECT_EQ(dealing.Size(0), 8);
  EXPECT_EQ(dealing.Batch(1), 3);
  EXPECT_THAT(dealing.Order(1, 0, 1, false), ElementsAre(8, 9, 10));
}

TEST(DealingTest, MistakesOfShardsAreNamed) {
  const auto problem = [](size_t rows, size_t workers, const Sizes& sizes, const Sizes& batches) {
    const auto dealing = Dealing::Make(rows, workers, sizes, batches);
    EXPECT_FALSE(dealing.ok());
    return dealing.ok() ? "" : dealing.error().Describe();
  };
  EXPECT_THAT(problem(10, 2, {6, 5}, {2}), HasSubstr("add up to 11; the data has 10 rows"));
  EXPECT_THAT(problem(10, 2, {10}, {2}), HasSubstr("1 shard sizes for 2 workers"));
  EXPECT_THAT(problem(10, 2, {10, 0}, {2}), HasSubstr("the shard of worker 1 is empty"));
  EXPECT_THAT(problem(10, 2, {5, 5}, {2, 6}), HasSubstr("batch 6 of worker 1; expected 1..5"));
  EXPECT_THAT(problem(10, 2, {5, 5}, {0}), HasSubstr("batch 0 of worker 0"));
  EXPECT_THAT(problem(10, 2, {}, {0}), HasSubstr("batch 0 of worker 0"));
  EXPECT_THAT(problem(10, 3, {}, {1, 2}), HasSubstr("2 batch sizes for 3 workers"));
  EXPECT_THAT(problem(2, 3, {}, {1}), HasSubstr("add up to 3, more than the 2 images"));
  EXPECT_THAT(problem(2, 0, {}, {1}), HasSubstr("no workers"));
}

TEST(DealingTest, OrdersOfAShardAreShuffledByEpochAndCoverIt) {
  const Dealing dealing = Dealing::Make(150, 2, Sizes{100, 50}, Sizes{8}).value();
  EXPECT_EQ(dealing.Order(1, 0, 1, false)[7], 107U);
  const auto first = dealing.Order(1, 0, 1, true);
  EXPECT_EQ(first, dealing.Order(1, 0, 1, true));
  EXPECT_NE(first, dealing.Order(1, 1, 1, true));
  EXPECT_NE(first, dealing.Order(1, 0, 2, true));
  const std::set<uint32_t> rows(first.begin(), first.end());
  EXPECT_EQ(rows.size(), 50);
  EXPECT_EQ(*rows.begin(), 100U);
  EXPECT_EQ(*rows.rbegin(), 149U);
}

TEST(DealingTest, AWorkerWithASmallShardRunsOut) {
  const Dealing dealing = Dealing::Make(30, 2, Sizes{20, 10}, Sizes{8, 5}).value();
  EXPECT_EQ(dealing.steps(), 3);
  EXPECT_EQ(dealing.At(0, 2), 4);
  EXPECT_EQ(dealing.At(1, 1), 5);
  EXPECT_EQ(dealing.At(1, 2), 0);
  EXPECT_EQ(dealing.TotalAt(0), 13);
  EXPECT_EQ(dealing.TotalAt(2), 4);
  EXPECT_EQ(dealing.StepAfter(0, 7), 7);
  EXPECT_EQ(dealing.StepAfter(1, 1), 1);
  EXPECT_EQ(dealing.StepAfter(1, 2), 3);  // the third step has none for it
  EXPECT_EQ(dealing.StepAfter(1, 5), 7);
}

// Workers together see in every step what one worker with the sum of their batches sees.
TEST(DealingTest, DealtRowsAreThoseOfOneWorkerWithTheSumOfBatches) {
  for (const size_t rows : {24U, 25U, 29U, 31U}) {
    const Dealing one = Dealing::Make(rows, 1, {}, Sizes{8}).value();
    const Dealing three = Dealing::Make(rows, 3, {}, Sizes{4, 1, 3}).value();
    ASSERT_EQ(three.steps(), one.steps());
    const auto all = one.Order(0, 2, 7, true);
    std::vector<std::vector<uint32_t>> own;
    for (size_t w = 0; w < 3; ++w) {
      own.push_back(three.Order(w, 2, 7, true));
      EXPECT_EQ(own[w].size(), three.Size(w));
    }
    std::vector<uint32_t> together;
    std::vector<size_t> taken(3, 0);
    for (size_t step = 0; step < one.steps(); ++step) {
      EXPECT_EQ(three.TotalAt(step), one.At(0, step));
      for (size_t w = 0; w < 3; ++w) {
        for (size_t i = 0; i < three.At(w, step); ++i) together.push_back(own[w][taken[w]++]);
      }
    }
    EXPECT_EQ(together, all) << rows;
  }
}

TEST(DealingTest, TheLastStepIsSharedOutByBatches) {
  const Dealing alike = Dealing::Make(1500, 8, {}, Sizes{128}).value();
  EXPECT_EQ(alike.steps(), 2U);
  for (size_t worker = 0; worker < 8; ++worker) {
    EXPECT_EQ(alike.At(worker, 0), 128U);
    EXPECT_NEAR(static_cast<double>(alike.At(worker, 1)), 476.0 / 8, 0.5);
    EXPECT_EQ(alike.Size(worker), 128 + alike.At(worker, 1));
  }
  EXPECT_EQ(alike.TotalAt(1), 476U);
  EXPECT_EQ(alike.At(0, 2), 0U);
  const Dealing uneven = Dealing::Make(15, 2, {}, Sizes{8, 2}).value();
  EXPECT_EQ(uneven.At(0, 1), 4U);
  EXPECT_EQ(uneven.At(1, 1), 1U);
}

TEST(DealingTest, MistakesAreNamed) {
  EXPECT_THAT(Dealing::Make(10, 3, {}, Sizes{4}).error().Describe(),
              HasSubstr("the batches of 3 workers add up to 12, more than the 10 images"));
  EXPECT_THAT(Dealing::Make(10, 1, {}, Sizes{11}).error().Describe(),
              HasSubstr("batch 11 of worker 0; expected 1..10"));
  EXPECT_THAT(Dealing::Make(10, 2, Sizes{6, 4}, Sizes{5}).error().Describe(),
              HasSubstr("batch 5 of worker 1; expected 1..4"));
}

TEST(PrefetcherTest, GivesEveryRowInOrderAndReplicates) {
  ImageSet images;
  images.shape = {1, 1, 2};
  images.pixels = {0, 255, 51, 204, 255, 0};
  images.labels = {0, 1, 2};
  Prefetcher batches(images, {4, 2, 0}, 2);  // row 4 is image 1 again
  const Batch first = batches.Next().value().value();
  EXPECT_THAT(first.labels, ElementsAre(1, 2));
  EXPECT_NEAR(first.pixels[0], -0.6, 1e-6);
  EXPECT_NEAR(first.pixels[1], 0.6, 1e-6);
  EXPECT_EQ(first.pixels[2], 1);
  EXPECT_EQ(first.pixels[3], -1);
  EXPECT_THAT(batches.Next().value()->labels, ElementsAre(0));
  EXPECT_FALSE(batches.Next().value());
  EXPECT_FALSE(batches.Next().value());
}

TEST(PrefetcherTest, MayBeLeftInTheMiddle) {
  const ImageSet images = GenerateImages(kMnistShape, 1, {0, 64});
  const auto order = Dealing::Make(64, 1, {}, Sizes{4}).value().Order(0, 0, 1, true);
  for (int taken = 0; taken < 4; ++taken) {
    Prefetcher batches(images, order, 4);
    for (int i = 0; i < taken; ++i) EXPECT_EQ(batches.Next().value()->size(), 4);
  }
}

}  // namespace
}  // namespace reckon::train
