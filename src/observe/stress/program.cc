#include "observe/stress/program.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/prctl.h>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "observe/events/reporter.h"
#include "observe/stress/options.h"

namespace reckon::observe {
namespace {

// Inside a run what is printed goes to a log: a line a minute is enough there.
constexpr int kLinesInRun = 60;

class StressReporting final : public StressListener {
 public:
  StressReporting(const StressLevels& levels, Reporter& reporter, int every)
      : levels_(levels), reporter_(reporter), every_(every) {}

  void Measured(const StressReading& reading) override {
    if (seconds_++ % every_ == 0) Print(DescribeReading(levels_, reading));
  }

  void Settled() override {
    reporter_.Ready();
    Print("ready");
  }

 private:
  void Print(const std::string& text) const {
    std::printf("%5d s   %s\n", seconds_, text.c_str());
    std::fflush(stdout);
  }

  const StressLevels& levels_;
  Reporter& reporter_;
  const int every_;
  int seconds_ = 0;
};

int Fail(const base::Error& error) {
  std::fprintf(stderr, "reckon-stress: %s\n", error.Describe().c_str());
  return base::ExitCode(error.code());
}

}  // namespace

int RunStressProgram(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty()) {
    std::fputs(kStressUsage, stderr);
    return 2;
  }
  if (std::ranges::any_of(arguments, [](const auto& a) { return a == "--help" || a == "-h"; })) {
    std::fputs(kStressUsage, stdout);
    return 0;
  }
  (void)std::signal(SIGPIPE, SIG_IGN);
  base::ExpectChildren();
  // Stopping is quick, and a supervisor may ask for it twice.
  const base::InterruptWatch interrupt(base::InterruptWatch::Second::kIgnored);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that the end of those below stress-ng is waited for too
  const base::SystemClock clock;
  base::Logger log(base::LogLevel::kWarn);
  const auto reporter = Reporter::FromEnvironment(clock, log);
  const auto fail = [&](const base::Error& error) {
    reporter->Error(error.Describe());
    return Fail(error);
  };
  const auto options = ParseStressOptions(arguments, ThisMachine());
  if (!options.ok()) return fail(options.error());
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it here
  const bool in_run = std::getenv("RECKON_STATUS_URL") != nullptr;
  StressReporting listener(options->levels, *reporter, in_run ? kLinesInRun : 1);
  const base::Status held = RunStress(*options, clock, listener, interrupt.token());
  return held.ok() ? 0 : fail(held.error());
}

}  // namespace reckon::observe
