// Stands in for NVIDIA's management library: the same names, sizes and return codes. The
// environment says what there is: FAKE_NVML="40/1000 - 80/3000" are three devices, each with its
// percent and its bytes in use; "-" is one that does not tell. Not set: there is no driver.
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kNotSupported = 3;
constexpr int kDriverNotLoaded = 9;

std::vector<std::string>& Devices() {
  static std::vector<std::string> devices;
  return devices;
}

}  // namespace

extern "C" {

int fake_nvml_users = 0;

int nvmlInit_v2() {
  const char* text = getenv("FAKE_NVML");  // NOLINT(concurrency-mt-unsafe): nobody sets it now
  if (text == nullptr) return kDriverNotLoaded;
  Devices().clear();
  std::istringstream words(text);
  for (std::string word; words >> word;) Devices().push_back(word);
  ++fake_nvml_users;
  return 0;
}

int nvmlShutdown() {
  --fake_nvml_users;
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(Devices().size());
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &Devices()[index];
  return 0;
}

int nvmlDeviceGetUtilizationRates(void* device, unsigned* gpu_and_memory) {
  const std::string& text = *static_cast<std::string*>(device);
  if (text == "-") return kNotSupported;
  gpu_and_memory[0] = static_cast<unsigned>(std::stoul(text));
  gpu_and_memory[1] = 99;
  return 0;
}

// NOLINTNEXTLINE(google-runtime-int): the library's own types
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* total_free_used) {
  const std::string& text = *static_cast<std::string*>(device);
  if (text == "-") return kNotSupported;
  total_free_used[0] = 8'000'000'000;
  total_free_used[2] = std::stoull(text.substr(text.find('/') + 1));
  total_free_used[1] = total_free_used[0] - total_free_used[2];
  return 0;
}

}  // extern "C"
