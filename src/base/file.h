// Files as the house wants them: read whole, or written beside and renamed, so that no reader and
// no crash ever sees half of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace reckon::base {

Result<std::string> ReadFile(const std::filesystem::path& path);

// A file that appears under its name only when Commit succeeds: written beside it, flushed to disk,
// then renamed. Without Commit nothing stays behind. A target that is not a regular file (a pipe,
// /dev/stdout) is written to directly. A file that is replaced keeps its
// permissions. Not thread-safe.
class AtomicFile {
 public:
  static Result<AtomicFile> Create(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  Status Append(std::string_view text);
  Status Commit();

 private:
  AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int descriptor);
  Status Flush();

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty when written directly
  int descriptor_;
  std::string buffer_;
  bool broken_ = false;  // part of the text is lost: must not be committed
};

// Replaces `path` by `text`, whole or not at all.
Status WriteFile(const std::filesystem::path& path, std::string_view text);

}  // namespace reckon::base
