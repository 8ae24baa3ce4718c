// A folder with files like those below /proc and /sys.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tests/support/temp_folder.h"

namespace reckon::observe {

class FakeRoot {
 public:
  // A machine of two processors and 8 MB of memory, half of it in use.
  FakeRoot() {
    Write("proc/stat",
          "cpu  100 20 30 5000 40 5 6 7 90 3\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
          "cpu1 1 1 1 1 1 1 1 1 1 1\nintr 12345 0 7\n");
    Write(
        "proc/meminfo",
        "MemTotal:           8000 kB\nMemFree:             100 kB\nMemAvailable:       4000 kB\n");
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::string file(std::string_view name) const { return (folder_ / name).string(); }

  void Write(std::string_view name, std::string_view text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    folder_.Write(name, text);
  }
  void WriteDisk(const std::string& name, std::string_view number, bool hardware) const {
    Write("sys/block/" + name + "/dev", std::string(number) + "\n");
    if (hardware) std::filesystem::create_directories(folder_ / ("sys/block/" + name + "/device"));
  }
  void Remove(std::string_view name) const { std::filesystem::remove(folder_ / name); }

 private:
  support::TempFolder folder_;
};

}  // namespace reckon::observe
