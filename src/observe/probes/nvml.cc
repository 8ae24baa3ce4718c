#include "observe/probes/nvml.h"

#include <dlfcn.h>

namespace reckon::observe {

template <typename Function>
bool Nvml::Find(const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(handle_, name));
  return function != nullptr;
}

bool Nvml::FindAll() {
  return Find("nvmlInit_v2", init_) && Find("nvmlShutdown", shutdown_) &&
         Find("nvmlDeviceGetCount_v2", count_) && Find("nvmlDeviceGetHandleByIndex_v2", device_) &&
         Find("nvmlDeviceGetUtilizationRates", utilization_) &&
         Find("nvmlDeviceGetMemoryInfo", memory_);
}

std::unique_ptr<Nvml> Nvml::Load(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  std::unique_ptr<Nvml> nvml(new Nvml(handle));
  if (!nvml->FindAll() || nvml->init_() != 0) return nullptr;
  nvml->started_ = true;
  unsigned count = 0;
  if (nvml->count_(&count) != 0) return nullptr;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    // One that fell off the bus, or that we may not see, does not hide the others.
    if (nvml->device_(i, &device) == 0) nvml->devices_.push_back(device);
  }
  if (nvml->devices_.empty()) return nullptr;
  return nvml;
}

Nvml::~Nvml() {
  if (started_) shutdown_();
  dlclose(handle_);
}

GpuReading Nvml::Read() const {
  GpuReading reading;
  double percent = 0;
  int told = 0;
  for (const Device device : devices_) {
    Utilization utilization{};
    if (utilization_(device, &utilization) == 0) {
      percent += utilization.gpu;
      ++told;
    }
    Memory memory{};
    if (memory_(device, &memory) == 0) {
      reading.memory_bytes = reading.memory_bytes.value_or(0) + memory.used;
    }
  }
  if (told > 0) reading.share = percent / 100 / told;
  return reading;
}

}  // namespace reckon::observe
