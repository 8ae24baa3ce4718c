// What columns mean to a law: which one counts workers, which one measures the data, which one
// names the machine, which ones are resources.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learn/dataset.h"

namespace reckon::learn {

// Indices into Schema::inputs; all of them numbers but `machine`. No column is guessed for two of
// them but extrinsic and machine.
struct Roles {
  std::optional<size_t> workers;
  std::optional<size_t> size;  // of the data
  // What the work is spread over, ascending: machines and their parts, and the batch. Other numbers
  // are intrinsic: what is computed.
  std::vector<size_t> extrinsic;
  std::optional<size_t> nodes;        // that the workers share, where workers are counted apart
  std::optional<size_t> batch;        // samples a step
  std::optional<size_t> bytes;        // exchanged in a step, or what is proportional to them
  std::optional<size_t> servers;      // parameter servers
  std::optional<size_t> machine;      // the category that names a type of machine
  std::optional<size_t> work;         // operations that a sample takes
  std::optional<size_t> activations;  // numbers that the layers give for a sample
  std::optional<size_t> threads;      // of one worker
  std::optional<size_t> epochs;       // passes over the data
};

// What the user said; empty: guess.
struct RoleNames {
  std::string workers;
  std::string size;
  std::vector<std::string> extrinsic = {};
  std::string nodes = {};
  std::string batch = {};
  std::string bytes = {};
  std::string servers = {};
  std::string machine = {};
  std::string work = {};
  std::string activations = {};
  std::string threads = {};
  std::string epochs = {};
};

// A role of one column, the option that names it, and where either is kept.
struct NamedRole {
  std::string_view option;
  std::optional<size_t> Roles::*column;
  std::string RoleNames::*name;
};
const std::vector<NamedRole>& NamedRoles();

// Guesses from the names people give such columns ("num_workers", "nodes", "instance_count";
// "data_size_mb", "num_images"); the first match in the order of preference wins. Every column that
// counts a resource or the batch ("gpus", "cores", "batch_size"), and the workers, are extrinsic.
// Where machines and what runs on them are both counted ("nodes", "gpus"), the latter are workers.
// kBadInput when a name given is not an input, of the wrong kind, or given for two roles.
base::Result<Roles> FindRoles(const Schema& schema, const RoleNames& names);

// What is to be said of columns that were named and that laws cannot use.
std::vector<std::string> NotesOnRoles(const Schema& schema, const RoleNames& names,
                                      const Roles& found);

// Whether the name says that the column is a size of batches.
bool IsBatch(const InputColumn& input);

}  // namespace reckon::learn
