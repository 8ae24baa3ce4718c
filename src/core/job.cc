#include "core/job.h"

namespace reckon::core {

const char* StrategyName(Strategy strategy) {
  switch (strategy) {
    case Strategy::kAllReduce:
      return "all-reduce";
    case Strategy::kAsyncParameterServer:
      return "async-parameter-server";
    case Strategy::kSyncParameterServer:
      return "sync-parameter-server";
  }
  return "unknown";
}

}  // namespace reckon::core
