#include "worker/program.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/single_argument.h"
#include "base/text.h"
#include "observe/events/reporter.h"
#include "train/going_on.h"
#include "train/job_json.h"
#include "worker/allocator.h"
#include "worker/rank_environment.h"
#include "worker/serving.h"
#include "worker/stopwatch.h"
#include "worker/training.h"

namespace reckon::worker {
namespace {

using base::Error;
using base::ErrorCode;

constexpr const char* kUsage =
    "usage: reckon-worker JOB.json\n"
    "       reckon-worker --serve MODEL\n"
    "One rank of a run of the built-in trainer; `reckon run JOB.yaml` starts as many as it needs.\n"
    "Environment: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, OMP_NUM_THREADS, RECKON_SERVERS,\n"
    "RECKON_ADDRESS, RECKON_STATUS_URL, RECKON_TOKEN.\n"
    "With --serve it answers over HTTP, at MASTER_ADDR:MASTER_PORT, what images show; callers "
    "show\n"
    "RECKON_TOKEN, where it is set.\n";

// Passes on to the run's supervisor, and a line an epoch to the log.
class Reporting final : public TrainingListener {
 public:
  Reporting(observe::Reporter& reporter, base::Logger& log) : reporter_(reporter), log_(log) {}

  void WentOnFrom(uint64_t step) override {
    reporter_.Metric("begun_at_step", static_cast<double>(step));
    std::printf("going on after step %llu\n", static_cast<unsigned long long>(step));
    std::fflush(stdout);
  }

  void StageEnded(std::string_view stage, double seconds, std::optional<size_t> epoch) override {
    reporter_.Stage(std::string(stage), seconds, Number(epoch));
    if (stage == "train_epoch") epoch_s_ = seconds;
  }

  void StepEnded(size_t epoch, size_t step, const StepOutcome& outcome) override {
    observe::StepRecord record;
    record.epoch = static_cast<int64_t>(epoch);
    record.step = static_cast<int64_t>(step);
    record.wait_s = outcome.wait_s;
    record.compute_s = outcome.compute_s;
    record.push_s = outcome.push_s;
    record.update_s = outcome.update_s;
    record.pull_s = outcome.pull_s;
    record.bytes_sent = outcome.bytes_sent;
    record.bytes_received = outcome.bytes_received;
    reporter_.Step(record);
  }

  void EpochEnded(size_t epoch, std::optional<double> loss, double accuracy, size_t validated,
                  bool alone) override {
    const auto number = static_cast<int64_t>(epoch);
    if (loss) reporter_.Metric("loss", *loss, number);
    reporter_.Metric("validated", static_cast<double>(validated), number);
    if (alone) reporter_.Metric("validated_alone", 1, number);
    reporter_.Metric("accuracy", accuracy, number);
    const std::string trained =
        loss ? fmt::format("loss {:.4f}, ", *loss) : std::string("trained before, ");
    std::printf("epoch %zu: %saccuracy %.4f on %zu images, %.3f s\n", epoch + 1, trained.c_str(),
                accuracy, validated, epoch_s_);
    std::fflush(stdout);
  }

  bool ShouldEnd() override { return reporter_.Ending(); }

  void EndedAfter(size_t epochs) override {
    std::printf("ended after epoch %zu, as it was told\n", epochs);
    std::fflush(stdout);
  }

  void Progressed(uint64_t images, uint64_t total) override {
    // Many steps a second tell nobody more than a few.
    const auto now = std::chrono::steady_clock::now();
    if (images < total && now - told_ < std::chrono::milliseconds(200)) return;
    told_ = now;
    reporter_.Progress(static_cast<double>(images), static_cast<double>(total), "images");
  }

  void CheckpointFailed(const Error& error) override {
    log_.Warn("checkpoint: " + error.Describe());
  }

 private:
  static std::optional<int64_t> Number(std::optional<size_t> epoch) {
    if (!epoch) return std::nullopt;
    return static_cast<int64_t>(*epoch);
  }

  observe::Reporter& reporter_;
  base::Logger& log_;
  double epoch_s_ = 0;
  std::chrono::steady_clock::time_point told_{};
};

// Of this process: what comes before main, above all the loading of libraries, counts too.
double SecondsSinceStart() {
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  // The name in parentheses may hold blanks; 20 fields later comes the start, in ticks since boot.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 2)));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;
  const double started =
      base::ParseNumber(field).value_or(0) / static_cast<double>(sysconf(_SC_CLK_TCK));
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) - started;
}

base::Status TrainAsTold(const std::string& job_file, const RankEnvironment& environment,
                         observe::Reporter& reporter, base::Logger& log,
                         const std::stop_token& stop) {
  const Stopwatch fit;  // the data's loading belongs to it
  RECKON_ASSIGN(const core::TrainerJob job, train::ReadTrainerJobFile(job_file));
  RECKON_ASSIGN(const train::TrainingData data,
                train::LoadData(job.data, job.seed, environment.rank));
  RECKON_ASSIGN(const size_t images, train::ImagesOfAll(job, environment.rank, data.train.size()));
  RECKON_ASSIGN(const train::CheckedJob checked,
                train::CheckSettings(job, environment.workers, images, data.validation.size(),
                                     data.train.shape, data.train.classes));
  RECKON_ASSIGN(const auto replica,
                Replica::Make(checked.network, checked.image,
                              {job.float64, job.seed, environment.rank,
                               static_cast<size_t>(job.fine_tune), environment.threads}));
  const Training training{job, checked, data, environment.rank,
                          train::CourseOf(job, checked, data.train)};
  RECKON_ASSIGN(const auto exchange, MakeExchange(training, environment, *replica));
  Reporting listener(reporter, log);
  RECKON_TRY(RunTraining(training, *replica, *exchange, listener, stop));
  listener.StageEnded("fit", fit.Elapsed(), std::nullopt);
  listener.StageEnded("train", SecondsSinceStart(), std::nullopt);
  return {};
}

// Torch's own exceptions become errors where it is called; what is left is memory and threads.
base::Status TrainWithinMemory(const std::string& job_file, const RankEnvironment& environment,
                               observe::Reporter& reporter, base::Logger& log,
                               const std::stop_token& stop) {
  try {
    return TrainAsTold(job_file, environment, reporter, log, stop);
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::kFailed, "out of memory: the data, or what the optimizer keeps");
  } catch (const std::system_error& error) {
    return Error(ErrorCode::kFailed, fmt::format("no thread could be started: {}", error.what()));
  }
}

int Fail(const Error& error) {
  std::fprintf(stderr, "reckon-worker: %s\n", error.Describe().c_str());
  return base::ExitCode(error.code());
}

}  // namespace

int RunWorkerProgram(int argc, char** argv) {
  constexpr std::string_view kServe = "--serve";
  if (argc == 3 && argv[1] == kServe) {
    const base::InterruptWatch interrupt;
    const base::Status served = ServeModel(argv[2], interrupt.token());
    return served.ok() ? 0 : Fail(served.error());
  }
  const base::SingleArgument job = base::TakeSingleArgument(argc, argv, kUsage);
  if (job.exit_code) return *job.exit_code;
  KeepFreedMemory();
  // Gloo writes to sockets whose other end may be gone, and expects an error, not a signal.
  (void)std::signal(SIGPIPE, SIG_IGN);
  const base::InterruptWatch interrupt;
  const auto environment = ReadRankEnvironment();
  if (!environment.ok()) return Fail(environment.error());
  const base::SystemClock clock;
  base::Logger log(base::LogLevel::kWarn);
  const auto reporter = observe::Reporter::FromEnvironment(clock, log);
  const base::Status trained =
      TrainWithinMemory(job.value, *environment, *reporter, log, interrupt.token());
  if (trained.ok()) return 0;
  if (trained.error().code() != ErrorCode::kInterrupted) {
    reporter->Error(trained.error().Describe());
  }
  return Fail(trained.error());
}

}  // namespace reckon::worker
