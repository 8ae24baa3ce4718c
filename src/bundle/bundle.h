// A folder of people's code and data as one file, on its way to the nodes that run it; and the
// archives that people make elsewhere (wheels, zips, tars), unpacked without trust in them.
//
// All functions may be called by several threads at once. Errors: kBadInput for what is wrong with
// the folder or the archive, with the name of the file or entry; kNotFound for a path that is not
// there, kIo for one that the system refuses to read or write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string_view>

#include "base/result.h"

namespace reckon::bundle {

struct Limits {
  uint64_t most_bytes = uint64_t{1} << 30;  // of all files, unpacked
  uint64_t most_files = 20'000;             // files and folders
};

struct Contents {
  uint64_t files = 0;  // regular ones
  uint64_t bytes = 0;  // unpacked
};

// Writes what is below `folder` to `file`, whole or not at all: a tar with gzip, the same bytes for
// the same content (names, bytes, the owner's right to execute). Left out are .git, __pycache__,
// `file` itself, and what a file .reckonignore in `folder` names:
//   # a comment
//   *.ckpt      a pattern as of a shell, of a name anywhere
//   data/raw    or of a path from `folder` on
//   runs/       of folders only
// Others may write to `folder` meanwhile: nothing outside is read, whatever they do.
// A symbolic link to a file in `folder` is packed as that file; other links, sockets, pipes and
// devices are kBadInput, and so is more than the limits. kInterrupted once `stop` is requested,
// kUnavailable when a file became shorter while it was read.
base::Result<Contents> Pack(const std::filesystem::path& folder, const std::filesystem::path& file,
                            const Limits& limits, const std::stop_token& stop);

// Reads all of an archive: kBadInput if Unpack would refuse it. Taken are zips, and tars that are
// not compressed or once with gzip, bzip2, xz or zstd.
base::Result<Contents> Check(const std::filesystem::path& file, const Limits& limits);
base::Result<Contents> CheckBytes(std::string_view bytes, const Limits& limits);

// Into an existing, empty folder: files of mode 0644 or 0755, folders of 0755, nothing else and
// nothing outside. What it has written when it fails is the caller's to remove.
base::Result<Contents> Unpack(const std::filesystem::path& file,
                              const std::filesystem::path& folder, const Limits& limits);

}  // namespace reckon::bundle
