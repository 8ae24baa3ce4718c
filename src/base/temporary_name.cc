#include "base/temporary_name.h"

#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

namespace reckon::base {
namespace {

constexpr std::string_view kPrefix = ".reckon-";
constexpr size_t kDigits = 8;

bool IsTemporaryName(std::string_view name) {
  if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + kDigits) return false;
  name.remove_prefix(kPrefix.size());
  return name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string TemporaryName(const std::filesystem::path& path, uint32_t attempt) {
  uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : path.filename().string()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  // Short, so that the longest name a folder takes can be replaced too.
  const std::string name = fmt::format("{}{:08x}", kPrefix, hash + attempt);
  return ((path.has_parent_path() ? path.parent_path() : std::filesystem::path(".")) / name)
      .string();
}

bool HoldTemporary(int descriptor) {
  return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool RemoveIfAbandoned(const std::string& name) {
  const int descriptor = open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  bool removed = false;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    // It may have been renamed before it was ours. While the lock is ours nobody else touches a
    // file that still has this name.
    struct stat held {};
    struct stat named {};
    removed = fstat(descriptor, &held) == 0 && lstat(name.c_str(), &named) == 0 &&
              held.st_dev == named.st_dev && held.st_ino == named.st_ino && S_ISREG(held.st_mode) &&
              unlink(name.c_str()) == 0;
  }
  close(descriptor);
  return removed;
}

void RemoveAbandonedFiles(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::directory_iterator entry(folder, code);
  for (; !code && entry != std::filesystem::directory_iterator(); entry.increment(code)) {
    if (IsTemporaryName(entry->path().filename().string())) {
      (void)RemoveIfAbandoned(entry->path().string());
    }
  }
}

}  // namespace reckon::base
