#include "observe/probes/gpu_probe.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "observe/probes/nvml.h"

namespace reckon::observe {
namespace {

namespace fs = std::filesystem;

// Names of a Jetson's GPU among the devices whose clock is scaled, as "17000000.ga10b".
bool NamesJetsonGpu(std::string_view name) {
  constexpr std::array<std::string_view, 4> kChips{"gpu", "gp10b", "gv11b", "ga10b"};
  return std::any_of(kChips.begin(), kChips.end(), [&](std::string_view chip) {
    return name.find(chip) != std::string_view::npos;
  });
}

std::optional<KeptFile> FindJetsonLoad(const fs::path& root) {
  std::vector<fs::path> places{root / "sys/devices/gpu.0/load",
                               root / "sys/devices/platform/gpu.0/load"};
  std::error_code code;
  fs::directory_iterator entry(root / "sys/class/devfreq", code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    if (NamesJetsonGpu(entry->path().filename().string())) {
      places.push_back(entry->path() / "device/load");
    }
  }
  for (const fs::path& place : places) {
    auto file = KeptFile::Open(place);
    if (file.ok()) return *std::move(file);
  }
  return std::nullopt;
}

}  // namespace

GpuProbe::GpuProbe(std::unique_ptr<Nvml> nvml, std::optional<KeptFile> jetson_load)
    : nvml_(std::move(nvml)), jetson_load_(std::move(jetson_load)) {}

GpuProbe::~GpuProbe() = default;

std::unique_ptr<GpuProbe> GpuProbe::Open(const fs::path& root, const std::string& library) {
  std::unique_ptr<Nvml> nvml = library.empty() ? nullptr : Nvml::Load(library);
  std::optional<KeptFile> jetson_load = FindJetsonLoad(root);
  if (nvml == nullptr && !jetson_load) return nullptr;
  return std::unique_ptr<GpuProbe>(new GpuProbe(std::move(nvml), std::move(jetson_load)));
}

GpuReading GpuProbe::Read() {
  GpuReading reading;
  if (nvml_ != nullptr) reading = nvml_->Read();
  if (!reading.share && jetson_load_) {
    // An idle GPU may be off, and then the driver does not say: that is no load told, not an error.
    const auto per_mille = jetson_load_->ReadCount();
    if (per_mille.ok()) reading.share = std::min(static_cast<double>(*per_mille) / 1000, 1.0);
  }
  return reading;
}

}  // namespace reckon::observe
