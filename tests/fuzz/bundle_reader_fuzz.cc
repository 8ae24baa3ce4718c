// Archives from anywhere: no input may crash the reader, and what it takes keeps the limits. A
// tar's checksums stop random changes at the door, so what is no zip and not compressed is also
// read with right ones.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"
#include "bundle/bundle.h"

namespace {

using namespace reckon;  // NOLINT(google-build-using-namespace): a program of its own

constexpr size_t kBlock = 512;  // of a tar

void Read(std::string_view bytes) {
  constexpr bundle::Limits kLimits{.most_bytes = 1 << 16, .most_files = 16};
  const auto contents = bundle::CheckBytes(bytes, kLimits);
  if (!contents.ok()) {
    RECKON_CHECK(contents.error().code() == base::ErrorCode::kBadInput);
    RECKON_CHECK(!contents.error().message().empty());
    return;
  }
  RECKON_CHECK(contents->files >= 1 && contents->files <= kLimits.most_files);
  RECKON_CHECK(contents->bytes <= kLimits.most_bytes);
}

// The checksum of every header, found as a reader finds them.
std::string WithChecksums(std::string tar) {
  for (size_t at = 0; at + kBlock <= tar.size();) {
    tar.replace(at + 148, 8, "        ");
    unsigned sum = 0;
    for (size_t i = at; i < at + kBlock; ++i) sum += static_cast<unsigned char>(tar[i]);
    const bool is_end = sum == 8 * ' ';
    tar.replace(at + 148, 8,
                is_end ? std::string(8, '\0') : fmt::format("{:06o}", sum) + '\0' + ' ');
    const uint64_t size = std::strtoull(tar.substr(at + 124, 11).c_str(), nullptr, 8);
    if (size > tar.size()) break;
    at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
  }
  return tar;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Read(bytes);
  if (!bytes.starts_with("PK") && !bytes.starts_with('\x1f'))
    Read(WithChecksums(std::string(bytes)));
  return 0;
}
