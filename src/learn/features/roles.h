// What columns mean to a law: which one counts workers, which one measures the data, which ones are
// resources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/dataset.h"

namespace reckon::learn {

// Indices into Schema::inputs; all of them numbers.
struct Roles {
  std::optional<size_t> workers;
  std::optional<size_t> size;
  // What the work is spread over, ascending: machines and their parts, and the batch. Other numbers
  // are intrinsic: what is computed.
  std::vector<size_t> extrinsic;
};

// What the user said; empty: guess.
struct RoleNames {
  std::string workers;
  std::string size;
  std::vector<std::string> extrinsic;
};

// Guesses from the names people give such columns ("num_workers", "nodes", "instance_count";
// "data_size_mb", "num_images"); the first match in the order of preference wins. Every column that
// counts a resource or the batch ("gpus", "cores", "batch_size"), and the workers, are extrinsic.
// kBadInput when a name given is not an input or not numeric.
base::Result<Roles> FindRoles(const Schema& schema, const RoleNames& names);

// Whether the name says that the column is a size of batches.
bool IsBatch(const InputColumn& input);

}  // namespace reckon::learn
