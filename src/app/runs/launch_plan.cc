#include "app/runs/launch_plan.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/background_plan.h"
#include "app/runs/run_files.h"
#include "base/json.h"
#include "base/random_token.h"
#include "base/text.h"
#include "net/tcp.h"

namespace reckon::app {
namespace {

using act::OnDeath;
using act::ProcessSpec;
using core::Strategy;

// Ports for the processes of one run, none twice.
class PortFinder {
 public:
  explicit PortFinder(const LaunchRequest& request)
      : run_id_(request.run_id),
        elsewhere_(request.elsewhere),
        store_(std::hash<std::string>()(request.store)) {}

  // One that is free at this moment. In another network namespace and on other machines nobody of
  // ours can look; there runs keep out of each other's way by their numbers and, mostly, by their
  // stores.
  base::Result<uint16_t> Next(const act::Place& place) {
    if (!place.netns.empty() || elsewhere_ > 0) {
      constexpr uint64_t kFirst = 20'000;
      constexpr uint64_t kRange = 10'000;
      const uint64_t number = static_cast<uint64_t>(run_id_ + 16 * elsewhere_) * 64 + count_++;
      return static_cast<uint16_t>(kFirst + (store_ % kRange + number) % kRange);
    }
    // A port is given back at once, for a run may have more of them than there can be open files.
    // So it lies below those that the system hands out: whoever connects anywhere meanwhile would
    // get one of them.
    constexpr uint64_t kFirst = 10'000;
    constexpr uint64_t kRange = 22'000;
    constexpr uint64_t kStride = 97;  // runs of one store one after the other begin elsewhere
    const uint64_t begin = store_ + static_cast<uint64_t>(run_id_) * kStride;
    for (uint64_t tries = 0; tries < kRange; ++tries) {
      const auto port = static_cast<uint16_t>(kFirst + (begin + count_++) % kRange);
      if (given_.contains(port)) continue;
      const auto free = net::Listener::Bind({place.address, port});
      if (!free.ok()) continue;
      given_.insert(port);
      return port;
    }
    return base::Error(
        base::ErrorCode::kUnavailable,
        fmt::format("{} has no free port beside the {} of this run", place.address, given_.size()));
  }

 private:
  const int64_t run_id_;
  const int64_t elsewhere_;
  const uint64_t store_;
  uint64_t count_ = 0;
  std::set<uint16_t> given_;
};

struct Ports {
  uint16_t meeting = 0;
  std::vector<uint16_t> servers;
  std::vector<uint16_t> workers;  // TensorFlow's
  uint16_t scheduler = 0;         // ps-lite's
};

base::Result<Ports> FindPorts(const LaunchRequest& request, const Seats& seats) {
  Ports ports;
  PortFinder finder(request);
  RECKON_ASSIGN(ports.meeting, finder.Next(seats.workers[0]->place));
  RECKON_ASSIGN(ports.scheduler, finder.Next(seats.workers[0]->place));
  for (const PlannedPlace* seat : seats.servers) {
    RECKON_ASSIGN(const uint16_t port, finder.Next(seat->place));
    ports.servers.push_back(port);
  }
  for (const PlannedPlace* seat : seats.workers) {
    RECKON_ASSIGN(const uint16_t port, finder.Next(seat->place));
    ports.workers.push_back(port);
  }
  return ports;
}

std::vector<std::string> Addresses(const std::vector<const PlannedPlace*>& seats,
                                   const std::vector<uint16_t>& ports) {
  std::vector<std::string> addresses;
  for (size_t i = 0; i < seats.size(); ++i) {
    addresses.push_back(net::Address{seats[i]->place.address, ports[i]}.ToText());
  }
  return addresses;
}

class Planner {
 public:
  Planner(const LaunchRequest& request, Seats seats, Ports ports)
      : request_(request), job_(request.job), seats_(std::move(seats)), ports_(std::move(ports)) {}

  std::vector<ProcessSpec> Processes() const {
    std::vector<ProcessSpec> processes =
        PlanBackground(job_, seats_, request_.programs.stress, request_.dilation);
    if (job_.servers > 0 && job_.command)
      processes.push_back(Make("scheduler", 0, *seats_.workers[0]));
    for (size_t i = 0; i < seats_.servers.size(); ++i) {
      processes.push_back(Make("server", i, *seats_.servers[i]));
    }
    for (size_t i = 0; i < seats_.workers.size(); ++i) {
      processes.push_back(Make("worker", i, *seats_.workers[i]));
    }
    return processes;
  }

 private:
  ProcessSpec Make(const std::string& role, size_t index, const PlannedPlace& seat) const {
    ProcessSpec process;
    process.role = role;
    process.index = static_cast<int64_t>(index);
    process.argv = Arguments(role);
    process.workdir = job_.workdir;
    process.place = seat.place;
    process.on_death = WhenItDies(role);
    process.log = fmt::format("{}-{}.log", role, index);
    process.env = Environment(role, index, seat);
    return process;
  }

  std::vector<std::string> Arguments(const std::string& role) const {
    if (job_.command) return {"/bin/sh", "-c", job_.command->run};
    const auto& program = role == "server" ? request_.programs.server : request_.programs.worker;
    return {program.string(), TrainerFile(request_.folder).string()};
  }

  OnDeath WhenItDies(const std::string& role) const {
    const bool async = job_.trainer && job_.trainer->strategy == Strategy::kAsyncParameterServer;
    if (!async) return OnDeath::kFail;
    return role == "server" ? OnDeath::kRestart : OnDeath::kGoOn;
  }

  std::map<std::string, std::string> Environment(const std::string& role, size_t index,
                                                 const PlannedPlace& seat) const {
    std::map<std::string, std::string> env = ForPyTorch(role, index, seat);
    env["TF_CONFIG"] = ForTensorFlow(role, index);
    env["DMLC_ROLE"] = role;
    env["DMLC_NUM_WORKER"] = std::to_string(job_.workers);
    env["DMLC_NUM_SERVER"] = std::to_string(job_.servers);
    env["DMLC_PS_ROOT_URI"] = seats_.workers[0]->place.address;
    env["DMLC_PS_ROOT_PORT"] = std::to_string(ports_.scheduler);
    const std::string threads = std::to_string(std::max(1L, std::lround(CpusOfWorker(job_, seat))));
    env["OMP_NUM_THREADS"] = threads;
    env["OPENBLAS_NUM_THREADS"] = threads;
    if (seat.cpus > 0) {
      // In a host with a quota, threads that wait by spinning use up what the others need to
      // arrive: two of them computed no faster than one.
      env["OMP_WAIT_POLICY"] = "passive";
      env["OPENBLAS_THREAD_TIMEOUT"] = "4";  // the least: 2^4 turns, instead of 2^26
    }
    env["RECKON_ROLE"] = role;
    env["RECKON_ADDRESS"] = seat.place.address;
    if (!seats_.servers.empty()) {
      env["RECKON_SERVERS"] = base::Join(Addresses(seats_.servers, ports_.servers), ",");
    }
    if (role == "server") {
      env["RECKON_SERVER"] = std::to_string(index);
      env["RECKON_LISTEN"] = Addresses(seats_.servers, ports_.servers)[index];
    }
    // What the user says counts most.
    for (const auto& [name, value] : job_.envs) env[name] = value;
    return env;
  }

  std::map<std::string, std::string> ForPyTorch(const std::string& role, size_t index,
                                                const PlannedPlace& seat) const {
    std::map<std::string, std::string> env;
    // Otherwise its libraries take the address of the machine's name, which in a lab is one that
    // every host has for itself.
    for (const char* name : {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME"}) {
      env[name] = seat.device;
    }
    env["MASTER_ADDR"] = seats_.workers[0]->place.address;
    env["MASTER_PORT"] = std::to_string(ports_.meeting);
    env["WORLD_SIZE"] = std::to_string(job_.workers);
    env["RANK"] = std::to_string(index);
    if (role != "worker") return env;
    // Among the workers of the same machine, and that machine among the machines.
    size_t local_rank = 0;
    size_t local_size = 0;
    std::vector<std::string> hosts;
    const std::string& own = seats_.workers[index]->place.host;
    for (size_t i = 0; i < seats_.workers.size(); ++i) {
      const std::string& host = seats_.workers[i]->place.host;
      if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
      if (host != own) continue;
      ++local_size;
      if (i < index) ++local_rank;
    }
    env["LOCAL_RANK"] = std::to_string(local_rank);
    env["LOCAL_WORLD_SIZE"] = std::to_string(local_size);
    env["GROUP_RANK"] = std::to_string(std::find(hosts.begin(), hosts.end(), own) - hosts.begin());
    return env;
  }

  std::string ForTensorFlow(const std::string& role, size_t index) const {
    base::Json config;
    config["cluster"]["worker"] = Addresses(seats_.workers, ports_.workers);
    if (!seats_.servers.empty()) {
      config["cluster"]["ps"] = Addresses(seats_.servers, ports_.servers);
    }
    config["task"]["type"] = role == "server" ? "ps" : role;
    config["task"]["index"] = index;
    return base::DumpJsonLine(config);
  }

  const LaunchRequest& request_;
  const core::Job& job_;
  const Seats seats_;
  const Ports ports_;
};

}  // namespace

base::Result<Programs> FindPrograms() {
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = own.parent_path();
  Programs programs{folder / "reckon-supervise", folder / "reckon-worker", folder / "reckon-ps",
                    folder / "reckon-stress"};
  for (const auto& program : {programs.supervise, programs.worker, programs.server}) {
    if (!std::filesystem::exists(program, error)) {
      return base::Error(base::ErrorCode::kNotFound,
                         fmt::format("{} is missing; it belongs beside reckon", program.string()));
    }
  }
  return programs;
}

base::Result<act::LaunchSpec> PlanLaunch(const LaunchRequest& request) {
  const Seats seats = Seat(request.job, request.places);
  RECKON_ASSIGN(const Ports ports, FindPorts(request, seats));
  act::LaunchSpec spec;
  spec.run_id = request.run_id;
  spec.name = request.job.name;
  if (request.job.command) spec.setup = request.job.command->setup;
  spec.setup_workdir = request.job.workdir;
  spec.setup_env = request.job.envs;
  spec.processes = Planner(request, seats, ports).Processes();
  spec.time_limit_s = request.job.time_limit_s;
  spec.early_stop = request.job.early_stop;
  // The first one saves the model and may take longer than the others with its end.
  const auto& trainer = request.job.trainer;
  if (trainer && trainer->strategy != Strategy::kAsyncParameterServer) {
    spec.ends_within_s = 3 * trainer->patience_s;
  }
  // Apps with periods are k times slower in a dilated host, and so is what can be seen of them.
  // Levels of 0 are observed as any others: they are what loads are compared with.
  spec.baseline_s = request.job.background.empty() ? 0 : std::clamp(request.dilation, 2.0, 10.0);
  spec.status_host = request.status_host;
  RECKON_ASSIGN(spec.token, base::RandomToken());
  spec.store = request.store;
  return spec;
}

}  // namespace reckon::app
