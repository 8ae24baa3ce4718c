#include "train/ps/server_options.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "train/check_job.h"
#include "train/data/training_data.h"
#include "train/nets/network.h"
#include "train/ps/protocol.h"

namespace reckon::train {
namespace {

// A silent worker is given up after so many times the patience of its peers: a step may take long.
constexpr int kSilences = 2;
constexpr std::chrono::milliseconds kCheckpointEvery{2'000};

std::string VariableOr(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

base::Result<std::string> NeededVariable(const char* name) {
  std::string value = VariableOr(name, "");
  if (!value.empty()) return value;
  return base::BadInput(fmt::format("{} is not set", name));
}

base::Result<size_t> WholeVariable(const char* name, int64_t least) {
  RECKON_ASSIGN(const std::string text, NeededVariable(name));
  const auto number = base::ParseInteger(text);
  if (number && *number >= least) return static_cast<size_t>(*number);
  return base::BadInput(fmt::format("{}={}; expected {} or more", name, text, least));
}

// The parameters of the layers that the job trains; 0: only the data's files would tell.
base::Result<size_t> TrainedParameters(const core::TrainerJob& job) {
  if (job.data.source == "idx") return 0;  // images of any size
  RECKON_ASSIGN(const DataFacts facts, DescribeData(job.data));
  RECKON_ASSIGN(const Network network,
                BuildNetwork(job.network, job.knobs, facts.shape, facts.classes));
  size_t trained = 0;
  for (size_t i = network.FirstTrained(static_cast<size_t>(job.fine_tune));
       i < network.layers.size(); ++i) {
    trained += network.layers[i].parameters();
  }
  return trained;
}

}  // namespace

base::Result<ServerPlace> ReadServerPlace() {
  ServerPlace place;
  RECKON_ASSIGN(const std::string listen, NeededVariable("RECKON_LISTEN"));
  RECKON_ASSIGN(place.listen, net::ParseAddress(listen));
  RECKON_ASSIGN(place.number, WholeVariable("RECKON_SERVER", 0));
  RECKON_ASSIGN(place.workers, WholeVariable("WORLD_SIZE", 1));
  const std::string servers = VariableOr("RECKON_SERVERS", "");
  if (!servers.empty()) place.servers = base::Split(servers, ',').size();
  if (place.servers > 0 && place.number >= place.servers) {
    return base::BadInput(
        fmt::format("RECKON_SERVER={}; RECKON_SERVERS names {}", place.number, place.servers));
  }
  place.token = VariableOr("RECKON_TOKEN", "");
  return place;
}

base::Result<ServerOptions> MakeServerOptions(const core::TrainerJob& job,
                                              const ServerPlace& place) {
  ServerOptions options;
  options.listen = place.listen;
  options.token = place.token;
  if (place.servers > 0) {
    RECKON_ASSIGN(const size_t parameters, TrainedParameters(job));
    options.size = PartSize(parameters, place.servers, place.number);
  }
  RECKON_ASSIGN(options.optimiser, ReadOptimiser(job.optimiser));
  options.gate.mode =
      job.strategy == core::Strategy::kSyncParameterServer ? StepMode::kSync : StepMode::kAsync;
  options.gate.workers = place.workers;
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
    options.checkpoint = fmt::format("{}.server-{}", job.checkpoint, place.number);
  }
  return options;
}

}  // namespace reckon::train
