#include "decide/recommend/fc2.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace reckon::decide {
namespace {

using base::Result;
using base::Status;
using core::MachineType;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr std::array<const char*, 4> kAlgorithmNames{"cost-opt", "time-opt", "scala-opt",
                                                     "scala-opt-m"};

std::vector<std::string> NamesOf(const std::vector<MachineType>& types) {
  std::vector<std::string> names;
  for (const MachineType& type : types) names.push_back(type.name);
  return names;
}

Result<MachineType> Find(const std::vector<MachineType>& types, const std::string& name,
                         const char* role) {
  for (const MachineType& type : types) {
    if (type.name == name) return type;
  }
  return base::BadInput(fmt::format("no machine type '{}' for {}{}", name, role,
                                    base::SuggestFrom(name, NamesOf(types))));
}

std::string Dollars(double price) { return "$" + base::FormatNumber(price); }
std::string Megabits(double bit_s) { return base::FormatNumber(bit_s / 1e6) + " Mbit/s"; }

// Workers of the type that the money beside the server buys.
double ByBudget(const Fc2Request& request, const MachineType& server, const MachineType& worker) {
  if (!request.hourly_budget) return kNoLimit;
  return (*request.hourly_budget - server.price_per_hour) / worker.price_per_hour;
}

// Of 0.6 - 0.1 over 0.1 there are 5, whatever the last digits of doubles say.
double WholeWorkers(double workers) { return std::floor(workers + 1e-9); }

Status Check(const Fc2Request& request) {
  if (request.servers.empty()) return base::BadInput("no machine type can be a parameter server");
  if (request.workers.empty()) return base::BadInput("no machine type can be a worker");
  if (!request.hourly_budget && !request.most_workers) {
    return base::BadInput(fmt::format("{} needs a limit: an hourly budget or a number of workers",
                                      Fc2AlgorithmName(request.algorithm)));
  }
  if (request.hourly_budget && !(*request.hourly_budget > 0)) {
    return base::BadInput(
        fmt::format("an hourly budget of {}; expected more than 0", *request.hourly_budget));
  }
  if (request.most_workers && *request.most_workers == 0) {
    return base::BadInput("at most 0 workers; expected at least 1");
  }
  if (!(request.share > 0) || request.share > 1) {
    return base::BadInput(
        fmt::format("a share of {} of the server's bandwidth; expected more than 0 and at most 1",
                    request.share));
  }
  for (const auto* list : {&request.servers, &request.workers}) {
    for (const MachineType& type : *list) {
      if (std::isfinite(type.price_per_hour) && type.price_per_hour > 0) continue;
      return base::BadInput(fmt::format("{} costs {} an hour; expected a price above 0", type.name,
                                        type.price_per_hour));
    }
  }
  if (request.algorithm == Fc2Algorithm::kScalaOptM && request.worker_type.empty()) {
    return base::BadInput("scala-opt-m needs a type of workers; scala-opt chooses one itself");
  }
  return {};
}

bool IsAffordable(const Fc2Request& request, const MachineType& server) {
  return std::any_of(request.workers.begin(), request.workers.end(),
                     [&](const MachineType& worker) {
                       return WholeWorkers(ByBudget(request, server, worker)) >= 1;
                     });
}

// The user's, else the one of the largest bandwidth that leaves money for a worker.
Result<MachineType> ChooseServer(const Fc2Request& request, std::vector<std::string>& notes) {
  if (!request.server_type.empty()) {
    return Find(request.servers, request.server_type, "parameter servers");
  }
  std::vector<MachineType> servers = request.servers;
  std::stable_sort(servers.begin(), servers.end(), [](const MachineType& a, const MachineType& b) {
    const double more = a.bandwidth_bit_s.value_or(0);
    const double less = b.bandwidth_bit_s.value_or(0);
    return more != less ? more > less : a.price_per_hour < b.price_per_hour;
  });
  for (const MachineType& server : servers) {
    if (IsAffordable(request, server)) return server;
    if (server.price_per_hour > *request.hourly_budget) {
      notes.push_back(fmt::format(
          "server {} alone costs {} an hour, more than the budget of {}; the "
          "next one is taken",
          server.name, Dollars(server.price_per_hour), Dollars(*request.hourly_budget)));
    } else {
      notes.push_back(
          fmt::format("server {} at {} an hour leaves no money for a worker; the next one "
                      "is taken",
                      server.name, Dollars(server.price_per_hour)));
    }
  }
  return servers.front();  // nothing can be had: the caller says by how much
}

// The least that would do.
base::Error TooLittle(const Fc2Request& request, const std::vector<MachineType>& servers) {
  double least = kNoLimit;
  std::string with;
  for (const MachineType& server : servers) {
    for (const MachineType& worker : request.workers) {
      const double price = server.price_per_hour + worker.price_per_hour;
      if (price >= least) continue;
      least = price;
      with =
          fmt::format("server {} at {} and one worker {} at {}", server.name,
                      Dollars(server.price_per_hour), worker.name, Dollars(worker.price_per_hour));
    }
  }
  return base::BadInput(
      fmt::format("an hourly budget of {} buys no cluster; the least is {} for {}, "
                  "{} more",
                  Dollars(*request.hourly_budget), Dollars(least), with,
                  Dollars(least - *request.hourly_budget)));
}

Result<double> ByBandwidth(const Fc2Request& request, const MachineType& server,
                           const MachineType& worker) {
  if (!NeedsBandwidth(request.algorithm)) return kNoLimit;
  if (!server.bandwidth_bit_s) {
    return base::BadInput(
        fmt::format("the bandwidth of server {} is not known; give it in the "
                    "catalogue",
                    server.name));
  }
  const auto need = request.need_bit_s.find(worker.name);
  if (need == request.need_bit_s.end()) {
    return base::BadInput(
        fmt::format("what a worker {} sends and receives is not known", worker.name));
  }
  if (!(need->second > 0)) {
    return base::BadInput(fmt::format("worker {} needs {}; expected more than 0", worker.name,
                                      Megabits(need->second)));
  }
  return *server.bandwidth_bit_s * request.share / need->second;
}

// Types in the order in which the algorithm prefers them at equal numbers: the cheaper first.
Result<std::vector<Fc2Option>> OptionsOf(const Fc2Request& request, const MachineType& server) {
  std::vector<MachineType> types = request.workers;
  std::stable_sort(types.begin(), types.end(), [](const MachineType& a, const MachineType& b) {
    return a.price_per_hour < b.price_per_hour;
  });
  const double most = request.most_workers ? static_cast<double>(*request.most_workers) : kNoLimit;
  std::vector<Fc2Option> options;
  for (const MachineType& type : types) {
    Fc2Option option{.type = type, .by_budget = ByBudget(request, server, type)};
    if (WholeWorkers(option.by_budget) < 1) continue;
    RECKON_ASSIGN(option.by_bandwidth, ByBandwidth(request, server, type));
    option.workers = std::min({option.by_bandwidth, option.by_budget, most});
    options.push_back(std::move(option));
  }
  return options;
}

const Fc2Option& Choose(const Fc2Request& request, const std::vector<Fc2Option>& options) {
  switch (request.algorithm) {
    case Fc2Algorithm::kTimeOpt: {
      // Equally expensive ones: the first as for the others, where it is the cheaper one.
      const double dearest = options.back().type.price_per_hour;
      return *std::find_if(options.begin(), options.end(), [&](const Fc2Option& option) {
        return option.type.price_per_hour == dearest;
      });
    }
    case Fc2Algorithm::kScalaOpt:
      return *std::min_element(
          options.begin(), options.end(),
          [](const Fc2Option& a, const Fc2Option& b) { return a.workers < b.workers; });
    case Fc2Algorithm::kCostOpt:
    case Fc2Algorithm::kScalaOptM:
      break;
  }
  return options.front();
}

std::string WhyThis(const Fc2Request& request, const MachineType& server, const Fc2Option& option,
                    size_t workers) {
  const std::string& name = option.type.name;
  if (option.workers == option.by_bandwidth) {
    return fmt::format("each worker {} needs {}, of which {:.0f} % of the {} of server {} carry {}",
                       name, Megabits(request.need_bit_s.at(name)), 100 * request.share,
                       Megabits(*server.bandwidth_bit_s), server.name, workers);
  }
  if (option.workers == option.by_budget) {
    return fmt::format("{} of {} are what {} an hour buys beside server {}",
                       base::Count(workers, "worker"), name, Dollars(*request.hourly_budget),
                       server.name);
  }
  return fmt::format("{} of {} are as many as were allowed", base::Count(workers, "worker"), name);
}

}  // namespace

Result<Fc2Algorithm> ParseFc2Algorithm(const std::string& name) {
  const auto found = std::find(kAlgorithmNames.begin(), kAlgorithmNames.end(), name);
  if (found != kAlgorithmNames.end()) {
    return static_cast<Fc2Algorithm>(found - kAlgorithmNames.begin());
  }
  return base::BadInput(fmt::format(
      "unknown algorithm '{}'; expected cost-opt, time-opt, scala-opt or scala-opt-m", name));
}

const char* Fc2AlgorithmName(Fc2Algorithm algorithm) {
  return kAlgorithmNames[static_cast<size_t>(algorithm)];
}

bool NeedsBandwidth(Fc2Algorithm algorithm) {
  return algorithm == Fc2Algorithm::kScalaOpt || algorithm == Fc2Algorithm::kScalaOptM;
}

Result<Fc2Choice> RecommendFc2(const Fc2Request& asked) {
  RECKON_TRY(Check(asked));
  Fc2Request request = asked;
  if (!request.worker_type.empty()) {
    RECKON_ASSIGN(const MachineType chosen, Find(request.workers, request.worker_type, "workers"));
    request.workers = {chosen};
  }
  Fc2Choice choice;
  RECKON_ASSIGN(choice.server, ChooseServer(request, choice.notes));
  RECKON_ASSIGN(choice.options, OptionsOf(request, choice.server));
  if (choice.options.empty()) {
    return TooLittle(request,
                     request.server_type.empty() ? request.servers : std::vector{choice.server});
  }
  const Fc2Option& option = Choose(request, choice.options);
  choice.worker = option.type;
  constexpr double kMostWorkers = 1e9;  // that a number of machines can be
  choice.workers = static_cast<size_t>(std::clamp(WholeWorkers(option.workers), 1.0, kMostWorkers));
  if (WholeWorkers(option.workers) < 1) {
    choice.notes.push_back(
        fmt::format("one worker {} alone needs {}, more than {:.0f} % of what server {} carries",
                    choice.worker.name, Megabits(request.need_bit_s.at(choice.worker.name)),
                    100 * request.share, choice.server.name));
  }
  choice.price_per_hour = choice.server.price_per_hour +
                          static_cast<double>(choice.workers) * choice.worker.price_per_hour;
  choice.why = WhyThis(request, choice.server, option, choice.workers);
  return choice;
}

}  // namespace reckon::decide
