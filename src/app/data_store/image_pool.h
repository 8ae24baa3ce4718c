// The labelled images of a data store: pieces that come to a folder one after the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/data/image_set.h"

namespace reckon::app {

// Files of one folder: NAME.images and NAME.labels (IDX, 28x28), or NAME.bin (CIFAR-10). A piece is
// there once all its files have their names, and never changes.
class ImagePool {
 public:
  // "idx" or "cifar10". kNotFound: there is no such folder.
  static base::Result<ImagePool> Open(std::filesystem::path folder, std::string source);

  // Names of the pieces that are there, in their order. kIo.
  base::Result<std::vector<std::string>> Pieces() const;
  // How many images these have, by their headers.
  base::Result<int64_t> Count(const std::vector<std::string>& pieces) const;
  // kBadInput, kNotFound: what is wrong with which file.
  base::Result<train::ImageSet> Load(const std::vector<std::string>& pieces) const;

  // One more piece, of these images. kIo.
  base::Status Add(const std::string& piece, const train::ImageSet& images) const;

  const std::string& source() const { return source_; }

 private:
  ImagePool(std::filesystem::path folder, std::string source)
      : folder_(std::move(folder)), source_(std::move(source)) {}

  base::Result<train::ImageSet> LoadPiece(const std::string& piece) const;

  std::filesystem::path folder_;
  std::string source_;
};

// By which one knows the same images again.
std::string PrintOf(const train::ImageSet& images);

// The files of `count` images from `first` on, by the names that the trainer will look for.
struct NamedBytes {
  std::string name;
  std::string bytes;
};
std::vector<NamedBytes> FilesOf(const train::ImageSet& images, const std::string& source,
                                const std::string& stem, size_t first, size_t count);

}  // namespace reckon::app
