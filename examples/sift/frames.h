// Frames of a camera that pans over a textured wall: the same ones in every process.
#pragma once

#include <cstdint>

#include <opencv2/core.hpp>

namespace sift {

class Frames {
 public:
  static constexpr int kWidth = 640;
  static constexpr int kHeight = 320;

  explicit Frames(uint64_t seed);

  // Grey, 8 bits; a view into the wall.
  cv::Mat At(int64_t index) const;

 private:
  cv::Mat wall_;
};

}  // namespace sift
