#include "learn/features/roles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::learn {
namespace {

// Whole words of a column's name, best first. A count of machines goes before a count of their
// parts: laws speak of what is added to scale out.
constexpr std::array<std::string_view, 16> kWorkerWords{
    "workers",  "worker", "machines", "nodes", "instances", "instance", "hosts", "executors",
    "replicas", "gpus",   "devices",  "ranks", "cpus",      "cores",    "n",     "gpu"};
constexpr std::array<std::string_view, 14> kSizeWords{
    "scale", "size", "images", "samples", "rows",  "observations", "records",
    "data",  "gb",   "mb",     "bytes",   "items", "examples",     "s"};
// Further words of columns that scale a job without changing what it computes.
constexpr std::array<std::string_view, 18> kExtrinsicWords{
    "batch",      "batchsize", "batches", "chunks",  "partitions", "threads",
    "processors", "procs",     "tpus",    "servers", "slots",      "parallelism",
    "cpu",        "core",      "node",    "vcpus",   "ngpus",      "ranks"};

std::vector<std::string> Words(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

template <size_t N>
std::optional<size_t> Guess(const Schema& schema, const std::array<std::string_view, N>& known,
                            std::string_view never) {
  for (const std::string_view word : known) {
    for (size_t j = 0; j < schema.inputs.size(); ++j) {
      const InputColumn& input = schema.inputs[j];
      if (input.kind != core::ColumnKind::kNumber || input.min <= 0 || !input.Varies()) continue;
      const std::vector<std::string> words = Words(input.name);
      const auto has = [&](std::string_view w) {
        return std::find(words.begin(), words.end(), w) != words.end();
      };
      if (has(word) && !has(never)) return j;
    }
  }
  return std::nullopt;
}

bool LooksExtrinsic(const InputColumn& input) {
  const std::vector<std::string> words = Words(input.name);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return std::find(kWorkerWords.begin(), kWorkerWords.end(), word) != kWorkerWords.end() ||
           std::find(kExtrinsicWords.begin(), kExtrinsicWords.end(), word) != kExtrinsicWords.end();
  });
}

std::vector<size_t> GuessExtrinsic(const Schema& schema, const Roles& roles) {
  std::vector<size_t> columns;
  for (size_t j = 0; j < schema.inputs.size(); ++j) {
    const InputColumn& input = schema.inputs[j];
    if (input.kind != core::ColumnKind::kNumber || roles.size == j) continue;
    if (roles.workers == j || LooksExtrinsic(input)) columns.push_back(j);
  }
  return columns;
}

base::Result<std::optional<size_t>> Named(const Schema& schema, const std::string& name) {
  RECKON_ASSIGN(const size_t column, schema.FindInput(name));
  if (schema.inputs[column].kind != core::ColumnKind::kNumber) {
    return base::BadInput(fmt::format("column '{}' is not numeric", name));
  }
  return std::optional<size_t>(column);
}

}  // namespace

base::Result<Roles> FindRoles(const Schema& schema, const RoleNames& names) {
  Roles roles;
  if (names.workers.empty()) {
    roles.workers = Guess(schema, kWorkerWords, "batch");
  } else {
    RECKON_ASSIGN(roles.workers, Named(schema, names.workers));
  }
  if (names.size.empty()) {
    roles.size = Guess(schema, kSizeWords, "batch");
    if (roles.size == roles.workers) roles.size.reset();
  } else {
    RECKON_ASSIGN(roles.size, Named(schema, names.size));
  }
  if (names.extrinsic.empty()) {
    roles.extrinsic = GuessExtrinsic(schema, roles);
  } else {
    for (const std::string& name : names.extrinsic) {
      RECKON_ASSIGN(const std::optional<size_t> column, Named(schema, name));
      roles.extrinsic.push_back(*column);
    }
    std::sort(roles.extrinsic.begin(), roles.extrinsic.end());
    const auto last = std::unique(roles.extrinsic.begin(), roles.extrinsic.end());
    roles.extrinsic.erase(last, roles.extrinsic.end());
  }
  return roles;
}

bool IsBatch(const InputColumn& input) {
  const std::vector<std::string> words = Words(input.name);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.starts_with("batch"); });
}

}  // namespace reckon::learn
