// The few calls of NVIDIA's management library that probes need, found at run time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "observe/probes/gpu_probe.h"

namespace reckon::observe {

// Not thread-safe.
class Nvml {
 public:
  // nullptr when the library is not there, is too old or finds no driver or device.
  static std::unique_ptr<Nvml> Load(const std::string& library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  GpuReading Read() const;

 private:
  // As in nvml.h of NVIDIA: 0 is success, and devices are pointers to what it keeps to itself.
  using Code = int;
  using Device = void*;
  struct Utilization {
    unsigned gpu;  // percent of the last sampling period in which a kernel ran
    unsigned memory;
  };
  struct Memory {
    unsigned long long total;  // NOLINT(google-runtime-int): the library's own types
    unsigned long long free;   // NOLINT(google-runtime-int)
    unsigned long long used;   // NOLINT(google-runtime-int)
  };

  explicit Nvml(void* handle) : handle_(handle) {}
  template <typename Function>
  bool Find(const char* name, Function*& function);
  bool FindAll();

  void* handle_;
  bool started_ = false;
  Code (*init_)() = nullptr;
  Code (*shutdown_)() = nullptr;
  Code (*count_)(unsigned*) = nullptr;
  Code (*device_)(unsigned, Device*) = nullptr;
  Code (*utilization_)(Device, Utilization*) = nullptr;
  Code (*memory_)(Device, Memory*) = nullptr;
  std::vector<Device> devices_;
};

}  // namespace reckon::observe
