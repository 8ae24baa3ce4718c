#include "app/shared_progress.h"

#include <thread>

#include <gmock/gmock.h>

namespace reckon::app {
namespace {

class RecordedProgress final : public base::Progress {
 public:
  void Begin(std::string_view, uint64_t total) override { total_ = total; }
  void Advance(uint64_t steps) override { done_ += steps; }
  void End() override { ended_ = true; }

  uint64_t total_ = 0;
  std::atomic<uint64_t> done_{0};
  bool ended_ = false;
};

TEST(SharedProgressTest, PartsSideBySideFillTheWholeOnce) {
  RecordedProgress shown;
  {
    SharedProgress shared(shown, "validating", 4);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        SharedProgress::Part part(shared);
        for (const uint64_t total : {7, 3}) {
          part.Begin("stretch", total);
          for (uint64_t step = 0; step < total; ++step) part.Advance(1);
          part.End();
        }
      });
    }
  }
  EXPECT_EQ(shown.done_, shown.total_);
  EXPECT_TRUE(shown.ended_);
}

TEST(SharedProgressTest, AStretchOfUnknownLengthStaysInItsRoom) {
  RecordedProgress shown;
  SharedProgress shared(shown, "validating", 1);
  SharedProgress::Part part(shared);
  part.Begin("stretch", 0);
  for (int step = 0; step < 5; ++step) part.Advance(1);
  EXPECT_LT(shown.done_, shown.total_);
}

}  // namespace
}  // namespace reckon::app
