// The names of files that wait to take another one's place. A kill between naming and renaming
// leaves such a name; so it can be told from one in use, its writer holds a lock on the file
// (flock), which the kernel takes away with the writer.
#pragma once

#include <filesystem>
#include <string>

namespace reckon::base {

// Beside `path`; the same for the same path, so that its next writer finds what the last one left.
// Further attempts are for writers at the same time.
std::string TemporaryName(const std::filesystem::path& path, uint32_t attempt);

// Marks a file as in use for as long as the descriptor is open. False when somebody is about to
// take it away.
bool HoldTemporary(int descriptor);

// Removes the file of that name when nobody holds it; whether it did. Where the file system knows
// no locks everything counts as held.
bool RemoveIfAbandoned(const std::string& name);

}  // namespace reckon::base
