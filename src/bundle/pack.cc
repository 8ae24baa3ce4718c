#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/system_error.h"
#include "base/units.h"
#include "bundle/bundle.h"
#include "bundle/descriptor.h"
#include "bundle/folder_walk.h"
#include "bundle/open_below.h"

namespace reckon::bundle {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

// Nothing in it is of this machine or this moment. Not thread-safe.
class Writer {
 public:
  explicit Writer(base::AtomicFile& file) : file_(file) {}
  ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Status Open() {
    archive* const tar = tar_.get();
    RECKON_CHECK(tar != nullptr);
    // Names are the bytes that they are, whatever the locale. Nothing is added to fill a block.
    const bool set = archive_write_set_format_pax_restricted(tar) == ARCHIVE_OK &&
                     archive_write_add_filter_gzip(tar) == ARCHIVE_OK &&
                     archive_write_set_options(tar, "hdrcharset=BINARY,!timestamp") == ARCHIVE_OK &&
                     archive_write_set_bytes_in_last_block(tar, 1) == ARCHIVE_OK;
    if (!set || archive_write_open(tar, this, nullptr, Append, nullptr) != ARCHIVE_OK) {
      return Failed();
    }
    return {};
  }

  Status Begin(const Found& found, uint64_t bytes, bool is_executable) {
    archive_entry* const entry = entry_.get();
    archive_entry_clear(entry);
    archive_entry_copy_pathname(entry, found.name.c_str());
    archive_entry_set_filetype(entry, found.is_folder ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry, found.is_folder || is_executable ? 0755 : 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(bytes));
    archive_entry_set_mtime(entry, 0, 0);
    return archive_write_header(tar_.get(), entry) == ARCHIVE_OK ? Status() : Failed();
  }

  Status Content(std::string_view bytes) {
    while (!bytes.empty()) {
      const la_ssize_t count = archive_write_data(tar_.get(), bytes.data(), bytes.size());
      if (count <= 0) return Failed();
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return {};
  }

  Status Close() { return archive_write_close(tar_.get()) == ARCHIVE_OK ? Status() : Failed(); }

 private:
  struct FreeTar {
    void operator()(archive* tar) const { archive_write_free(tar); }
  };
  struct FreeEntry {
    void operator()(archive_entry* entry) const { archive_entry_free(entry); }
  };

  static la_ssize_t Append(archive* tar, void* self, const void* bytes, size_t size) {
    auto& own = *static_cast<Writer*>(self);
    Status written = own.file_.Append({static_cast<const char*>(bytes), size});
    if (written.ok()) return static_cast<la_ssize_t>(size);
    own.trouble_ = std::move(written).error();
    archive_set_error(tar, EIO, "the file cannot be written");
    return -1;
  }

  Error Failed() const {
    if (trouble_) return *trouble_;
    const char* const said = archive_error_string(tar_.get());
    return {ErrorCode::kFailed, said == nullptr ? "libarchive fails and does not say why" : said};
  }

  base::AtomicFile& file_;
  std::optional<Error> trouble_;  // of the file
  std::unique_ptr<archive_entry, FreeEntry> entry_{archive_entry_new()};
  std::unique_ptr<archive, FreeTar> tar_{
      archive_write_new()};  // writes to those above it at its end
};

class Packing {
 public:
  Packing(const Descriptor& folder, Writer& writer, const Limits& limits,
          const std::stop_token& stop)
      : folder_(folder), writer_(writer), limits_(limits), stop_(stop) {}

  Status Add(const Found& found) {
    if (stop_.stop_requested()) return Interrupted();
    return found.is_folder ? writer_.Begin(found, 0, false) : AddFile(found);
  }
  const Contents& contents() const { return contents_; }

 private:
  Status AddFile(const Found& found);
  static Error Interrupted() { return {ErrorCode::kInterrupted, "interrupted"}; }

  const Descriptor& folder_;
  Writer& writer_;
  const Limits limits_;
  const std::stop_token stop_;
  Contents contents_;
  std::string block_ = std::string(size_t{1} << 18, '\0');
};

Status Packing::AddFile(const Found& found) {
  const auto failed = [&found] {
    return base::SystemError(fmt::format("cannot read '{}'", found.source));
  };
  const Descriptor file = OpenBelow(folder_, found.source, O_RDONLY | O_NONBLOCK);
  struct stat info {};
  if (!file.ok() || fstat(file.get(), &info) != 0) return failed();
  const auto bytes = static_cast<uint64_t>(info.st_size);
  // It was looked at before, but may have grown since, or be another one.
  if (!S_ISREG(info.st_mode) || bytes > limits_.most_bytes - contents_.bytes) {
    return base::BadInput(fmt::format("'{}' has become more than may be sent ({})", found.source,
                                      base::FormatBytes(limits_.most_bytes)));
  }
  RECKON_TRY(writer_.Begin(found, bytes, (info.st_mode & S_IXUSR) != 0));
  for (uint64_t left = bytes; left > 0;) {
    if (stop_.stop_requested()) return Interrupted();
    const ssize_t count = read(file.get(), block_.data(), std::min<uint64_t>(left, block_.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed();
    if (count == 0) {
      return Error(ErrorCode::kUnavailable,
                   fmt::format("'{}' became shorter while it was read; try again when nothing "
                               "writes to it",
                               found.source));
    }
    RECKON_TRY(writer_.Content({block_.data(), static_cast<size_t>(count)}));
    left -= static_cast<uint64_t>(count);
  }
  ++contents_.files;
  contents_.bytes += bytes;
  return {};
}

Error CannotOpen(const fs::path& folder) {
  const int code = errno;
  if (code == ENOTDIR) return base::BadInput(fmt::format("'{}' is not a folder", folder.string()));
  if (code != ENOENT) {
    return base::SystemError(fmt::format("cannot read '{}'", folder.string()), code);
  }
  return {ErrorCode::kNotFound, fmt::format("there is no folder '{}'", folder.string())};
}

}  // namespace

Result<Contents> Pack(const fs::path& folder, const fs::path& file, const Limits& limits,
                      const std::stop_token& stop) {
  const Descriptor root(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.ok()) return CannotOpen(folder);
  RECKON_ASSIGN(const std::vector<Found> all, FilesToPack(root, folder, file, limits, stop));
  RECKON_ASSIGN(base::AtomicFile bundle, base::AtomicFile::Create(file));
  Writer writer(bundle);
  Packing packing(root, writer, limits, stop);
  Status packed = writer.Open();
  for (size_t i = 0; packed.ok() && i < all.size(); ++i) packed = packing.Add(all[i]);
  if (packed.ok()) packed = writer.Close();
  if (!packed.ok()) {
    return std::move(packed).error().Wrap(fmt::format("cannot pack '{}'", folder.string()));
  }
  if (packing.contents().files == 0) {
    return base::BadInput(fmt::format("there is no file to pack in '{}'", folder.string()));
  }
  RECKON_TRY(bundle.Commit());
  return packing.contents();
}

}  // namespace reckon::bundle
