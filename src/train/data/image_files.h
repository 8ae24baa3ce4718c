// Readers of the published image sets.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"
#include "train/data/image_set.h"

namespace reckon::train {

// MNIST and Fashion-MNIST: IDX files of unsigned bytes (http://yann.lecun.com/exdb/mnist),
// big-endian magic 0x803 (images: count, rows, columns) and 0x801 (labels: count). kBadInput names
// the file and what is wrong with it: magic, length, label above 9, counts that differ.
base::Result<ImageSet> ReadIdx(const std::filesystem::path& images,
                               const std::filesystem::path& labels);

// The bytes of such files, of `count` images from `first` on. Images have one channel.
std::string IdxImages(const ImageSet& set, size_t first, size_t count);
std::string IdxLabels(const ImageSet& set, size_t first, size_t count);

// CIFAR-10's binary version: records of one label and 3 x 32 x 32 bytes, from one file or several.
base::Result<ImageSet> ReadCifar10(std::span<const std::filesystem::path> files);

// The bytes of such a file. Images are of kCifarShape.
std::string Cifar10Records(const ImageSet& set, size_t first, size_t count);

}  // namespace reckon::train
