#include "train/ps/checkpoint.h"

#include <algorithm>

#include <fmt/format.h>

#include "train/array_file.h"

namespace reckon::train {
namespace {

constexpr std::string_view kFormat = "reckon-ps-checkpoint-1";

std::filesystem::path Before(std::filesystem::path path) { return path += ".before"; }

// Also when that cannot be told: then reading it says what is wrong.
bool MayExist(const std::filesystem::path& path) {
  std::error_code unreadable;
  return std::filesystem::exists(path, unreadable) || unreadable;
}

base::Status Rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (!error) return {};
  return base::Error(
      base::ErrorCode::kIo,
      fmt::format("{}: cannot be renamed to {}: {}", from.string(), to.string(), error.message()));
}

}  // namespace

base::Status WriteCheckpoint(const std::filesystem::path& path,
                             const ParameterTable::Snapshot& snapshot) {
  ArrayFile file;
  file.facts["steps"] = snapshot.optimiser.steps;
  file.facts["pushed"] = snapshot.pushed;
  file.arrays = {{"parameters", snapshot.parameters},
                 {"first", snapshot.optimiser.first},
                 {"second", snapshot.optimiser.second}};
  return WriteArrays(path, kFormat, file);
}

base::Result<ParameterTable::Snapshot> ReadCheckpoint(const std::filesystem::path& path) {
  RECKON_ASSIGN(ArrayFile file, ReadArrays(path, kFormat));
  const auto steps = base::WholeAt(file.facts, "steps");
  auto* parameters = file.Find<float>("parameters");
  auto* first = file.Find<float>("first");
  auto* second = file.Find<float>("second");
  const base::Json pushed = file.facts.value("pushed", base::Json());
  const bool counts =
      pushed.is_array() && std::all_of(pushed.begin(), pushed.end(),
                                       [](const auto& n) { return n.is_number_unsigned(); });
  if (!steps || !counts || parameters == nullptr || first == nullptr || second == nullptr) {
    return base::Corrupt(
        fmt::format("{}: not a whole checkpoint of a parameter server", path.string()));
  }
  ParameterTable::Snapshot snapshot;
  snapshot.parameters = std::move(*parameters);
  snapshot.pushed = pushed.get<std::vector<uint64_t>>();
  snapshot.optimiser = {*steps, std::move(*first), std::move(*second)};
  return snapshot;
}

base::Status WriteNextCheckpoint(const std::filesystem::path& path,
                                 const ParameterTable::Snapshot& snapshot) {
  if (MayExist(path)) RECKON_TRY(Rename(path, Before(path)));
  return WriteCheckpoint(path, snapshot);
}

base::Result<std::vector<KeptCheckpoint>> ReadLastCheckpoints(const std::filesystem::path& path) {
  std::vector<KeptCheckpoint> found;
  for (const std::filesystem::path& file : {path, Before(path)}) {
    if (!MayExist(file)) continue;
    RECKON_ASSIGN(ParameterTable::Snapshot snapshot, ReadCheckpoint(file));
    found.push_back({file, std::move(snapshot)});
  }
  return found;
}

base::Status GoBackTo(const std::filesystem::path& file, const std::filesystem::path& path) {
  return file == path ? base::Status() : Rename(file, path);
}

}  // namespace reckon::train
