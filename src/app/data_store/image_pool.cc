#include "app/data_store/image_pool.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/fingerprint.h"
#include "train/data/image_files.h"

namespace reckon::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Result;
using train::ImageSet;

constexpr uintmax_t kCifarRecord = 1 + train::kCifarShape.pixels();

// The number of labels that an IDX file says it has.
Result<int64_t> LabelsOf(const fs::path& file) {
  constexpr size_t kHeader = 8;
  std::array<char, kHeader> head{};
  std::ifstream in(file, std::ios::binary);
  if (!in.read(head.data(), kHeader)) {
    return base::BadInput(fmt::format("{}: shorter than the header of an IDX file", file.string()));
  }
  const auto number = [&head](size_t at) {
    int64_t value = 0;
    for (size_t i = at; i < at + 4; ++i) value = (value << 8) | static_cast<uint8_t>(head[i]);
    return value;
  };
  constexpr int64_t kLabelsMagic = 0x801;
  if (number(0) != kLabelsMagic) {
    return base::BadInput(fmt::format("{}: no labels in an IDX file", file.string()));
  }
  return number(4);
}

}  // namespace

Result<ImagePool> ImagePool::Open(fs::path folder, std::string source) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return Error(ErrorCode::kNotFound, fmt::format("there is no folder {}", folder.string()));
  }
  return ImagePool(std::move(folder), std::move(source));
}

Result<std::vector<std::string>> ImagePool::Pieces() const {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    names.insert(entry.path().filename().string());
  }
  if (error) return Error(ErrorCode::kIo, fmt::format("{}: {}", folder_.string(), error.message()));
  const std::string suffix = source_ == "idx" ? ".images" : ".bin";
  std::vector<std::string> pieces;
  for (const std::string& name : names) {
    if (!name.ends_with(suffix) || name.starts_with('.')) continue;
    std::string piece = name.substr(0, name.size() - suffix.size());
    if (source_ == "idx" && !names.contains(piece + ".labels")) continue;
    pieces.push_back(std::move(piece));
  }
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

Result<int64_t> ImagePool::Count(const std::vector<std::string>& pieces) const {
  int64_t count = 0;
  for (const std::string& piece : pieces) {
    if (source_ == "idx") {
      RECKON_ASSIGN(const int64_t labels, LabelsOf(folder_ / (piece + ".labels")));
      count += labels;
      continue;
    }
    std::error_code error;
    const auto bytes = fs::file_size(folder_ / (piece + ".bin"), error);
    if (error) return Error(ErrorCode::kIo, fmt::format("{}.bin: {}", piece, error.message()));
    count += static_cast<int64_t>(bytes / kCifarRecord);
  }
  return count;
}

Result<ImageSet> ImagePool::LoadPiece(const std::string& piece) const {
  const fs::path stem = folder_ / piece;
  if (source_ == "idx") return train::ReadIdx(stem.string() + ".images", stem.string() + ".labels");
  const std::array files{fs::path(stem.string() + ".bin")};
  return train::ReadCifar10(files);
}

Result<ImageSet> ImagePool::Load(const std::vector<std::string>& pieces) const {
  ImageSet all;
  all.shape = source_ == "idx" ? train::kMnistShape : train::kCifarShape;
  for (const std::string& piece : pieces) {
    RECKON_ASSIGN(const ImageSet one, LoadPiece(piece));
    if (one.shape != all.shape) {
      return base::BadInput(fmt::format("{}.images: images of {} x {}; expected 28 x 28",
                                        (folder_ / piece).string(), one.shape.height,
                                        one.shape.width));
    }
    all.pixels.insert(all.pixels.end(), one.pixels.begin(), one.pixels.end());
    all.labels.insert(all.labels.end(), one.labels.begin(), one.labels.end());
  }
  return all;
}

base::Status ImagePool::Add(const std::string& piece, const ImageSet& images) const {
  for (const NamedBytes& file : FilesOf(images, source_, piece, 0, images.size())) {
    RECKON_TRY(base::WriteFile(folder_ / file.name, file.bytes));
  }
  return {};
}

std::string PrintOf(const ImageSet& images) {
  base::Fingerprint print;
  const auto text = [](const std::vector<uint8_t>& bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  print.Add(text(images.pixels));
  print.Add(text(images.labels));
  return print.Hex();
}

std::vector<NamedBytes> FilesOf(const ImageSet& images, const std::string& source,
                                const std::string& stem, size_t first, size_t count) {
  if (source == "idx") {
    return {{stem + ".images", train::IdxImages(images, first, count)},
            {stem + ".labels", train::IdxLabels(images, first, count)}};
  }
  return {{stem + ".bin", train::Cifar10Records(images, first, count)}};
}

}  // namespace reckon::app
