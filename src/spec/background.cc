#include "spec/background.h"

#include <string>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "spec/fields.h"

namespace reckon::spec {
namespace {

using base::Result;
using base::Status;
using Keys = std::vector<std::string>;

Result<double> ReadByteRate(const Yaml& node) {
  RECKON_ASSIGN(std::string text, node.Text());
  if (text.ends_with("/s")) text.resize(text.size() - 2);
  const auto bytes = base::ParseBytes(text);
  if (!bytes.ok()) return node.Wrong("bytes a second, like 20MB or 512KiB");
  return static_cast<double>(*bytes);
}

Result<core::StressLevels> ReadStress(const Yaml& node) {
  RECKON_TRY(node.AllowKeys(Keys{"cpu", "memory", "disk", "gpu"}));
  core::StressLevels levels;
  const Fields fields(node);
  RECKON_TRY(fields.Percent("cpu", 1, levels.cpu));
  RECKON_TRY(fields.Percent("memory", 1, levels.memory));
  RECKON_TRY(fields.Percent("gpu", 1, levels.gpu));
  if (node["disk"]) {
    RECKON_ASSIGN(levels.disk_bytes_s, ReadByteRate(node["disk"]));
  }
  return levels;
}

}  // namespace

base::Result<std::vector<core::BackgroundLoad>> ReadBackground(const Yaml& node) {
  std::vector<core::BackgroundLoad> loads;
  if (!node) return loads;
  if (!node.IsMap()) return node.Wrong("names of loads and what each is");
  for (const auto& [name, entry] : node.entries()) {
    RECKON_TRY(entry.AllowKeys(Keys{"stress", "run", "on", "deadline", "settle"}));
    core::BackgroundLoad load;
    load.name = name;
    if (bool(entry["stress"]) == bool(entry["run"])) {
      return entry.Wrong("either 'stress' (levels of load) or 'run' (a command)");
    }
    const Fields fields(entry);
    if (entry["stress"]) {
      RECKON_ASSIGN(load.stress, ReadStress(entry["stress"]));
      if (entry["deadline"]) return entry["deadline"].Wrong("none: only an app has a deadline");
    } else {
      RECKON_TRY(fields.Text("run", load.run));
      if (base::Trim(load.run).empty()) return entry["run"].Wrong("a command");
      if (!entry["deadline"]) load.settle_s = 1;
    }
    if (entry["on"]) {
      RECKON_ASSIGN(load.on, entry["on"].Texts());
      if (load.on.empty()) return entry["on"].Wrong("workers, servers, all, or names of hosts");
    }
    if (entry["deadline"]) {
      double seconds = 0;
      RECKON_TRY(fields.Duration("deadline", seconds));
      if (seconds <= 0) return entry["deadline"].Wrong("a duration above 0, like 200ms");
      load.deadline_s = seconds;
    }
    RECKON_TRY(fields.Duration("settle", load.settle_s));
    loads.push_back(std::move(load));
  }
  return loads;
}

}  // namespace reckon::spec
