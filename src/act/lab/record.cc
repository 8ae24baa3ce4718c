#include "act/lab/record.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "act/launch.h"
#include "base/file.h"
#include "base/json.h"
#include "base/system_error.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Json;
using base::Result;
using base::Status;

constexpr int kRecordVersion = 2;

fs::path RecordFile(const fs::path& folder, const std::string& lab) {
  return folder / (lab + ".json");
}

Json HostToJson(const core::LabHost& host, const Place& place) {
  Json json;
  json["name"] = host.name;
  json["cpus"] = host.cpus;
  json["memory_bytes"] = host.memory_bytes;
  json["bandwidth_bit_s"] = host.bandwidth_bit_s;
  json["place"] = ToJson(place);
  return json;
}

// Also throws what nlohmann throws for a field that is not there or of another kind.
Result<LabRecord> RecordFromJson(const Json& json) {
  LabRecord record;
  record.lab.name = json.at("name").get<std::string>();
  record.lab.dilation = json.at("dilation").get<double>();
  record.subnet = json.at("subnet").get<std::string>();
  record.finished = json.at("finished").get<bool>();
  for (const Json& entry : json.at("hosts")) {
    core::LabHost host;
    host.name = entry.at("name").get<std::string>();
    host.cpus = entry.at("cpus").get<double>();
    host.memory_bytes = entry.at("memory_bytes").get<uint64_t>();
    host.bandwidth_bit_s = entry.at("bandwidth_bit_s").get<double>();
    record.lab.hosts.push_back(std::move(host));
    RECKON_ASSIGN(Place place, PlaceFromJson(entry.at("place"), "place"));
    record.places.push_back(std::move(place));
  }
  return record;
}

}  // namespace

Result<LabRecord> ReadRecord(const fs::path& folder, const std::string& lab) {
  const fs::path file = RecordFile(folder, lab);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return Error(ErrorCode::kNotFound, fmt::format("no lab '{}' is up", lab));
  }
  RECKON_ASSIGN(const std::string text, base::ReadFile(file));
  RECKON_ASSIGN(const Json json, base::ParseJson(text, file.string()));
  try {
    if (json.at("version").get<int>() == kRecordVersion) {
      Result<LabRecord> record = RecordFromJson(json);
      if (record.ok()) return record;
    }
  } catch (const Json::exception&) {
    // Falls through to the message for every kind of damage.
  }
  return base::Corrupt(
      fmt::format("{}: not a record of a lab that this version knows; "
                  "'reckon lab down {}' removes the lab",
                  file.string(), lab));
}

Status WriteRecord(const fs::path& folder, const LabRecord& record) {
  Json json;
  json["version"] = kRecordVersion;
  json["name"] = record.lab.name;
  json["dilation"] = record.lab.dilation;
  json["subnet"] = record.subnet;
  json["finished"] = record.finished;
  json["hosts"] = Json::array();
  for (size_t i = 0; i < record.lab.hosts.size(); ++i) {
    json["hosts"].push_back(HostToJson(record.lab.hosts[i], record.places[i]));
  }
  return base::WriteFile(RecordFile(folder, record.lab.name), base::DumpJson(json));
}

Status RemoveRecord(const fs::path& folder, const std::string& lab) {
  std::error_code code;
  fs::remove(RecordFile(folder, lab), code);
  if (!code) return {};
  return Error(ErrorCode::kIo, fmt::format("cannot remove {}: {}", RecordFile(folder, lab).string(),
                                           code.message()));
}

std::vector<std::string> RecordedLabs(const fs::path& folder) {
  std::vector<std::string> labs;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".json" && core::IsLabWord(name, core::kLongestLabName)) {
      labs.push_back(name);
    }
  }
  std::sort(labs.begin(), labs.end());
  return labs;
}

Result<LabLock> LabLock::Take(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  const fs::path file = folder / ".lock";
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return base::SystemError("cannot open " + file.string());
  LabLock lock(descriptor);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > limit) {
      return Error(ErrorCode::kUnavailable,
                   fmt::format("another program works on labs: it holds {}", file.string()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return lock;
}

LabLock::~LabLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

LabLock::LabLock(LabLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

}  // namespace reckon::act
