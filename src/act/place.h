// Place: where a process is to run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reckon::act {

struct Place {
  std::string host = "local";         // a name for people, logs and events; no '/'
  std::string address = "127.0.0.1";  // at which the others reach it
  std::string netns;                  // path of the network namespace; empty: the machine's own
  // Folders; the process id goes into cgroup.procs of each before entering the namespace.
  std::vector<std::string> cgroups;
  double cpus = 0;            // real cores that it may use; 0: all of the machine's
  uint64_t memory_bytes = 0;  // 0: no limit
};

}  // namespace reckon::act
