#include "app/runs/engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "act/lab/lab.h"
#include "act/lab/network.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;

base::Result<Engine> FindLab(const std::string& name, const std::vector<std::string>& wanted) {
  RECKON_ASSIGN(const act::LabState lab, act::LabStatus(name, {}));
  if (!lab.finished) {
    return Error(ErrorCode::kFailed,
                 fmt::format("lab '{}' was never finished; 'reckon lab down {}' removes it",
                             lab.name, lab.name));
  }
  std::vector<std::string> names;
  for (const act::LabHostStatus& host : lab.hosts) names.push_back(host.host.name);
  Engine engine;
  engine.status_host = lab.machine_address;
  engine.dilation = lab.dilation;
  for (const std::string& host : wanted.empty() ? names : wanted) {
    const auto found = std::find(names.begin(), names.end(), host);
    if (found == names.end()) {
      return Error(ErrorCode::kNotFound, fmt::format("lab '{}' has no host '{}'{}", name, host,
                                                     base::SuggestFrom(host, names)));
    }
    const act::LabHostStatus& status = lab.hosts[static_cast<size_t>(found - names.begin())];
    if (!status.deviation.empty()) {
      return Error(ErrorCode::kFailed, act::DeviationText(name, status));
    }
    PlannedPlace planned{status.place, status.host.cpus, status.host.memory_bytes,
                         act::kHostDevice};
    planned.place.cpus = status.host.cpus / lab.dilation;
    planned.place.memory_bytes = status.host.memory_bytes;
    engine.places.push_back(std::move(planned));
  }
  return engine;
}

}  // namespace

base::Result<EngineName> ParseEngineName(const std::string& name) {
  constexpr std::string_view kLab = "lab:";
  if (name == "local") return EngineName{};
  if (!name.starts_with(kLab)) {
    return base::BadInput(
        fmt::format("'{}' is no engine; expected local, lab:NAME or lab:NAME/HOST,HOST", name));
  }
  // A view of the name: the parts must not outlive a string made here.
  const std::string_view rest = std::string_view(name).substr(kLab.size());
  const size_t slash = rest.find('/');
  EngineName engine{std::string(rest.substr(0, slash)), {}};
  if (engine.lab.empty())
    return base::BadInput(fmt::format("'{}' is no name of a lab", engine.lab));
  if (slash == std::string::npos) return engine;
  for (const std::string_view host : base::Split(rest.substr(slash + 1), ',')) {
    engine.hosts.emplace_back(host);
  }
  return engine;
}

base::Result<Engine> FindEngine(const std::string& name) {
  RECKON_ASSIGN(const EngineName parsed, ParseEngineName(name));
  if (parsed.lab.empty()) return Engine{{PlannedPlace{}}};
  return FindLab(parsed.lab, parsed.hosts);
}

}  // namespace reckon::app
