// A lab on this machine: network namespaces, shaped links and cgroups (docs/lab.md). Needs root, or
// CAP_NET_ADMIN, CAP_SYS_ADMIN and cgroups that can be written. Functions may be called from
// several threads and programs at once; a lock in the folder of records keeps them apart.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "act/lab/record.h"
#include "act/place.h"
#include "base/result.h"
#include "core/lab.h"

namespace reckon::act {

// Where the machine keeps what a lab needs; other folders are for tests.
struct LabSystem {
  std::filesystem::path records = "/run/reckon/labs";
  std::filesystem::path cgroups = "/sys/fs/cgroup";
  std::filesystem::path cpu_slice = "/proc/sys/kernel/sched_cfs_bandwidth_slice_us";
};

struct LabHostStatus {
  core::LabHost host;
  Place place;
  bool linked = false;  // false: cut off
  size_t processes = 0;
  std::string deviation;  // what of its limits is not as it was made; empty: all is
};

struct LabState {
  std::string name;
  double dilation = 1;
  bool finished = false;        // false: `up` was interrupted, only `down` helps
  std::string machine_address;  // where the machine itself can be reached by the hosts
  std::vector<LabHostStatus> hosts;
};

// Makes the lab, or leaves nothing behind. kBadInput when one of that name is there already,
// kInterrupted after `stop`, kFailed with what is needed when this process may not.
base::Status LabUp(const core::Lab& lab, const LabSystem& system, std::stop_token stop);

// Ends what runs in the lab and removes every trace of it, also of one that was never finished or
// lost its record. False when there was nothing; that is no error.
base::Result<bool> LabDown(const std::string& name, const LabSystem& system = {});

// kNotFound when there is no such lab.
base::Result<LabState> LabStatus(const std::string& name, const LabSystem& system = {});
// "lab 'quad': host h0 does not keep its share: ...", with what helps.
std::string DeviationText(const std::string& lab, const LabHostStatus& host);
// Names of all labs that are there, finished or not.
std::vector<std::string> LabNames(const LabSystem& system = {});

// SIGKILL to everything that runs on the host, as when its power fails. How many were killed.
base::Result<int> KillHost(const std::string& name, const std::string& host,
                           const LabSystem& system = {});
// Pulls the host's cable, or puts it in again.
base::Status CutHost(const std::string& name, const std::string& host,
                     const LabSystem& system = {});
base::Status MendHost(const std::string& name, const std::string& host,
                      const LabSystem& system = {});

}  // namespace reckon::act
