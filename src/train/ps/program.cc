#include "train/ps/program.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/single_argument.h"
#include "base/text.h"
#include "train/check_job.h"
#include "train/job_json.h"
#include "train/ps/server.h"

namespace reckon::train {
namespace {

constexpr const char* kUsage =
    "usage: reckon-ps JOB.json\n"
    "One parameter server of a run of the built-in trainer; `reckon run JOB.yaml` starts as many "
    "as\n"
    "the job wants. Environment: RECKON_LISTEN (host:port), RECKON_SERVER (its number), "
    "WORLD_SIZE.\n";

// A silent worker is given up after so many times the patience of its peers: a step may take long.
constexpr int kSilences = 2;
constexpr std::chrono::milliseconds kCheckpointEvery{2'000};

base::Result<std::string> NeededVariable(const char* name) {
  const char* value = std::getenv(name);
  if (value != nullptr && *value != 0) return std::string(value);
  return base::BadInput(fmt::format("{} is not set", name));
}

base::Result<ServerOptions> ReadServerOptions(const core::TrainerJob& job) {
  ServerOptions options;
  RECKON_ASSIGN(const std::string listen, NeededVariable("RECKON_LISTEN"));
  RECKON_ASSIGN(options.listen, net::ParseAddress(listen));
  RECKON_ASSIGN(const std::string number, NeededVariable("RECKON_SERVER"));
  RECKON_ASSIGN(const std::string size, NeededVariable("WORLD_SIZE"));
  const auto workers = base::ParseInteger(size);
  if (!workers || *workers < 1) {
    return base::BadInput(fmt::format("WORLD_SIZE={}; expected 1 or more", size));
  }
  RECKON_ASSIGN(options.optimiser, ReadOptimiser(job.optimiser));
  options.gate.mode =
      job.strategy == core::Strategy::kSyncParameterServer ? StepMode::kSync : StepMode::kAsync;
  options.gate.workers = static_cast<size_t>(*workers);
  if (options.gate.mode == StepMode::kAsync) {
    // A job's rate is that of a step of all workers, whatever the strategy.
    options.optimiser = OneByOne(options.optimiser, options.gate.workers);
  }
  if (job.staleness) options.gate.staleness = static_cast<uint64_t>(*job.staleness);
  options.gate.patience = std::chrono::milliseconds(static_cast<int64_t>(job.patience_s * 1000));
  options.silence = kSilences * options.gate.patience;
  options.checkpoint_every = kCheckpointEvery;
  options.checkpoint_steps = static_cast<uint64_t>(job.checkpoint_every);
  if (!job.checkpoint.empty()) {
    options.checkpoint = fmt::format("{}.server-{}", job.checkpoint, number);
  }
  return options;
}

base::Status ServeAsTold(const std::string& job_file, base::Logger& log,
                         const std::stop_token& stop) {
  RECKON_ASSIGN(const core::TrainerJob job, ReadTrainerJobFile(job_file));
  RECKON_ASSIGN(const ServerOptions options, ReadServerOptions(job));
  RECKON_ASSIGN(const auto server, ParameterServer::Start(options, log));
  std::printf("parameter server on %s, %llu steps so far\n", options.listen.ToText().c_str(),
              static_cast<unsigned long long>(server->steps()));
  std::fflush(stdout);
  const base::Status served = server->Serve(stop);
  std::printf("%llu steps\n", static_cast<unsigned long long>(server->steps()));
  std::fflush(stdout);  // before what went wrong, which the run takes as the reason
  return served;
}

}  // namespace

int RunServerProgram(int argc, char** argv) {
  const base::SingleArgument job = base::TakeSingleArgument(argc, argv, kUsage);
  if (job.exit_code) return *job.exit_code;
  const base::InterruptWatch interrupt;
  base::Logger log(base::LogLevel::kInfo);
  const base::Status served = ServeAsTold(job.value, log, interrupt.token());
  if (served.ok()) return 0;
  std::fprintf(stderr, "reckon-ps: %s\n", served.error().Describe().c_str());
  return base::ExitCode(served.error().code());
}

}  // namespace reckon::train
