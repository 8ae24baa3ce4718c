#include "observe/stress/stress.h"

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "observe/stress/load.h"

namespace reckon::observe {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kReadS = 1;
// How often to look for processes and memory: until all are there, until all is held, later.
constexpr double kLookForWorkersS = 0.05;
constexpr double kLookToSettleS = 1;
constexpr double kLookS = 10;
constexpr int kReadingsToSettle = 2;

class Lap {
 public:
  explicit Lap(const base::Clock& clock) : clock_(clock), begin_(clock.Monotonic()) {}

  double ElapsedS() const { return Seconds(clock_.Monotonic() - begin_).count(); }
  // What has elapsed, and begins anew.
  double NextS() {
    const auto now = clock_.Monotonic();
    return Seconds(now - std::exchange(begin_, now)).count();
  }

 private:
  const base::Clock& clock_;
  base::MonotonicTime begin_;
};

}  // namespace

base::Status RunStress(const StressOptions& options, const base::Clock& clock,
                       StressListener& listener, const std::stop_token& stop) {
  RECKON_ASSIGN(const std::unique_ptr<Load> load,
                Load::Start(options.levels, options.folder, options.root));
  const Lap all(clock);
  Lap steered(clock);
  Lap looked(clock);
  Lap read(clock);
  int good = 0;  // readings in a row
  bool settled = false;
  while (!stop.stop_requested()) {
    const double pause = load->Steer(steered.NextS());
    const double look_s = settled ? kLookS : kLookToSettleS;
    if (looked.ElapsedS() >= (load->complete() ? look_s : kLookForWorkersS)) {
      looked.NextS();
      RECKON_TRY(load->Look());
    }
    if (read.ElapsedS() >= kReadS) {
      RECKON_TRY(load->Check());
      const StressReading reading = load->Read(read.NextS());
      listener.Measured(reading);
      const std::string missed = Missed(options.levels, reading);
      good = missed.empty() ? good + 1 : 0;
      if (!settled && good >= kReadingsToSettle) {
        settled = true;
        load->Settled();
        listener.Settled();
      } else if (!settled && !missed.empty() && all.ElapsedS() > options.settle_s) {
        return base::Error(
            base::ErrorCode::kFailed,
            fmt::format("the levels are not reached after {:.0f} s: {}", options.settle_s, missed));
      }
    }
    std::this_thread::sleep_for(Seconds(pause));
  }
  return {};
}

}  // namespace reckon::observe
