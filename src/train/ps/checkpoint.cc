#include "train/ps/checkpoint.h"

#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/fingerprint.h"
#include "base/json.h"

namespace reckon::train {
namespace {

constexpr const char* kFormat = "reckon-ps-checkpoint-1";

std::string Checksum(std::string_view bytes) {
  base::Fingerprint fingerprint;
  fingerprint.Add(bytes);
  return fingerprint.Hex();
}

std::string_view AsText(const std::vector<float>& floats) {
  return {reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float)};
}

}  // namespace

base::Status WriteCheckpoint(const std::filesystem::path& path,
                             const ParameterTable::Snapshot& snapshot) {
  std::string body;
  body += AsText(snapshot.parameters);
  body += AsText(snapshot.optimiser.first);
  body += AsText(snapshot.optimiser.second);
  base::Json head;
  head["format"] = kFormat;
  head["parameters"] = snapshot.parameters.size();
  head["first"] = snapshot.optimiser.first.size();
  head["second"] = snapshot.optimiser.second.size();
  head["steps"] = snapshot.optimiser.steps;
  head["checksum"] = Checksum(body);
  RECKON_ASSIGN(base::AtomicFile file, base::AtomicFile::Create(path));
  RECKON_TRY(file.Append(head.dump() + "\n"));
  RECKON_TRY(file.Append(body));
  return file.Commit();
}

base::Result<ParameterTable::Snapshot> ReadCheckpoint(const std::filesystem::path& path) {
  RECKON_ASSIGN(const std::string text, base::ReadFile(path));
  const auto corrupt = [&](const std::string& what) {
    return base::Corrupt(fmt::format("{}: {}", path.string(), what));
  };
  const size_t line = text.find('\n');
  const auto parsed = base::ParseJson(std::string_view(text).substr(0, line), path.string());
  const base::Json head = parsed.ok() ? *parsed : base::Json();
  const auto parameters = base::WholeAt(head, "parameters");
  const auto first = base::WholeAt(head, "first");
  const auto second = base::WholeAt(head, "second");
  const auto steps = base::WholeAt(head, "steps");
  if (line == std::string::npos || !parameters || !first || !second || !steps ||
      head.value("format", "") != kFormat || !head.contains("checksum") ||
      !head["checksum"].is_string()) {
    return corrupt("not a checkpoint of a parameter server");
  }
  const std::string_view body = std::string_view(text).substr(line + 1);
  const uint64_t floats = body.size() / sizeof(float);
  if (body.size() % sizeof(float) != 0 || *parameters > floats || *first > floats ||
      *second > floats || *parameters + *first + *second != floats) {
    return corrupt(
        fmt::format("{} bytes after its first line, which tells of others: cut off?", body.size()));
  }
  if (Checksum(body) != head["checksum"].get<std::string>()) {
    return corrupt("damaged: its checksum does not fit");
  }
  ParameterTable::Snapshot snapshot;
  size_t at = 0;
  const auto take = [&](uint64_t size, std::vector<float>& out) {
    out.resize(size);
    if (size > 0) std::memcpy(out.data(), body.data() + at, size * sizeof(float));
    at += size * sizeof(float);
  };
  take(*parameters, snapshot.parameters);
  take(*first, snapshot.optimiser.first);
  take(*second, snapshot.optimiser.second);
  snapshot.optimiser.steps = *steps;
  return snapshot;
}

}  // namespace reckon::train
