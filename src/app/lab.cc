#include "app/lab.h"

#include <algorithm>
#include <array>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "spec/lab_file.h"

namespace reckon::app {
namespace {

using base::BadInput;
using base::Result;

// A word without folders and ending is the name of a lab; anything else is a file.
bool LooksLikeFile(const std::string& lab) {
  return lab.find('/') != std::string::npos || lab.find('.') != std::string::npos;
}

Result<std::string> NameOf(const LabRequest& request) {
  if (request.lab.empty()) {
    return BadInput(fmt::format("lab {}: expected LAB.yaml or the name of a lab", request.action));
  }
  if (!LooksLikeFile(request.lab)) return request.lab;
  RECKON_ASSIGN(const core::Lab lab, spec::ReadLabFile(request.lab));
  return lab.name;
}

// A lab whose limits somebody else has changed; one that was never finished is no surprise.
void AddDeviations(const act::LabState& state, LabReport& report) {
  for (const act::LabHostStatus& host : state.hosts) {
    if (state.finished && !host.deviation.empty()) {
      report.warnings.push_back(act::DeviationText(state.name, host));
    }
  }
}

Result<LabReport> Up(const LabRequest& request, const act::LabSystem& system,
                     const Context& context) {
  if (request.lab.empty()) return BadInput("lab up: expected LAB.yaml");
  RECKON_ASSIGN(const core::Lab lab, spec::ReadLabFile(request.lab));
  LabReport report;
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  if (const auto warning = core::CrowdingWarning(lab, cores)) report.warnings.push_back(*warning);
  RECKON_TRY(act::LabUp(lab, system, context.stop));
  RECKON_ASSIGN(act::LabState state, act::LabStatus(lab.name, system));
  AddDeviations(state, report);
  report.labs.push_back(std::move(state));
  report.done = fmt::format("lab '{}' is up", lab.name);
  return report;
}

LabReport ListLabs(const act::LabSystem& system) {
  LabReport report;
  for (const std::string& name : act::LabNames(system)) {
    auto state = act::LabStatus(name, system);
    // One that is damaged shall not hide the others.
    if (!state.ok()) {
      report.warnings.push_back(state.error().Describe());
      continue;
    }
    AddDeviations(*state, report);
    report.labs.push_back(*std::move(state));
  }
  if (report.labs.empty() && report.warnings.empty()) report.done = "no lab is up";
  return report;
}

Result<LabReport> DisturbHost(const LabRequest& request, const std::string& name,
                              const act::LabSystem& system) {
  if (request.host.empty()) {
    return BadInput(fmt::format("lab {} {}: expected the name of a host", request.action, name));
  }
  LabReport report;
  const std::string& host = request.host;
  if (request.action == "kill") {
    RECKON_ASSIGN(const int killed, act::KillHost(name, host, system));
    report.done = fmt::format(
        "{} of {} killed", killed == 1 ? "1 process" : fmt::format("{} processes", killed), host);
  } else if (request.action == "cut") {
    RECKON_TRY(act::CutHost(name, host, system));
    report.done = fmt::format("{} is cut off", host);
  } else {
    RECKON_TRY(act::MendHost(name, host, system));
    report.done = fmt::format("{} is linked again", host);
  }
  return report;
}

}  // namespace

Result<LabReport> ManageLab(const LabRequest& request, const Context& context) {
  static const std::array<std::string, 7> kActions{"up",   "down", "status", "list",
                                                   "kill", "cut",  "mend"};
  const act::LabSystem system;
  if (std::find(kActions.begin(), kActions.end(), request.action) == kActions.end()) {
    return BadInput(fmt::format("lab: no action '{}'{}", request.action,
                                base::SuggestFrom(request.action, kActions)));
  }
  const bool about_host =
      request.action == "kill" || request.action == "cut" || request.action == "mend";
  if (!about_host && !request.host.empty()) {
    return BadInput(
        fmt::format("lab {}: no host expected, found '{}'", request.action, request.host));
  }
  if (request.action == "up") return Up(request, system, context);
  if (request.action == "list") return ListLabs(system);
  RECKON_ASSIGN(const std::string name, NameOf(request));
  if (about_host) return DisturbHost(request, name, system);
  LabReport report;
  if (request.action == "down") {
    RECKON_ASSIGN(const bool found, act::LabDown(name, system));
    report.done = found ? fmt::format("lab '{}' is removed", name)
                        : fmt::format("there is no lab '{}'; nothing to do", name);
    return report;
  }
  RECKON_ASSIGN(act::LabState state, act::LabStatus(name, system));
  AddDeviations(state, report);
  report.labs.push_back(std::move(state));
  return report;
}

base::Json ToJson(const LabReport& report) {
  base::Json json;
  json["done"] = report.done;
  json["warnings"] = report.warnings;
  json["labs"] = base::Json::array();
  for (const act::LabState& state : report.labs) {
    base::Json lab;
    lab["name"] = state.name;
    lab["dilation"] = state.dilation;
    lab["finished"] = state.finished;
    lab["machine_address"] = state.machine_address;
    lab["hosts"] = base::Json::array();
    for (const act::LabHostStatus& status : state.hosts) {
      base::Json host;
      host["name"] = status.host.name;
      host["address"] = status.place.address;
      host["cpus"] = status.host.cpus;
      host["memory_bytes"] = status.host.memory_bytes;
      host["bandwidth_bit_s"] = status.host.bandwidth_bit_s;
      host["linked"] = status.linked;
      host["processes"] = status.processes;
      host["netns"] = status.place.netns;
      host["cgroups"] = status.place.cgroups;
      lab["hosts"].push_back(std::move(host));
    }
    json["labs"].push_back(std::move(lab));
  }
  return json;
}

}  // namespace reckon::app
