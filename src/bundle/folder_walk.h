// Which files and folders of a folder go into its bundle.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/bundle.h"
#include "bundle/descriptor.h"

namespace reckon::bundle {

struct Found {
  std::string name;    // from the folder on, with '/'
  std::string source;  // the name of what is to be read: where a link leads
  bool is_folder = false;
};

// Sorted by name. `path` is where `folder` was opened; `bundle`, the file that is written, does not
// go into itself. Errors as of Pack; ends as soon as there is more than the limits.
base::Result<std::vector<Found>> FilesToPack(const Descriptor& folder,
                                             const std::filesystem::path& path,
                                             const std::filesystem::path& bundle,
                                             const Limits& limits, const std::stop_token& stop);

}  // namespace reckon::bundle
