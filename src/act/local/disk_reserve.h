// Room on a disk that is kept for the last thing that must be written there.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace reckon::act {

// A file that takes up room for as long as this lives. Not thread-safe.
class DiskReserve {
 public:
  // kIo: there is no room even now.
  static base::Result<DiskReserve> Take(std::filesystem::path path);
  ~DiskReserve() { Release(); }
  DiskReserve(DiskReserve&& other) noexcept;
  DiskReserve& operator=(DiskReserve&&) = delete;
  DiskReserve(const DiskReserve&) = delete;
  DiskReserve& operator=(const DiskReserve&) = delete;

  // Gives the room back.
  void Release();

 private:
  explicit DiskReserve(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty: released
};

}  // namespace reckon::act
