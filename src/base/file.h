// Files as the house wants them: read whole, or written aside and then named, so that no reader and
// no crash ever sees half of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace reckon::base {

Result<std::string> ReadFile(const std::filesystem::path& path);

// At most `most` bytes from `offset` on; fewer only at the end of the file.
Result<std::string> ReadPiece(const std::filesystem::path& path, uint64_t offset, size_t most);

// Whether writing to `path` writes to standard output: "-", /dev/stdout, or the file that the shell
// connected it to.
bool IsStandardOutput(const std::filesystem::path& path);

// To a file of the kernel's (below /sys and /proc): in one write, whose error is the answer.
Status WriteControl(const std::filesystem::path& path, std::string_view text);

// A file that appears under its name only when Commit succeeds: written without a name in the same
// folder (beside it where the file system cannot do that), flushed to disk, then named. Without
// Commit nothing stays behind. A target that is not a regular file (a pipe, a terminal) is written
// to directly, and so is "-" or whatever else standard output is connected to. A file that is
// replaced keeps its permissions; a link stays, and what it points to is replaced. Not thread-safe.
class AtomicFile {
 public:
  // `mode` of a new one, less the umask.
  static Result<AtomicFile> Create(const std::filesystem::path& path, unsigned mode = 0666);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  Status Append(std::string_view text);
  // Everything that can fail for want of space, so that of several files all or none are committed.
  Status Finish();
  // Finishes, and puts the file under its name.
  Status Commit();

 private:
  enum class Place { kNameless, kBeside, kDirect };
  AtomicFile(std::filesystem::path path, Place place, int descriptor);
  Status Flush();
  Status Name();

  std::filesystem::path path_;
  std::string temporary_;  // what is to be renamed or removed; empty when there is no such name
  Place place_;
  int descriptor_;
  std::string buffer_;
  bool broken_ = false;  // part of the text is lost: must not be committed
};

// Removes what writers of AtomicFiles in this folder left that were killed between naming a file
// and giving it the place of another; the next writer of the same file does so too.
void RemoveAbandonedFiles(const std::filesystem::path& folder);

// Replaces `path` by `text`, whole or not at all. `mode` of a new file, less the umask.
Status WriteFile(const std::filesystem::path& path, std::string_view text, unsigned mode = 0666);

}  // namespace reckon::base
