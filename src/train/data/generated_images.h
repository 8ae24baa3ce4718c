// Images that a small network can learn, made from a seed: everything runs without a download.
#pragma once

#include <cstdint>

#include "train/data/image_set.h"

namespace reckon::train {

// Which images of the endless series a seed stands for.
struct GeneratedRange {
  uint64_t first = 0;
  size_t count = 0;
};

inline constexpr uint64_t kFirstValidationImage = uint64_t{1} << 40;  // never a training image

// Every class has a pattern of its own, a few smooth waves a channel; an image is the pattern of
// its class, moved by up to a quarter of its side, stronger or weaker, with another class's pattern
// over it and noise. Image i depends on the seed, the shape and i alone, so any worker can make its
// part.
ImageSet GenerateImages(const ImageShape& shape, uint64_t seed, const GeneratedRange& range,
                        int classes = 10);

}  // namespace reckon::train
