#include "train/data/image_files.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"
#include "base/file.h"

namespace reckon::train {
namespace {

constexpr uint32_t kImagesMagic = 0x803;
constexpr uint32_t kLabelsMagic = 0x801;
constexpr int kClasses = 10;
constexpr uint32_t kLongestSide = 4096;  // beyond any set of small images

base::Error Broken(const std::filesystem::path& file, const std::string& what) {
  return base::BadInput(fmt::format("{}: {}", file.string(), what));
}

uint32_t BigEndian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value = (value << 8) | static_cast<uint8_t>(bytes[at + i]);
  }
  return value;
}

// The sizes that follow the magic; the content has exactly as many bytes as they say.
base::Result<std::vector<uint32_t>> IdxSizes(const std::filesystem::path& file,
                                             std::string_view bytes, uint32_t magic,
                                             size_t dimensions) {
  const size_t header = 4 + 4 * dimensions;
  if (bytes.starts_with("\x1f\x8b")) {
    return Broken(file, "is compressed; expected the plain IDX file (gunzip it first)");
  }
  if (bytes.size() >= 4 && BigEndian(bytes, 0) != magic) {
    return Broken(file, fmt::format("magic 0x{:08x}; expected 0x{:08x} ({})", BigEndian(bytes, 0),
                                    magic, magic == kImagesMagic ? "images" : "labels"));
  }
  if (bytes.size() < header) {
    return Broken(file, fmt::format("{} bytes; an IDX file starts with a header of {}",
                                    bytes.size(), header));
  }
  std::vector<uint32_t> sizes;
  uint64_t content = 1;
  for (size_t d = 0; d < dimensions; ++d) {
    sizes.push_back(BigEndian(bytes, 4 + 4 * d));
    if (sizes.back() == 0 || (d > 0 && sizes.back() > kLongestSide)) {
      return Broken(file, fmt::format("size {} of dimension {}; expected 1..{}", sizes.back(),
                                      d + 1, d > 0 ? kLongestSide : UINT32_MAX));
    }
    content *= sizes.back();
  }
  if (bytes.size() - header != content) {
    return Broken(file, fmt::format("{} bytes after the header; its sizes ask for {}{}",
                                    bytes.size() - header, content,
                                    bytes.size() - header < content ? ": cut off?" : ""));
  }
  return sizes;
}

base::Status CheckLabels(const std::filesystem::path& file, const std::vector<uint8_t>& labels) {
  const auto wrong =
      std::find_if(labels.begin(), labels.end(), [](uint8_t label) { return label >= kClasses; });
  if (wrong == labels.end()) return {};
  return Broken(file, fmt::format("label {} of image {}; expected 0..{}", *wrong,
                                  wrong - labels.begin() + 1, kClasses - 1));
}

}  // namespace

base::Result<ImageSet> ReadIdx(const std::filesystem::path& images,
                               const std::filesystem::path& labels) {
  RECKON_ASSIGN(const std::string image_bytes, base::ReadFile(images));
  RECKON_ASSIGN(const std::vector<uint32_t> sizes, IdxSizes(images, image_bytes, kImagesMagic, 3));
  RECKON_ASSIGN(const std::string label_bytes, base::ReadFile(labels));
  RECKON_ASSIGN(const std::vector<uint32_t> count, IdxSizes(labels, label_bytes, kLabelsMagic, 1));
  if (count[0] != sizes[0]) {
    return Broken(labels, fmt::format("{} labels for the {} images of {}", count[0], sizes[0],
                                      images.string()));
  }
  ImageSet set;
  set.shape = {1, static_cast<int>(sizes[1]), static_cast<int>(sizes[2])};
  set.classes = kClasses;
  set.pixels.assign(image_bytes.begin() + 16, image_bytes.end());
  set.labels.assign(label_bytes.begin() + 8, label_bytes.end());
  RECKON_TRY(CheckLabels(labels, set.labels));
  return set;
}

namespace {

void AppendBigEndian(uint32_t value, std::string& to) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<char>(value >> shift));
}

void AppendBytes(std::span<const uint8_t> bytes, std::string& to) {
  to.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

std::string IdxImages(const ImageSet& set, size_t first, size_t count) {
  RECKON_CHECK(set.shape.channels == 1 && first + count <= set.size());
  std::string bytes;
  AppendBigEndian(kImagesMagic, bytes);
  AppendBigEndian(static_cast<uint32_t>(count), bytes);
  AppendBigEndian(static_cast<uint32_t>(set.shape.height), bytes);
  AppendBigEndian(static_cast<uint32_t>(set.shape.width), bytes);
  const size_t pixels = set.shape.pixels();
  AppendBytes(std::span(set.pixels).subspan(first * pixels, count * pixels), bytes);
  return bytes;
}

std::string IdxLabels(const ImageSet& set, size_t first, size_t count) {
  RECKON_CHECK(first + count <= set.size());
  std::string bytes;
  AppendBigEndian(kLabelsMagic, bytes);
  AppendBigEndian(static_cast<uint32_t>(count), bytes);
  AppendBytes(std::span(set.labels).subspan(first, count), bytes);
  return bytes;
}

std::string Cifar10Records(const ImageSet& set, size_t first, size_t count) {
  RECKON_CHECK(set.shape == kCifarShape && first + count <= set.size());
  std::string bytes;
  for (size_t i = first; i < first + count; ++i) {
    bytes.push_back(static_cast<char>(set.labels[i]));
    AppendBytes(set.Image(i), bytes);
  }
  return bytes;
}

base::Result<ImageSet> ReadCifar10(std::span<const std::filesystem::path> files) {
  constexpr size_t kPixels = kCifarShape.pixels();
  constexpr size_t kRecord = 1 + kPixels;
  ImageSet set;
  set.shape = kCifarShape;
  set.classes = kClasses;
  for (const std::filesystem::path& file : files) {
    RECKON_ASSIGN(const std::string bytes, base::ReadFile(file));
    if (bytes.empty() || bytes.size() % kRecord != 0) {
      return Broken(file, fmt::format("{} bytes; expected records of {} (a label and 3 x 32 x 32 "
                                      "pixels)",
                                      bytes.size(), kRecord));
    }
    std::vector<uint8_t> labels;
    for (size_t at = 0; at < bytes.size(); at += kRecord) {
      labels.push_back(static_cast<uint8_t>(bytes[at]));
      const auto first = bytes.begin() + static_cast<ptrdiff_t>(at) + 1;
      set.pixels.insert(set.pixels.end(), first, first + static_cast<ptrdiff_t>(kPixels));
    }
    RECKON_TRY(CheckLabels(file, labels));
    set.labels.insert(set.labels.end(), labels.begin(), labels.end());
  }
  if (set.size() == 0) return base::BadInput("no CIFAR-10 file was named");
  return set;
}

}  // namespace reckon::train
