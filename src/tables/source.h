// Where a table's text comes from: a file, a pipe or memory, readable from its start as often as a
// reader needs to pass over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace reckon::tables {

// A regular file is read from disk in the blocks a reader asks for, so memory stays small; what
// cannot be read twice ("-" for standard input, pipes, devices) is kept in memory. Thread-safe:
// reading changes nothing.
class Source {
 public:
  // kNotFound when there is no such file, kBadInput when it is a folder, kIo when the system
  // refuses. "-" is standard input, read to its end here.
  static base::Result<Source> Open(const std::filesystem::path& path);
  static Source FromText(std::string text, std::string name);

  ~Source();
  Source(Source&& other) noexcept;
  Source& operator=(Source&& other) noexcept;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // For messages: the path as it was given, or "standard input".
  const std::string& name() const { return name_; }
  // Bytes when it was opened; a file may have changed since.
  uint64_t size() const { return size_; }

  // Copies up to `count` bytes from `offset` on to `into` and says how many; fewer only at the end.
  base::Result<size_t> Read(uint64_t offset, char* into, size_t count) const;

 private:
  Source(std::string name, int descriptor, std::string text, uint64_t size);

  std::string name_;
  int descriptor_;    // -1: the text is in memory
  std::string text_;  // what could not be read twice
  uint64_t size_;
};

// The byte where the text begins: behind a UTF-8 byte order mark, else 0. Bad input when the source
// starts as UTF-16 does.
base::Result<uint64_t> TextStart(const Source& source);

// The whole text without byte order mark; bad input when it holds a NUL byte. For the small formats
// that are not read as a stream.
base::Result<std::string> ReadText(const Source& source);

// The message for text that is none; `line` counts from 1.
base::Error NotText(const Source& source, uint64_t line);

// The message for a name or category that other programs, and JSON, could not hold.
base::Error NotUtf8(const Source& source, uint64_t line, std::string_view what);

}  // namespace reckon::tables
