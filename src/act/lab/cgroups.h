// Shares of the machine: the cgroups of a lab's hosts, of version 1 (a tree for each controller)
// or 2 (one tree). Groups are made directly below the root of the tree.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::act {

struct Limits {
  double cpus = 1;            // of the host as it is meant to be; may be a fraction
  double dilation = 1;        // it gets cpus / dilation, at least 0.001
  uint64_t memory_bytes = 0;  // 0: no limit
};

// CPU time `quota_us` in every `period_us`. A core that was held back finds cold caches and a slow
// clock: each turn costs its process the same CPU time (0.3 ms for a convolution on a virtual
// machine), so turns are equally long at any share and dilation, and only what lies between them
// differs. In dilated time a host stands still for at most a turn.
struct Quota {
  int64_t quota_us = 0;
  int64_t period_us = 0;
};
Quota QuotaFor(double cpus, double dilation);

class Cgroups {
 public:
  // kUnavailable, with what is missing, when this machine's processes cannot be held to shares.
  static base::Result<Cgroups> Find(const std::filesystem::path& root);

  int version() const { return version_; }
  // The folders that Make makes for a name, whether or not they are there.
  std::vector<std::string> FoldersOf(const std::string& name) const;
  base::Status Make(const std::string& name, const Limits& limits) const;
  // What is not as Make set it, in words; empty: everything is. Others than us write here too:
  // systemd takes controllers away from groups that it does not know, and with them their limits.
  std::string Deviation(const std::string& name, const Limits& limits) const;
  // Names of groups that begin so, in any tree.
  std::vector<std::string> WithPrefix(const std::string& prefix) const;
  // Ids of the processes in a group and in those below it, such as ranks have; empty when it is not
  // there.
  std::vector<int> Processes(const std::string& name) const;
  // SIGKILL to all these processes until there are none, also to what they start meanwhile.
  // kUnavailable when something cannot be ended within some seconds, kIo at once without the right
  // to. Number killed.
  base::Result<int> Kill(const std::string& name) const;
  // With those below it, killing whatever is in them and comes meanwhile; nothing to do when it is
  // not there.
  base::Status Remove(const std::string& name) const;

 private:
  Cgroups(int version, std::filesystem::path root, std::vector<std::filesystem::path> trees)
      : version_(version), root_(std::move(root)), trees_(std::move(trees)) {}
  struct Setting {
    std::filesystem::path file;
    std::string value;      // as the kernel shows it
    bool optional = false;  // not every kernel has it
  };
  std::vector<Setting> SettingsFor(const std::string& name, const Limits& limits) const;
  base::Status HandDownControllers() const;
  base::Status KillOnce(const std::string& name, const std::vector<int>& processes) const;

  int version_;
  std::filesystem::path root_;
  std::vector<std::filesystem::path> trees_;  // where groups are made; the first one has the CPU
};

}  // namespace reckon::act
