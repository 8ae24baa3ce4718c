// How finely the kernel deals a host's quota out to processors.
//
// A processor takes CPU time from its cgroup's quota in slices (5 ms unless told otherwise). The
// quota of a dilated host with several cpus is little more than one slice a period, so that one
// processor takes all of it and the host's other threads stand still: two threads were hardly
// faster than one. The setting is the machine's, so it is put back when the last lab goes.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "core/lab.h"

namespace reckon::act {

// For a lab whose hosts have several cpus. A kernel that has no such setting, or a container that
// may not change it, is left as it is: hosts then are slower than they should be, as docs/lab.md
// says. With the lock of the records held.
base::Status RefineCpuSlice(const core::Lab& lab, const std::filesystem::path& setting,
                            const std::filesystem::path& records);

// As it was before the first such lab.
base::Status RestoreCpuSlice(const std::filesystem::path& setting,
                             const std::filesystem::path& records);

}  // namespace reckon::act
