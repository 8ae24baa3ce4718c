#include "train/ps/checkpoint.h"

#include <algorithm>

#include <fmt/format.h>

#include "train/array_file.h"

namespace reckon::train {
namespace {

constexpr std::string_view kFormat = "reckon-ps-checkpoint-1";

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

}  // namespace reckon::train
