// A latency-critical application as it runs beside a training: see README.md.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "frames.h"
#include "observe/events/reporter.h"
#include "options.h"
#include "schedule.h"
#include "udp.h"

namespace sift {
namespace {

using std::chrono::steady_clock;

constexpr uint64_t kSeed = 2020;
constexpr size_t kFrameBytes = 56'000;  // what a camera's compressed frame of this size has
constexpr int64_t kWarmCycles = 5;
constexpr std::chrono::milliseconds kStopLook{100};

class SiftDetector {
 public:
  SiftDetector() : sift_(cv::SIFT::create(0, 3, 0.04, 10, 1.6, CV_8U)) {}

  // Number of features, then of each its place, size and angle and the 128 bytes that describe it.
  std::vector<uint8_t> Serialised(const cv::Mat& frame) {
    std::vector<cv::KeyPoint> points;
    cv::Mat descriptors;
    sift_->detectAndCompute(frame, cv::noArray(), points, descriptors);
    std::vector<uint8_t> bytes;
    const auto add = [&](const void* data, size_t size) {
      const auto* begin = static_cast<const uint8_t*>(data);
      bytes.insert(bytes.end(), begin, begin + size);
    };
    const auto count = static_cast<uint32_t>(points.size());
    add(&count, sizeof(count));
    for (size_t i = 0; i < points.size(); ++i) {
      const float place[] = {points[i].pt.x, points[i].pt.y, points[i].size, points[i].angle};
      add(place, sizeof(place));
      const cv::Mat row = descriptors.row(static_cast<int>(i));
      add(row.data, row.total());
    }
    features_ += points.size();
    return bytes;
  }

  size_t features() const { return features_; }  // of all frames

 private:
  cv::Ptr<cv::SIFT> sift_;
  size_t features_ = 0;
};

// Set by signals. Not base::InterruptWatch: libraries below OpenCV start threads before main, and
// those would not leave the signal to its watcher.
std::atomic<bool> stop_asked = false;

// Until then, or until a stop is asked for.
void SleepUntil(steady_clock::time_point time) {
  for (auto now = steady_clock::now(); now < time && !stop_asked; now = steady_clock::now()) {
    std::this_thread::sleep_until(std::min(time, now + kStopLook));
  }
}

reckon::base::Status Work(const Options& options, bool in_run,
                          reckon::observe::Reporter& reporter) {
  RECKON_ASSIGN(const UdpSocket receiver, UdpSocket::Connect(*options.to));
  const Frames frames(kSeed);
  SiftDetector detector;
  Schedule schedule(options.period_s);
  const auto begin = steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
  };
  size_t sent = 0;
  int64_t done = 0;
  int64_t missed = 0;
  int64_t skipped = 0;
  while (!stop_asked && (options.cycles == 0 || done < options.cycles)) {
    const double started = elapsed();
    const cv::Mat frame = frames.At(schedule.cycle()).clone();  // in one piece, as from a camera
    sent += receiver.Send(detector.Serialised(frame));
    sent += receiver.Send({frame.data, kFrameBytes});
    const double took = elapsed() - started;
    const bool late = took > options.deadline_s;
    ++done;
    missed += late ? 1 : 0;
    reporter.Latency(took, late);
    if (done == kWarmCycles) reporter.Ready();
    if (!in_run) {
      std::printf("frame %5lld   %8.2f ms%s\n", static_cast<long long>(schedule.cycle()),
                  1e3 * took, late ? "   missed" : "");
      std::fflush(stdout);
    }
    skipped += schedule.Next(elapsed());
    SleepUntil(begin + std::chrono::duration_cast<steady_clock::duration>(
                           std::chrono::duration<double>(schedule.due_s())));
  }
  std::printf("%lld frames, %zu features, %zu bytes sent, %lld deadlines missed, %lld skipped\n",
              static_cast<long long>(done), detector.features(), sent,
              static_cast<long long>(missed), static_cast<long long>(skipped));
  return {};
}

reckon::base::Status Serve(const Options& options, reckon::observe::Reporter& reporter) {
  RECKON_ASSIGN(const UdpSocket socket, UdpSocket::Bind(*options.serve));
  std::printf("receiving on port %d\n", socket.port());
  std::fflush(stdout);
  reporter.Ready();
  size_t datagrams = 0;
  size_t bytes = 0;
  while (!stop_asked) {
    const int size = socket.Receive(static_cast<int>(kStopLook.count()));
    if (size < 0) continue;
    ++datagrams;
    bytes += static_cast<size_t>(size);
  }
  std::printf("%zu datagrams, %zu bytes received\n", datagrams, bytes);
  return {};
}

int Fail(const reckon::base::Error& error) {
  std::fprintf(stderr, "reckon-sift: %s\n", error.Describe().c_str());
  return reckon::base::ExitCode(error.code());
}

int Run(const std::vector<std::string>& arguments) {
  if (std::ranges::find(arguments, "--help") != arguments.end()) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  const auto options = ParseOptions(arguments);
  if (!options.ok()) return Fail(options.error());
  cv::setNumThreads(1);
  for (const int asks : {SIGINT, SIGTERM}) {
    (void)std::signal(asks, [](int) { stop_asked = true; });
  }
  const reckon::base::SystemClock clock;
  reckon::base::Logger log(reckon::base::LogLevel::kWarn);
  const auto reporter = reckon::observe::Reporter::FromEnvironment(clock, log);
  const bool in_run = std::getenv("RECKON_STATUS_URL") != nullptr;
  const auto ended =
      options->serve ? Serve(*options, *reporter) : Work(*options, in_run, *reporter);
  if (ended.ok()) return 0;
  reporter->Error(ended.error().Describe());
  return Fail(ended.error());
}

}  // namespace
}  // namespace sift

int main(int argc, char** argv) {
  return sift::Run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}
