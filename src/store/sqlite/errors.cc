#include "store/sqlite/errors.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "store/sql/errors.h"

namespace reckon::store {
namespace {

using base::Error;
using base::ErrorCode;

std::string SystemMessage(int system_errno) {
  return std::generic_category().message(system_errno);
}

// SQLite only says that it could not open; the folder is mostly why. It must be writable even to
// read, for the log and its index.
Error CannotOpen(const SqliteFailure& failure, const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const auto error = [&](ErrorCode code, std::string_view why) -> Error {
    return {code, fmt::format("cannot open store '{}': {}", path.string(), why)};
  };
  std::error_code ignored;
  const auto status = std::filesystem::status(folder, ignored);
  if (!std::filesystem::is_directory(status)) {
    return error(
        ErrorCode::kNotFound,
        fmt::format("folder '{}' {}", folder.string(),
                    std::filesystem::exists(status) ? "is not a folder" : "does not exist"));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return error(ErrorCode::kIo, fmt::format("folder '{}' is not writable: {}", folder.string(),
                                             SystemMessage(errno)));
  }
  if (!std::filesystem::exists(path, ignored) && failure.system_errno == ENOENT) {
    return error(ErrorCode::kNotFound,
                 fmt::format("there is none in folder '{}', and none was made", folder.string()));
  }
  return error(ErrorCode::kIo,
               failure.system_errno != 0 ? SystemMessage(failure.system_errno) : "not allowed");
}

}  // namespace

Error NotAStore(const std::filesystem::path& path) {
  return {ErrorCode::kCorrupt,
          fmt::format("'{}' is not a Reckon store or is damaged", path.string())};
}

Error SqliteError(const SqliteFailure& failure, const std::filesystem::path& path,
                  std::chrono::milliseconds waited) {
  constexpr int kPrimaryMask = 0xff;
  const int primary = failure.code & kPrimaryMask;
  const bool no_space = failure.system_errno == ENOSPC || failure.system_errno == EDQUOT;
  switch (primary) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return LockedError(path.string(), waited);
    case SQLITE_FULL:
      return DiskFullError(path.string());
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return NotAStore(path);
    case SQLITE_CANTOPEN:
      return no_space ? DiskFullError(path.string()) : CannotOpen(failure, path);
    case SQLITE_IOERR:
      // Growing the shared index of the log fails this way when the disk is full.
      if (no_space) return DiskFullError(path.string());
      return {ErrorCode::kIo,
              fmt::format("store '{}': {}{}", path.string(), failure.message,
                          failure.system_errno == 0
                              ? ""
                              : fmt::format(" ({})", SystemMessage(failure.system_errno)))};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      if (failure.code == SQLITE_READONLY_DBMOVED) {
        return {ErrorCode::kIo,
                fmt::format("store '{}' was moved or deleted while it was open", path.string())};
      }
      return ReadOnlyError(path.string());
    case SQLITE_TOOBIG:
      return {ErrorCode::kBadInput,
              fmt::format("store '{}': a value is larger than 1 GB", path.string())};
    default:
      return {ErrorCode::kFailed, fmt::format("store '{}': {}", path.string(), failure.message)};
  }
}

}  // namespace reckon::store
