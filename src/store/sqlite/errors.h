// What SQLite reports, in the house's words: the file is named, and the code says what the caller
// can do about it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace reckon::store {

struct SqliteFailure {
  int code = 0;          // extended result code
  int system_errno = 0;  // of the call that failed, or 0
  std::string_view message;
};

// `waited`: the busy timeout that had passed when the failure says "busy".
base::Error SqliteError(const SqliteFailure& failure, const std::filesystem::path& path,
                        std::chrono::milliseconds waited);

// 'x.db' is no SQLite file, or belongs to another program, or is damaged.
base::Error NotAStore(const std::filesystem::path& path);

}  // namespace reckon::store
