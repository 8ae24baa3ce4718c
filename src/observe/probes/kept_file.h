// A file of the kernel's that is read again and again: opened once, read from its begin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace reckon::observe {

// Not thread-safe.
class KeptFile {
 public:
  // kIo when it cannot be opened.
  static base::Result<KeptFile> Open(const std::filesystem::path& path);
  ~KeptFile();
  KeptFile(KeptFile&& other) noexcept;
  KeptFile& operator=(KeptFile&& other) noexcept;
  KeptFile(const KeptFile&) = delete;
  KeptFile& operator=(const KeptFile&) = delete;

  // What it says now; valid until the next Read. kIo when what it tells of is gone.
  base::Result<std::string_view> Read();
  // The whole of it as one count. kCorrupt when it is something else.
  base::Result<uint64_t> ReadCount();
  // kCorrupt: "PATH: MESSAGE".
  base::Error Complain(std::string_view message) const;

 private:
  KeptFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
  std::string buffer_;
};

// The count behind `key` in text of lines "KEY COUNT" or "KEY: COUNT kB"; nullopt: none there.
std::optional<uint64_t> CountOf(std::string_view text, std::string_view key);
// A decimal number at the begin of `text`, after blanks; both are taken off it.
std::optional<uint64_t> TakeCount(std::string_view& text);
// A line without its end, or a word without the blanks before it; taken off `text`. Empty at the
// end.
std::string_view TakeLine(std::string_view& text);
std::string_view TakeWord(std::string_view& text);

}  // namespace reckon::observe
