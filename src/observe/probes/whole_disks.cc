#include "observe/probes/whole_disks.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "observe/probes/kept_file.h"

namespace reckon::observe {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSectorBytes = 512;  // in /proc, whatever the disk's own are

std::string_view Without(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string_view();
}

}  // namespace

DiskNumbers WholeDisks(const fs::path& root) {
  DiskNumbers disks;
  std::error_code code;
  fs::directory_iterator entry(root / "sys/block", code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    std::error_code ignored;
    if (!fs::exists(entry->path() / "device", ignored)) continue;
    // One of several ways to a disk that is listed itself.
    const auto hidden = base::ReadFile(entry->path() / "hidden");
    if (hidden.ok() && hidden->starts_with('1')) continue;
    const auto number = base::ReadFile(entry->path() / "dev");
    if (number.ok()) disks.emplace(base::Trim(number->substr(0, number->find('\n'))));
  }
  return disks;
}

DiskBytes BytesOfDiskstats(std::string_view text, const DiskNumbers& disks) {
  DiskBytes bytes;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    const auto major = TakeCount(line);
    const auto minor = TakeCount(line);
    if (!major || !minor || !disks.contains(fmt::format("{}:{}", *major, *minor))) continue;
    TakeWord(line);
    // Reads: how many, merged, sectors, milliseconds; then the same of writes.
    constexpr size_t kSectorsRead = 2;
    constexpr size_t kSectorsWritten = 6;
    for (size_t i = 0; i <= kSectorsWritten; ++i) {
      const uint64_t count = TakeCount(line).value_or(0);
      if (i == kSectorsRead) bytes.read += count * kSectorBytes;
      if (i == kSectorsWritten) bytes.written += count * kSectorBytes;
    }
  }
  return bytes;
}

DiskBytes BytesOfIoStat(std::string_view text, const DiskNumbers& disks) {
  DiskBytes bytes;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (!disks.contains(TakeWord(line))) continue;
    for (std::string_view word = TakeWord(line); !word.empty(); word = TakeWord(line)) {
      std::string_view read = Without(word, "rbytes=");
      std::string_view written = Without(word, "wbytes=");
      bytes.read += TakeCount(read).value_or(0);
      bytes.written += TakeCount(written).value_or(0);
    }
  }
  return bytes;
}

DiskBytes BytesOfBlkio(std::string_view text, const DiskNumbers& disks) {
  DiskBytes bytes;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (!disks.contains(TakeWord(line))) continue;
    const std::string_view kind = TakeWord(line);
    const uint64_t count = TakeCount(line).value_or(0);
    if (kind == "Read") bytes.read += count;
    if (kind == "Write") bytes.written += count;
  }
  return bytes;
}

}  // namespace reckon::observe
