// What an archive is read from: a file, or bytes in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bundle/descriptor.h"

namespace reckon::bundle {

class Input {
 public:
  static base::Result<Input> OfFile(const std::filesystem::path& path);
  // They must stay where they are.
  static Input OfBytes(std::string_view bytes);

  // For messages: "'job.zip'".
  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }
  // How many bytes from there on it has put into `to`; 0 at the end.
  base::Result<size_t> ReadAt(uint64_t from, std::span<char> to) const;

 private:
  Input(std::string name, uint64_t size) : name_(std::move(name)), size_(size) {}

  std::string name_;
  uint64_t size_;
  Descriptor file_;
  std::string_view bytes_;  // when there is no file
};

}  // namespace reckon::bundle
