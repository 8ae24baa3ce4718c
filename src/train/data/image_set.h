// Labelled images in memory, as their files have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace reckon::train {

struct ImageShape {
  int channels = 1;
  int height = 28;
  int width = 28;

  constexpr size_t pixels() const {
    return static_cast<size_t>(channels) * static_cast<size_t>(height) * static_cast<size_t>(width);
  }
  bool operator==(const ImageShape&) const = default;
};

inline constexpr ImageShape kMnistShape{1, 28, 28};
inline constexpr ImageShape kCifarShape{3, 32, 32};

// Plain values; pixels 0..255.
struct ImageSet {
  ImageShape shape;
  int classes = 10;
  std::vector<uint8_t> pixels;  // image after image, channel after channel, row after row
  std::vector<uint8_t> labels;  // < classes

  size_t size() const { return labels.size(); }
  std::span<const uint8_t> Image(size_t index) const {
    return {pixels.data() + index * shape.pixels(), shape.pixels()};
  }
};

}  // namespace reckon::train
