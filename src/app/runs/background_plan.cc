#include "app/runs/background_plan.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "app/runs/machine.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using act::ProcessSpec;

constexpr double kForLastWordsS = 10;

void AddHosts(const std::vector<const PlannedPlace*>& seats,
              std::vector<const PlannedPlace*>& hosts) {
  for (const PlannedPlace* seat : seats) {
    const bool known = std::any_of(hosts.begin(), hosts.end(), [&](const PlannedPlace* host) {
      return host->place.host == seat->place.host;
    });
    if (!known) hosts.push_back(seat);
  }
}

std::vector<const PlannedPlace*> AllHosts(const Seats& seats) {
  std::vector<const PlannedPlace*> hosts;
  AddHosts(seats.workers, hosts);
  AddHosts(seats.servers, hosts);
  return hosts;
}

std::vector<const PlannedPlace*> HostsOf(const core::BackgroundLoad& load, const Seats& seats) {
  std::vector<const PlannedPlace*> hosts;
  for (const std::string& word : load.on) {
    if (word == "workers" || word == "all") AddHosts(seats.workers, hosts);
    if (word == "servers" || word == "all") AddHosts(seats.servers, hosts);
    for (const PlannedPlace* host : AllHosts(seats)) {
      if (host->place.host == word) AddHosts({host}, hosts);
    }
  }
  return hosts;
}

std::string Addresses(const std::vector<const PlannedPlace*>& seats) {
  std::vector<std::string> addresses;
  for (const PlannedPlace* seat : seats) addresses.push_back(seat->place.address);
  return base::Join(addresses, ",");
}

std::vector<std::string> StressCommand(const std::filesystem::path& program,
                                       const core::StressLevels& levels, double settle_s,
                                       double cpus, uint64_t memory_bytes) {
  std::vector<std::string> argv{program.string()};
  const auto add = [&](const char* option, const std::string& value) {
    argv.emplace_back(option);
    argv.push_back(value);
  };
  if (levels.cpu > 0) {
    add("--cpu", base::RoundTrip(levels.cpu * 100));
    add("--cpus", base::RoundTrip(cpus));
  }
  if (levels.memory > 0) {
    add("--memory", base::RoundTrip(levels.memory * 100) + "%");
    add("--memory-total", std::to_string(memory_bytes));
  }
  if (levels.disk_bytes_s > 0) {
    add("--disk", std::to_string(static_cast<uint64_t>(levels.disk_bytes_s)));
  }
  if (levels.gpu > 0) add("--gpu", base::RoundTrip(levels.gpu * 100));
  add("--settle", base::RoundTrip(settle_s) + "s");
  return argv;
}

}  // namespace

std::vector<ProcessSpec> PlanBackground(const core::Job& job, const Seats& seats,
                                        const std::filesystem::path& stress, double dilation) {
  std::vector<ProcessSpec> processes;
  for (const core::BackgroundLoad& load : job.background) {
    if (load.stress && !load.stress->Any()) continue;
    for (const PlannedPlace* host : HostsOf(load, seats)) {
      const double cpus = host->cpus > 0 ? host->cpus / dilation : MachineCpus();
      ProcessSpec process;
      process.role = act::kBackgroundRole;
      process.index = static_cast<int64_t>(processes.size());
      process.title = fmt::format("{} on {}", load.name, host->place.host);
      process.place = host->place;
      process.log = fmt::format("background-{}.log", process.index);
      process.workdir = job.workdir;
      // The program knows which level is missed: it has the first word.
      process.settle_s = load.settle_s + (load.stress ? kForLastWordsS : 0);
      process.app = load.name;
      process.reports = load.stress || load.deadline_s;
      process.env = job.envs;
      process.env["RECKON_DILATION"] = base::RoundTrip(dilation);
      process.env["RECKON_ADDRESS"] = host->place.address;
      process.env["RECKON_WORKER_HOSTS"] = Addresses(seats.workers);
      process.env["RECKON_SERVER_HOSTS"] = Addresses(seats.servers);
      if (load.deadline_s) {
        process.env["RECKON_DEADLINE_S"] = base::RoundTrip(*load.deadline_s * dilation);
      }
      const uint64_t memory = host->memory_bytes > 0 ? host->memory_bytes : MachineMemory();
      process.argv = load.stress ? StressCommand(stress, *load.stress, load.settle_s, cpus, memory)
                                 : std::vector<std::string>{"/bin/sh", "-c", load.run};
      processes.push_back(std::move(process));
    }
  }
  return processes;
}

base::Status CheckBackground(const core::Job& job, const Seats& seats) {
  std::vector<std::string> known{"workers", "servers", "all"};
  for (const PlannedPlace* host : AllHosts(seats)) known.push_back(host->place.host);
  for (const core::BackgroundLoad& load : job.background) {
    for (const std::string& word : load.on) {
      if (std::find(known.begin(), known.end(), word) != known.end()) continue;
      return base::BadInput(fmt::format("no process of the job is on a host '{}'{}", word,
                                        base::SuggestFrom(word, known)))
          .About(fmt::format("background.{}.on", load.name));
    }
    const bool does_something = !load.stress || load.stress->Any();
    if (does_something && HostsOf(load, seats).empty()) {
      return base::BadInput("the job has no servers to run it beside")
          .About(fmt::format("background.{}.on", load.name));
    }
  }
  return {};
}

}  // namespace reckon::app
