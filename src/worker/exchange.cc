#include "worker/exchange.h"

#include <utility>

#include <fmt/format.h>

#include "worker/training.h"

namespace reckon::worker {

base::Result<std::unique_ptr<Exchange>> MakeExchange(const Training& training,
                                                     const RankEnvironment& environment,
                                                     Replica& replica, size_t bucket_bytes) {
  const core::TrainerJob& job = training.job;
  const auto patience = std::chrono::milliseconds(static_cast<int64_t>(job.patience_s * 1000));
  RECKON_ASSIGN(auto resume, LoadBeginning(training, replica));
  if (job.strategy == core::Strategy::kAllReduce) {
    std::unique_ptr<ProcessGroup> group;
    if (environment.workers > 1) {
      if (environment.meeting.port == 0) {
        return base::BadInput("MASTER_PORT is not set; several workers need it to meet");
      }
      RECKON_ASSIGN(group,
                    ProcessGroup::Join({environment.rank, environment.workers, environment.meeting,
                                        environment.address, patience}));
    }
    return MakeAllReduce(replica, std::move(group), environment.rank, environment.workers,
                         training.checked.optimiser, std::move(resume), bucket_bytes);
  }
  if (environment.servers.empty()) {
    return base::BadInput(fmt::format("RECKON_SERVERS is not set; {} needs parameter servers",
                                      core::StrategyName(job.strategy)));
  }
  const bool synchronous = job.strategy == core::Strategy::kSyncParameterServer;
  return MakeServerExchange(replica, {environment.servers, environment.rank, environment.workers,
                                      patience, synchronous, environment.token});
}

}  // namespace reckon::worker
