// What a command writes must be none of what it reads, nor the store.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"
#include "base/result.h"

namespace reckon::app {

// A file named by an option: {"--out", "m.json"}. An empty path is none.
struct NamedFile {
  std::string option;
  std::string path;
};

// kBadInput when an output is an input, the store (or its log), or another output, however their
// paths are written. Devices, pipes and "-" may be shared.
base::Status CheckOutputs(const std::vector<NamedFile>& outputs,
                          const std::vector<NamedFile>& inputs, const Context& context);

}  // namespace reckon::app
