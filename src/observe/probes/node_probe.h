// What a node uses: this machine, a host of a lab, or any group of processes with cgroups of its
// own. docs/probes.md says what is read where.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::observe {

class GpuProbe;
class LinkBytes;
class UsageSource;

// Where to look. Neither namespace nor cgroups: the whole machine.
struct NodePlace {
  std::string netns;                 // path of the network namespace
  std::vector<std::string> cgroups;  // folders, one of version 2 or several of version 1
  double cpus = 0;                   // real cores that it may use; 0: all of the machine's
  uint64_t memory_bytes = 0;         // that it may use; 0: the machine's
};

// The clock of NodeCounters::at_s: steady, in seconds from some moment on.
double NodeClock();

// Times and bytes count up from some moment on: two readings give a rate. What is not measured is
// missing.
struct NodeCounters {
  double at_s = 0;                    // on NodeClock
  double cpu_s = 0;                   // user and system
  std::optional<double> steal_s;      // machine only: other machines had the cores
  std::optional<double> interrupt_s;  // machine only: hard and soft; no process is charged for it
  uint64_t memory_bytes = 0;          // in use now, without page cache that can be dropped
  std::optional<uint64_t> disk_read_bytes;
  std::optional<uint64_t> disk_written_bytes;
  std::optional<uint64_t> net_sent_bytes;
  std::optional<uint64_t> net_received_bytes;
  std::optional<double> gpu;  // machine only: share in use now, 0..1
  std::optional<uint64_t> gpu_memory_bytes;
};

// Keeps its files and sockets open, so that a reading is cheap. Not thread-safe, but any thread may
// use it.
class NodeProbe {
 public:
  // `root`: where /proc and /sys are, for tests; cgroups are below it too, namespaces are not. kIo
  // or kCorrupt, with the file, when CPU or memory cannot be measured.
  static base::Result<std::unique_ptr<NodeProbe>> Open(const NodePlace& place,
                                                       const std::filesystem::path& root = "/");
  ~NodeProbe();
  NodeProbe(const NodeProbe&) = delete;
  NodeProbe& operator=(const NodeProbe&) = delete;

  // kIo when the place is gone.
  base::Result<NodeCounters> Read();
  double cpus() const { return cpus_; }
  uint64_t memory_bytes() const { return memory_bytes_; }

 private:
  NodeProbe();

  double cpus_ = 0;
  uint64_t memory_bytes_ = 0;
  std::unique_ptr<UsageSource> source_;
  std::unique_ptr<LinkBytes> links_;  // nullptr: the place has no network of its own
  std::unique_ptr<GpuProbe> gpu_;     // nullptr: none
};

}  // namespace reckon::observe
