// FC2's recommenders (paper, section 5.2): a parameter server by its bandwidth, then a type and a
// number of workers by price or by what the server's network carries.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/catalogue.h"

namespace reckon::decide {

enum class Fc2Algorithm { kCostOpt, kTimeOpt, kScalaOpt, kScalaOptM };

// "cost-opt", "time-opt", "scala-opt", "scala-opt-m"
base::Result<Fc2Algorithm> ParseFc2Algorithm(const std::string& name);
const char* Fc2AlgorithmName(Fc2Algorithm algorithm);
// Whether it has to know what a worker sends and receives.
bool NeedsBandwidth(Fc2Algorithm algorithm);

struct Fc2Request {
  Fc2Algorithm algorithm = Fc2Algorithm::kScalaOpt;
  std::vector<core::MachineType> servers;  // L^p
  std::vector<core::MachineType> workers;  // L^w
  std::string server_type;                 // chosen by the user; empty: the largest bandwidth
  std::string worker_type;                 // likewise; scala-opt-m needs it
  std::optional<double> hourly_budget;     // C, dollars
  std::optional<size_t> most_workers;
  double share = 0.8;                             // p, of the server's bandwidth
  std::map<std::string, double> need_bit_s = {};  // b_t, of one worker of each type
};

// What was computed for one type of workers. Limits that were not asked for are infinite.
struct Fc2Option {
  core::MachineType type;
  double by_bandwidth = 0;
  double by_budget = 0;
  double workers = 0;  // the least of all limits, not rounded
};

struct Fc2Choice {
  core::MachineType server;
  core::MachineType worker;
  size_t workers = 0;
  double price_per_hour = 0;  // of all
  std::vector<Fc2Option> options;
  std::string why;                 // one sentence
  std::vector<std::string> notes;  // what the user should know beside
};

// Where the printed text is open: numbers of workers are compared capped (by bandwidth, budget and
// most_workers) and not rounded, ties go to the cheaper type, and the number is rounded down last.
// A type of which the budget does not buy one worker is not looked at. A single worker that would
// fill the server's link alone is recommended with a note. Servers of equal bandwidth: the cheaper.
//
// kBadInput: no budget and no most_workers, unknown types, a share outside (0, 1], a type without
// bandwidth need; or a wish that cannot be met: what it lacks, and the nearest that can be.
base::Result<Fc2Choice> RecommendFc2(const Fc2Request& request);

}  // namespace reckon::decide
