#include "train/ps/program.h"

#include <cstdio>
#include <string>

#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/single_argument.h"
#include "train/job_json.h"
#include "train/ps/server.h"
#include "train/ps/server_options.h"

namespace reckon::train {
namespace {

constexpr const char* kUsage =
    "usage: reckon-ps JOB.json\n"
    "One parameter server of a run of the built-in trainer; `reckon run JOB.yaml` starts as many "
    "as\n"
    "the job wants. Environment: RECKON_LISTEN (host:port), RECKON_SERVER (its number), "
    "WORLD_SIZE,\n"
    "RECKON_SERVERS, RECKON_TOKEN.\n";

base::Status ServeAsTold(const std::string& job_file, base::Logger& log,
                         const std::stop_token& stop) {
  RECKON_ASSIGN(const core::TrainerJob job, ReadTrainerJobFile(job_file));
  RECKON_ASSIGN(const ServerPlace place, ReadServerPlace());
  RECKON_ASSIGN(const ServerOptions options, MakeServerOptions(job, place));
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
