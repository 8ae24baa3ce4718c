#include "worker/rank_environment.h"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::worker {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

base::Result<int64_t> WholeVariable(const char* name, int64_t least, int64_t most,
                                    int64_t otherwise) {
  const std::string text = Variable(name);
  if (text.empty()) return otherwise;
  const auto number = base::ParseInteger(text);
  if (number && *number >= least && *number <= most) return *number;
  return base::BadInput(
      fmt::format("{}={}; expected a whole number from {} to {}", name, text, least, most));
}

}  // namespace

base::Result<RankEnvironment> ReadRankEnvironment() {
  RankEnvironment environment;
  RECKON_ASSIGN(const int64_t workers, WholeVariable("WORLD_SIZE", 1, 65'536, 1));
  RECKON_ASSIGN(const int64_t rank, WholeVariable("RANK", 0, workers - 1, 0));
  RECKON_ASSIGN(const int64_t port, WholeVariable("MASTER_PORT", 1, 65'535, 0));
  RECKON_ASSIGN(const int64_t threads, WholeVariable("OMP_NUM_THREADS", 1, 1024, 1));
  environment.rank = static_cast<size_t>(rank);
  environment.workers = static_cast<size_t>(workers);
  environment.threads = static_cast<int>(threads);
  const std::string host = Variable("MASTER_ADDR");
  environment.meeting = {host.empty() ? "127.0.0.1" : host, static_cast<uint16_t>(port)};
  environment.address = Variable("RECKON_ADDRESS");
  environment.token = Variable("RECKON_TOKEN");
  const std::string servers = Variable("RECKON_SERVERS");
  if (servers.empty()) return environment;
  for (const std::string_view server : base::Split(servers, ',')) {
    auto address = net::ParseAddress(std::string(server));
    if (!address.ok()) return std::move(address).error().Wrap("RECKON_SERVERS");
    environment.servers.push_back(*std::move(address));
  }
  return environment;
}

}  // namespace reckon::worker
