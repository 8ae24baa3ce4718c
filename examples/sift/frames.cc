#include "frames.h"

#include <opencv2/imgproc.hpp>

namespace sift {
namespace {

constexpr int kShapes = 900;
constexpr int kStepX = 7;  // pixels a frame
constexpr int kStepY = 3;

// 0, 1, ..., range, range - 1, ..., 1, 0, 1, ...
int Pendulum(int64_t at, int range) {
  const auto phase = static_cast<int>(at % (2 * range));
  return phase <= range ? phase : 2 * range - phase;
}

}  // namespace

Frames::Frames(uint64_t seed) : wall_(2 * kHeight, 2 * kWidth, CV_8UC1, cv::Scalar(128)) {
  cv::RNG random(seed);
  for (int i = 0; i < kShapes; ++i) {
    const cv::Point at(random.uniform(0, wall_.cols), random.uniform(0, wall_.rows));
    const cv::Scalar grey(random.uniform(0, 256));
    const int size = random.uniform(4, 40);
    if (i % 2 == 0) {
      cv::circle(wall_, at, size / 2, grey, cv::FILLED);
    } else {
      cv::rectangle(wall_, {at.x, at.y, size, random.uniform(4, 40)}, grey, cv::FILLED);
    }
  }
  cv::GaussianBlur(wall_, wall_, {5, 5}, 1.0);
}

cv::Mat Frames::At(int64_t index) const {
  const int x = Pendulum(index * kStepX, wall_.cols - kWidth);
  const int y = Pendulum(index * kStepY, wall_.rows - kHeight);
  return wall_(cv::Rect(x, y, kWidth, kHeight));
}

}  // namespace sift
