#include "observe/probes/gpu_probe.h"

#include <cstdlib>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/unit/observe/fake_root.h"

namespace reckon::observe {
namespace {

class GpuProbeTest : public testing::Test {
 protected:
  // NOLINTBEGIN(concurrency-mt-unsafe): no other thread looks
  ~GpuProbeTest() override { unsetenv("FAKE_NVML"); }
  static void Devices(const char* text) { setenv("FAKE_NVML", text, 1); }
  // NOLINTEND(concurrency-mt-unsafe)

  std::unique_ptr<GpuProbe> Open(const std::string& library = RECKON_FAKE_NVML) const {
    return GpuProbe::Open(root_.path(), library);
  }

  FakeRoot root_;
};

TEST_F(GpuProbeTest, MeanOverTheDevicesThatTell) {
  Devices("40/1000 - 80/3000000000");
  const auto probe = Open();
  ASSERT_NE(probe, nullptr);
  const GpuReading reading = probe->Read();
  EXPECT_DOUBLE_EQ(reading.share.value(), 0.6);
  EXPECT_EQ(reading.memory_bytes.value(), 3'000'001'000U);
}

TEST_F(GpuProbeTest, LibraryIsGivenBack) {
  void* library = dlopen(RECKON_FAKE_NVML, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const int* users = static_cast<int*>(dlsym(library, "fake_nvml_users"));
  ASSERT_NE(users, nullptr);
  Devices("40/1000");
  auto probe = Open();
  EXPECT_EQ(*users, 1);
  probe.reset();
  EXPECT_EQ(*users, 0);
  Devices("");
  EXPECT_EQ(Open(), nullptr);  // a driver without devices
  EXPECT_EQ(*users, 0);
  dlclose(library);
}

TEST_F(GpuProbeTest, NoGpuIsNoError) {
  EXPECT_EQ(Open(), nullptr);                            // no driver
  EXPECT_EQ(Open("/no/such/library.so"), nullptr);       // no library
  EXPECT_EQ(Open("libm.so.6"), nullptr);                 // one that is something else
  EXPECT_EQ(Open(root_.path() / "proc/stat"), nullptr);  // no library at all
  EXPECT_EQ(Open(""), nullptr);
}

// As on an Orin: the library is there and finds the device, and the driver's file has the load.
TEST_F(GpuProbeTest, JetsonFillsInWhatTheLibraryDoesNotTell) {
  root_.Write("sys/devices/platform/gpu.0/load", "1000\n");
  Devices("-");
  const GpuReading jetson = Open()->Read();
  EXPECT_DOUBLE_EQ(jetson.share.value(), 1);
  EXPECT_FALSE(jetson.memory_bytes);
  Devices("30/5");
  EXPECT_DOUBLE_EQ(Open()->Read().share.value(), 0.3);
}

}  // namespace
}  // namespace reckon::observe
