// What columns mean to a law: which one counts workers, which one measures the data.
#pragma once

#include <optional>
#include <string>

#include "learn/dataset.h"

namespace reckon::learn {

// Indices into Schema::inputs; all of them numbers.
struct Roles {
  std::optional<size_t> workers;
  std::optional<size_t> size;
};

// What the user said; empty: guess.
struct RoleNames {
  std::string workers;
  std::string size;
};

// Guesses from the names people give such columns ("num_workers", "nodes", "instance_count";
// "data_size_mb", "num_images"); the first match in the order of preference wins. kBadInput when a
// name given is not an input or not numeric.
base::Result<Roles> FindRoles(const Schema& schema, const RoleNames& names);

}  // namespace reckon::learn
