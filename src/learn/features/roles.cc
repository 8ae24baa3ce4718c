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
// Machines, and what runs on them: where both are counted, the latter take part in an exchange.
constexpr std::array<std::string_view, 6> kNodeWords{"nodes", "machines",  "hosts",
                                                     "node",  "instances", "instance"};
constexpr std::array<std::string_view, 7> kDeviceWords{"workers", "replicas",     "gpus", "devices",
                                                       "ranks",   "accelerators", "tpus"};
constexpr std::array<std::string_view, 6> kBatchWords{"batch",     "bsz", "batchsize",
                                                      "minibatch", "bs",  "batches"};
// "model_size_mb" is what workers exchange; "data_size_mb" what they share.
constexpr std::array<std::string_view, 9> kBytesWords{"gradient",   "gradients", "params",
                                                      "parameters", "weights",   "model",
                                                      "exchanged",  "traffic",   "message"};
constexpr std::array<std::string_view, 3> kServerWords{"ps", "servers", "server"};
constexpr std::array<std::string_view, 9> kWorkWords{
    "flops", "gflops", "macs", "gmacs", "flop", "mflops", "mmacs", "adds", "operations"};
constexpr std::array<std::string_view, 1> kActivationsWords{"activations"};
constexpr std::array<std::string_view, 1> kThreadsWords{"threads"};
// "cpus_per_worker"; without "per" they are those of all workers.
constexpr std::array<std::string_view, 3> kPerWorkerWords{"cpus", "cores", "vcpus"};
// What follows "per" there. Per machine it is the same only where workers are not counted apart.
constexpr std::array<std::string_view, 7> kWorkerUnits{"worker", "workers", "executor", "replica",
                                                       "rank",   "process", "task"};
constexpr std::array<std::string_view, 4> kNodeUnits{"node", "machine", "host", "instance"};
constexpr std::array<std::string_view, 2> kEpochsWords{"epochs", "passes"};
constexpr std::array<std::string_view, 12> kMachineWords{
    "machine", "instance", "gpu",         "vm",   "flavor", "flavour",
    "device",  "hardware", "accelerator", "node", "sku",    "cluster"};
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

bool HasWord(const InputColumn& input, std::string_view word) {
  const std::vector<std::string> words = Words(input.name);
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <size_t N>
bool HasAny(const InputColumn& input, const std::array<std::string_view, N>& known) {
  return std::any_of(known.begin(), known.end(),
                     [&](std::string_view word) { return HasWord(input, word); });
}

// Whether the name says "per" and then one of the units.
template <size_t M>
bool IsPer(const InputColumn& input, const std::array<std::string_view, M>& units) {
  const std::vector<std::string> words = Words(input.name);
  const auto per = std::find(words.begin(), words.end(), "per");
  return per != words.end() && std::next(per) != words.end() &&
         std::find(units.begin(), units.end(), *std::next(per)) != units.end();
}

// A column that is positive and has one of the words, and whose meaning nobody knows yet.
class Guesser {
 public:
  explicit Guesser(const Schema& schema) : schema_(schema) {}

  void Take(const std::optional<size_t>& column) {
    if (column) taken_.push_back(*column);
  }

  // Never those whose name also says `never`. Columns that vary come before those that do not.
  template <size_t N>
  std::optional<size_t> Number(const std::array<std::string_view, N>& known, std::string_view never,
                               bool must_vary = true) const {
    const auto fits = [&](size_t j, bool varies) {
      return IsFree(j) && schema_.inputs[j].Varies() == varies &&
             !HasWord(schema_.inputs[j], never);
    };
    const auto found = First(known, [&](size_t j) { return fits(j, true); });
    return found || must_vary ? found : First(known, [&](size_t j) { return fits(j, false); });
  }

  // Only those whose name also says "per" one of the units, and that vary.
  template <size_t N, size_t M>
  std::optional<size_t> Ratio(const std::array<std::string_view, N>& known,
                              const std::array<std::string_view, M>& units) const {
    return First(known, [&](size_t j) {
      return IsFree(j) && schema_.inputs[j].Varies() && IsPer(schema_.inputs[j], units);
    });
  }

  template <size_t N>
  std::optional<size_t> Category(const std::array<std::string_view, N>& known) const {
    return First(known, [&](size_t j) {
      return schema_.inputs[j].kind == core::ColumnKind::kCategory && schema_.inputs[j].Varies();
    });
  }

 private:
  bool IsFree(size_t j) const {
    const InputColumn& input = schema_.inputs[j];
    return input.kind == core::ColumnKind::kNumber && input.min > 0 &&
           std::find(taken_.begin(), taken_.end(), j) == taken_.end();
  }

  template <size_t N, typename F>
  std::optional<size_t> First(const std::array<std::string_view, N>& known, F fits) const {
    for (const std::string_view word : known) {
      for (size_t j = 0; j < schema_.inputs.size(); ++j) {
        if (fits(j) && HasWord(schema_.inputs[j], word)) return j;
      }
    }
    return std::nullopt;
  }

  const Schema& schema_;
  std::vector<size_t> taken_;
};

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

base::Result<std::optional<size_t>> Named(const Schema& schema, const std::string& name,
                                          core::ColumnKind kind = core::ColumnKind::kNumber) {
  if (name.empty()) return std::optional<size_t>();
  RECKON_ASSIGN(const size_t column, schema.FindInput(name));
  if (schema.inputs[column].kind != kind) {
    const bool number = kind == core::ColumnKind::kNumber;
    return base::BadInput(
        fmt::format("column '{}' is {}", name, number ? "not numeric" : "no category"));
  }
  return std::optional<size_t>(column);
}

// Whether `workers` counts machines and `devices` what runs on them, by name and range.
bool RunOn(const InputColumn& devices, const InputColumn& workers) {
  return HasAny(workers, kNodeWords) && devices.min >= workers.min && devices.max >= workers.max;
}

// A column that is two things at once would count twice in every law.
base::Result<void> CheckApart(const Schema& schema, const Roles& named) {
  const auto& all = NamedRoles();
  for (auto first = all.begin(); first != all.end(); ++first) {
    for (auto second = std::next(first); second != all.end(); ++second) {
      const std::optional<size_t>& column = named.*first->column;
      if (!column || column != named.*second->column) continue;
      return base::BadInput(fmt::format("column '{}' is named for {} and for {}: one of them",
                                        schema.inputs[*column].name, first->option,
                                        second->option));
    }
  }
  return {};
}

base::Result<std::vector<size_t>> NamedExtrinsic(const Schema& schema, const RoleNames& names) {
  std::vector<size_t> columns;
  for (const std::string& name : names.extrinsic) {
    RECKON_ASSIGN(const std::optional<size_t> column, Named(schema, name));
    if (column) columns.push_back(*column);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace

const std::vector<NamedRole>& NamedRoles() {
  static const std::vector<NamedRole> kRoles{
      {"--workers", &Roles::workers, &RoleNames::workers},
      {"--size", &Roles::size, &RoleNames::size},
      {"--nodes", &Roles::nodes, &RoleNames::nodes},
      {"--batch", &Roles::batch, &RoleNames::batch},
      {"--bytes", &Roles::bytes, &RoleNames::bytes},
      {"--servers", &Roles::servers, &RoleNames::servers},
      {"--machine", &Roles::machine, &RoleNames::machine},
      {"--work", &Roles::work, &RoleNames::work},
      {"--activations", &Roles::activations, &RoleNames::activations},
      {"--threads", &Roles::threads, &RoleNames::threads},
      {"--epochs", &Roles::epochs, &RoleNames::epochs},
  };
  return kRoles;
}

base::Result<Roles> FindRoles(const Schema& schema, const RoleNames& names) {
  Roles roles;
  for (const NamedRole& role : NamedRoles()) {
    const bool category = role.column == &Roles::machine;
    RECKON_ASSIGN(roles.*role.column,
                  Named(schema, names.*role.name,
                        category ? core::ColumnKind::kCategory : core::ColumnKind::kNumber));
  }
  RECKON_TRY(CheckApart(schema, roles));
  RECKON_ASSIGN(roles.extrinsic, NamedExtrinsic(schema, names));

  Guesser guess(schema);
  for (const NamedRole& role : NamedRoles()) guess.Take(roles.*role.column);
  const auto find = [&](std::optional<size_t>& role, const auto& words, std::string_view never,
                        bool must_vary = true) {
    if (!role) role = guess.Number(words, never, must_vary);
    guess.Take(role);
  };
  // First what has words of others in its name: "model_flops", "activations_size",
  // "cpus_per_worker".
  find(roles.work, kWorkWords, "batch");
  find(roles.activations, kActivationsWords, "batch");
  find(roles.threads, kThreadsWords, "total");
  if (!roles.workers) {
    // Of what there is "per worker", workers are not counted, unless nothing else counts them.
    roles.workers = guess.Number(kWorkerWords, "per");
    if (roles.workers && HasWord(schema.inputs[*roles.workers], "batch")) roles.workers.reset();
    if (!roles.workers) roles.workers = guess.Number(kWorkerWords, "batch");
    guess.Take(roles.workers);
    const auto devices = guess.Number(kDeviceWords, "per");
    if (devices && roles.workers && !roles.nodes &&
        RunOn(schema.inputs[*devices], schema.inputs[*roles.workers])) {
      roles.nodes = roles.workers;
      roles.workers = devices;
      guess.Take(devices);
    }
  }
  const auto per = [&](const auto& units) {
    if (!roles.threads) roles.threads = guess.Ratio(kPerWorkerWords, units);
    guess.Take(roles.threads);
  };
  per(kWorkerUnits);
  find(roles.nodes, kNodeWords, "per", false);
  if (!roles.nodes) per(kNodeUnits);
  find(roles.batch, kBatchWords, "norm", false);
  find(roles.servers, kServerWords, "per");
  find(roles.bytes, kBytesWords, "batch");
  find(roles.size, kSizeWords, "batch", false);
  find(roles.epochs, kEpochsWords, "per", false);
  if (!roles.machine) roles.machine = guess.Category(kMachineWords);
  if (names.extrinsic.empty()) roles.extrinsic = GuessExtrinsic(schema, roles);
  return roles;
}

std::vector<std::string> NotesOnRoles(const Schema& schema, const RoleNames& names,
                                      const Roles& found) {
  std::vector<std::string> notes;
  for (const NamedRole& role : NamedRoles()) {
    if ((names.*role.name).empty() || !(found.*role.column)) continue;
    const InputColumn& input = schema.inputs[*(found.*role.column)];
    if (!input.Varies()) {
      notes.push_back(
          fmt::format("column '{}' ({}) is the same in all rows: most laws cannot use it",
                      input.name, role.option));
    } else if (input.kind == core::ColumnKind::kNumber && !(input.min > 0)) {
      notes.push_back(
          fmt::format("column '{}' ({}) is not above 0 everywhere (least {:g}): laws "
                      "pass it over",
                      input.name, role.option, input.min));
    }
  }
  return notes;
}

bool IsBatch(const InputColumn& input) {
  const std::vector<std::string> words = Words(input.name);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.starts_with("batch"); });
}

}  // namespace reckon::learn
