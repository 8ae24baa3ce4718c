// How busy the graphics processors of this machine are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "observe/probes/kept_file.h"

namespace reckon::observe {

// NVIDIA's management library (NVML), loaded at run time: nothing is linked.
class Nvml;

struct GpuReading {
  std::optional<double> share;           // 0..1, mean over the devices that say it
  std::optional<uint64_t> memory_bytes;  // in use, of all devices that say it
};

// Asks NVML, and for what it does not tell, as on a Jetson, the file of the driver. Not
// thread-safe.
class GpuProbe {
 public:
  static constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

  // `root`: where /sys is; `library`: name or path of NVML, empty: do not load it. nullptr: no GPU
  // that can be asked, which is no error.
  static std::unique_ptr<GpuProbe> Open(const std::filesystem::path& root,
                                        const std::string& library = kNvmlLibrary);
  ~GpuProbe();
  GpuProbe(const GpuProbe&) = delete;
  GpuProbe& operator=(const GpuProbe&) = delete;

  GpuReading Read();

 private:
  GpuProbe(std::unique_ptr<Nvml> nvml, std::optional<KeptFile> jetson_load);

  std::unique_ptr<Nvml> nvml_;           // nullptr: none
  std::optional<KeptFile> jetson_load_;  // per mille
};

}  // namespace reckon::observe
