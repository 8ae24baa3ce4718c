#include "decide/estimate/max_batch.h"

#include <gtest/gtest.h>

namespace reckon::decide {
namespace {

TEST(MaxBatchTest, IsTheLargestThatFits) {
  int asked = 0;
  const auto memory = [&](int64_t batch) {
    ++asked;
    return 0.1 + 0.001 * static_cast<double>(batch);
  };
  EXPECT_EQ(MaxBatch(memory, 1, 100'000, 0.9005), 800);
  EXPECT_LE(asked, 25);
  EXPECT_EQ(MaxBatch(memory, 1, 500, 0.9), 500);
  EXPECT_EQ(MaxBatch(memory, 7, 7, 0.9), 7);
  EXPECT_EQ(MaxBatch(memory, 1, 500, 0.1005), std::nullopt);
  EXPECT_EQ(MaxBatch(memory, 1, 3, 0.1025), 2);
}

TEST(MaxBatchTest, EveryLimitOfASmallRange) {
  for (int64_t most = 1; most <= 40; ++most) {
    for (int64_t room = 1; room <= 45; ++room) {
      const auto memory = [](int64_t batch) { return static_cast<double>(batch); };
      EXPECT_EQ(MaxBatch(memory, 1, most, static_cast<double>(room)), std::min(room, most));
    }
  }
}

}  // namespace
}  // namespace reckon::decide
