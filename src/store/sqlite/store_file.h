// Whose file is this? Answered from its first bytes alone, so that a file that is not ours is left
// exactly as it is.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace reckon::store {

// "Reck", in the field that SQLite reserves for the program a file belongs to.
inline constexpr int64_t kApplicationId = 0x5265636B;

// Accepts a path where nothing is yet, an empty database and a store of ours. kCorrupt: something
// else is there; kBadInput: a folder or a device. Never writes. What another process does to the
// file afterwards is checked again by Migrate, under its lock.
base::Status CheckStoreFile(const std::filesystem::path& path);

}  // namespace reckon::store
