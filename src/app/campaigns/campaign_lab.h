// The lab of a campaign: made for it where there is none, and then removed at its end.
#pragma once

#include <filesystem>

#include "app/context.h"
#include "base/result.h"
#include "core/lab.h"

namespace reckon::app {

// Brings `lab` up unless it is there. `mark` is a file that remembers, across kills, that it was
// made here. kFailed: a lab of that name is up and is another one.
base::Status RaiseLab(const core::Lab& lab, const std::filesystem::path& mark,
                      const Context& context);

// Removes the lab if the mark says that it was made here.
base::Status LowerLab(const core::Lab& lab, const std::filesystem::path& mark);

}  // namespace reckon::app
