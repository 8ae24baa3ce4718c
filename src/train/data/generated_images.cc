#include "train/data/generated_images.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/rng.h"

namespace reckon::train {
namespace {

constexpr int kWaves = 5;  // of a pattern, in each channel
constexpr double kNoise = 0.8;
constexpr double kOverlay = 0.8;  // of another class's pattern, at most
constexpr double kContrast = 45;  // grey levels a unit
constexpr double kMost = 0.25;    // moves, in sides of the image
constexpr uint64_t kImageStream = 1U << 20;

struct Wave {
  double down = 0;  // cycles over the height
  double across = 0;
  double phase = 0;
  double strength = 0;
};

using Pattern = std::vector<Wave>;  // kWaves for each channel

Pattern DrawPattern(int channels, base::Rng rng) {
  Pattern pattern;
  for (int i = 0; i < channels * kWaves; ++i) {
    pattern.push_back({4 * rng.Uniform() - 2, 4 * rng.Uniform() - 2,
                       2 * std::numbers::pi * rng.Uniform(), 0.5 + rng.Uniform()});
  }
  return pattern;
}

// The sum of a channel's waves at every pixel, moved by parts of the sides, times `strength`. A
// wave at (y, x) is the real part of a product of one factor a row and one a column.
void AddPattern(const Pattern& pattern, const ImageShape& shape, double down, double across,
                double strength, std::vector<float>& out) {
  const auto height = static_cast<size_t>(shape.height);
  const auto width = static_cast<size_t>(shape.width);
  std::vector<double> cos_x(width);
  std::vector<double> sin_x(width);
  for (size_t w = 0; w < pattern.size(); ++w) {
    const Wave& wave = pattern[w];
    float* channel = out.data() + w / kWaves * height * width;
    for (size_t x = 0; x < width; ++x) {
      const double angle = 2 * std::numbers::pi * wave.across *
                           (static_cast<double>(x) / static_cast<double>(width) + across);
      cos_x[x] = std::cos(angle);
      sin_x[x] = std::sin(angle);
    }
    for (size_t y = 0; y < height; ++y) {
      const double angle =
          wave.phase + 2 * std::numbers::pi * wave.down *
                           (static_cast<double>(y) / static_cast<double>(height) + down);
      const double c = strength * wave.strength * std::cos(angle);
      const double s = strength * wave.strength * std::sin(angle);
      for (size_t x = 0; x < width; ++x) {
        channel[y * width + x] += static_cast<float>(c * cos_x[x] - s * sin_x[x]);
      }
    }
  }
}

}  // namespace

ImageSet GenerateImages(const ImageShape& shape, uint64_t seed, const GeneratedRange& range,
                        int classes) {
  const base::Rng root(seed);
  std::vector<Pattern> patterns;
  for (int c = 0; c < classes; ++c) {
    patterns.push_back(DrawPattern(shape.channels, root.Fork(static_cast<uint64_t>(c))));
  }
  ImageSet set;
  set.shape = shape;
  set.classes = classes;
  set.pixels.resize(range.count * shape.pixels());
  set.labels.resize(range.count);
  std::vector<float> image(shape.pixels());
  for (size_t i = 0; i < range.count; ++i) {
    base::Rng rng = root.Fork(kImageStream + range.first + i);
    const auto label = static_cast<size_t>(rng.Below(static_cast<uint64_t>(classes)));
    const auto other = static_cast<size_t>(rng.Below(static_cast<uint64_t>(classes)));
    std::fill(image.begin(), image.end(), 0.0F);
    const auto add = [&](size_t pattern, double strength) {
      const double down = kMost * (2 * rng.Uniform() - 1);
      const double across = kMost * (2 * rng.Uniform() - 1);
      AddPattern(patterns[pattern], shape, down, across, strength, image);
    };
    add(label, 0.7 + 0.6 * rng.Uniform());
    add(other, kOverlay * rng.Uniform());
    set.labels[i] = static_cast<uint8_t>(label);
    uint8_t* pixels = set.pixels.data() + i * shape.pixels();
    for (size_t p = 0; p < image.size(); ++p) {
      const double value =
          127.5 + kContrast * (static_cast<double>(image[p]) + kNoise * rng.Normal());
      pixels[p] = static_cast<uint8_t>(std::clamp(value, 0.0, 255.0));
    }
  }
  return set;
}

}  // namespace reckon::train
