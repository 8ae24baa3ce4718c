#include "act/lab/lab.h"

#include <algorithm>

#include <fmt/format.h>

#include "act/lab/cgroups.h"
#include "act/lab/cpu_slice.h"
#include "act/lab/names.h"
#include "act/lab/needs.h"
#include "act/lab/netns.h"
#include "act/lab/network.h"
#include "base/file.h"
#include "base/text.h"

namespace reckon::act {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

Status CheckName(const std::string& name) {
  if (core::IsLabWord(name, core::kLongestLabName)) return {};
  return base::BadInput(
      fmt::format("'{}' is no name of a lab: expected letters, digits and dashes, at most {}", name,
                  core::kLongestLabName));
}

Result<std::vector<std::string>> TakenSubnets(const LabSystem& system) {
  std::vector<std::string> taken;
  for (const std::string& lab : RecordedLabs(system.records)) {
    const auto record = ReadRecord(system.records, lab);
    if (record.ok()) taken.push_back(record->subnet);
  }
  return taken;
}

Limits LimitsOf(const core::Lab& lab, const core::LabHost& host) {
  return {host.cpus, lab.dilation, host.memory_bytes};
}

Status MakeAll(const LabRecord& record, const Cgroups& groups, int lock,
               const std::stop_token& stop) {
  const Network network(record.lab.name, record.subnet, lock);
  RECKON_TRY(network.MakeSwitch(record.lab));
  for (size_t i = 0; i < record.lab.hosts.size(); ++i) {
    if (stop.stop_requested()) return Error(ErrorCode::kInterrupted, "interrupted");
    const core::LabHost& host = record.lab.hosts[i];
    RECKON_TRY(groups.Make(CgroupName(record.lab.name, host.name), LimitsOf(record.lab, host)));
    RECKON_TRY(network.MakeHost(record.lab, i));
  }
  return {};
}

// With the lock held. Goes on after a failure, so that as much as possible is removed; the record
// stays until everything else is gone.
Result<bool> RemoveAll(const std::string& name, const LabSystem& system, int lock) {
  bool found = false;
  Status failed;
  const auto keep = [&](const auto& result) {
    if (!result.ok() && failed.ok()) failed = result.error();
  };
  if (const auto groups = Cgroups::Find(system.cgroups); groups.ok()) {
    for (const std::string& group : groups->WithPrefix(CgroupPrefix(name))) {
      found = true;
      keep(groups->Remove(group));
    }
  }
  const auto removed = Network(name, "", lock).Remove();
  keep(removed);
  found = found || (removed.ok() && *removed);
  const std::vector<std::string> recorded = RecordedLabs(system.records);
  found = found || std::find(recorded.begin(), recorded.end(), name) != recorded.end();
  if (!failed.ok()) return failed.error();
  RECKON_TRY(RemoveRecord(system.records, name));
  base::RemoveAbandonedFiles(system.records);  // of an `up` that was killed
  if (RecordedLabs(system.records).empty()) {
    RECKON_TRY(RestoreCpuSlice(system.cpu_slice, system.records));
  }
  return found;
}

struct FoundHost {
  LabRecord record;
  size_t index = 0;
};

Result<FoundHost> FindHost(const std::string& name, const std::string& host,
                           const LabSystem& system) {
  RECKON_ASSIGN(LabRecord record, ReadRecord(system.records, name));
  std::vector<std::string> names;
  for (size_t i = 0; i < record.lab.hosts.size(); ++i) {
    names.push_back(record.lab.hosts[i].name);
    if (names.back() == host) return FoundHost{std::move(record), i};
  }
  return Error(ErrorCode::kNotFound, fmt::format("lab '{}' has no host '{}'{}", name, host,
                                                 base::SuggestFrom(host, names)));
}

Status SetHostLink(const std::string& name, const std::string& host, bool up,
                   const LabSystem& system) {
  RECKON_TRY(CheckName(name));
  // Looked for first, so that a name that is wrong is said to be so without any rights.
  RECKON_TRY(FindHost(name, host, system));
  auto lock = LabLock::Take(system.records);
  if (!lock.ok()) return Explain(std::move(lock).error(), system.cgroups);
  RECKON_ASSIGN(const FoundHost found, FindHost(name, host, system));
  Status set = Network(name, found.record.subnet, lock->descriptor()).SetLink(found.index, up);
  if (!set.ok()) return Explain(std::move(set).error(), system.cgroups);
  return set;
}

}  // namespace

Status LabUp(const core::Lab& lab, const LabSystem& system, std::stop_token stop) {
  RECKON_TRY(CheckName(lab.name));
  auto taken_lock = LabLock::Take(system.records);
  if (!taken_lock.ok()) return Explain(std::move(taken_lock).error(), system.cgroups);
  const LabLock lock = std::move(taken_lock).value();
  auto groups = Cgroups::Find(system.cgroups);
  if (!groups.ok()) return Explain(std::move(groups).error(), system.cgroups);
  const std::vector<std::string> recorded = RecordedLabs(system.records);
  if (std::find(recorded.begin(), recorded.end(), lab.name) != recorded.end()) {
    return base::BadInput(
        fmt::format("lab '{0}' is there already; remove it with 'reckon lab down {0}'", lab.name));
  }
  // What has no record but the lab's names is left from a crash.
  RECKON_TRY(RemoveAll(lab.name, system, lock.descriptor()));
  RECKON_ASSIGN(const std::string routes, base::ReadFile("/proc/net/route"));
  RECKON_ASSIGN(const std::vector<std::string> taken, TakenSubnets(system));
  LabRecord record{lab, "", {}, false};
  RECKON_ASSIGN(record.subnet, FreeSubnet(lab.name, routes, taken));
  for (size_t i = 0; i < lab.hosts.size(); ++i) {
    const std::string& host = lab.hosts[i].name;
    record.places.push_back({host, Network::HostAddress(record.subnet, i),
                             NamespacePath(NamespaceName(lab.name, host)),
                             groups->FoldersOf(CgroupName(lab.name, host))});
  }
  RECKON_TRY(WriteRecord(system.records, record));
  Status made = MakeAll(record, *groups, lock.descriptor(), stop);
  if (made.ok()) made = RefineCpuSlice(lab, system.cpu_slice, system.records);
  if (made.ok()) {
    record.finished = true;
    made = WriteRecord(system.records, record);
  }
  if (made.ok()) return {};
  Error error = std::move(made).error();
  const auto removed = RemoveAll(lab.name, system, lock.descriptor());
  if (!removed.ok()) {
    error = std::move(error).Wrap("and what was made could not be removed: " +
                                  removed.error().Describe());
  }
  if (stop.stop_requested()) return Error(ErrorCode::kInterrupted, error.Describe());
  return Explain(std::move(error), system.cgroups);
}

Result<bool> LabDown(const std::string& name, const LabSystem& system) {
  RECKON_TRY(CheckName(name));
  auto lock = LabLock::Take(system.records);
  if (!lock.ok()) return Explain(std::move(lock).error(), system.cgroups);
  auto removed = RemoveAll(name, system, lock->descriptor());
  if (!removed.ok()) return Explain(std::move(removed).error(), system.cgroups);
  return removed;
}

Result<LabState> LabStatus(const std::string& name, const LabSystem& system) {
  RECKON_TRY(CheckName(name));
  RECKON_ASSIGN(const LabRecord record, ReadRecord(system.records, name));
  LabState state{
      name, record.lab.dilation, record.finished, Network::MachineAddress(record.subnet), {}};
  std::vector<bool> linked(record.lab.hosts.size(), false);
  // An unfinished lab may have no switch to ask.
  if (record.finished) {
    auto links = Network(name, record.subnet, -1).LinksUp(linked.size());
    if (!links.ok()) return Explain(std::move(links).error(), system.cgroups);
    linked = *links;
  }
  RECKON_ASSIGN(const Cgroups groups, Cgroups::Find(system.cgroups));
  for (size_t i = 0; i < record.lab.hosts.size(); ++i) {
    const core::LabHost& host = record.lab.hosts[i];
    const std::string group = CgroupName(name, host.name);
    state.hosts.push_back({host, record.places[i], linked[i], groups.Processes(group).size(),
                           groups.Deviation(group, LimitsOf(record.lab, host))});
  }
  return state;
}

std::string DeviationText(const std::string& lab, const LabHostStatus& host) {
  return fmt::format(
      "lab '{0}': host {1} does not keep its share, since somebody changed its limits: {2}; "
      "'reckon lab down {0}' and 'up' make them anew (systemd: see docs/lab.md)",
      lab, host.host.name, host.deviation);
}

std::vector<std::string> LabNames(const LabSystem& system) { return RecordedLabs(system.records); }

Result<int> KillHost(const std::string& name, const std::string& host, const LabSystem& system) {
  RECKON_TRY(CheckName(name));
  RECKON_TRY(FindHost(name, host, system));
  RECKON_ASSIGN(const Cgroups groups, Cgroups::Find(system.cgroups));
  auto killed = groups.Kill(CgroupName(name, host));
  if (!killed.ok()) return Explain(std::move(killed).error(), system.cgroups);
  return killed;
}

Status CutHost(const std::string& name, const std::string& host, const LabSystem& system) {
  return SetHostLink(name, host, false, system);
}

Status MendHost(const std::string& name, const std::string& host, const LabSystem& system) {
  return SetHostLink(name, host, true, system);
}

}  // namespace reckon::act
