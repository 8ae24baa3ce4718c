#include "bundle/open_archive.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "bundle/entry_name.h"

namespace reckon::bundle {
namespace {

using base::BadInput;
using base::Error;
using base::Result;
using base::Status;

// What a tar may have beside the content of its files, on average: a header and a padding are 1
// KiB, long names and extended attributes a few more.
constexpr uint64_t kBesideAFile = 16 << 10;
constexpr uint64_t kBesideAll = 64;  // times that

bool IsZip(std::string_view head) {
  return head.starts_with("PK\x03\x04");  // an empty one begins otherwise, and is of no use
}

int CompressionOf(std::string_view head) {
  if (head.starts_with("\x1f\x8b\x08")) return ARCHIVE_FILTER_GZIP;
  if (head.starts_with("\xfd\x37zXZ")) return ARCHIVE_FILTER_XZ;
  if (head.starts_with("\x28\xb5\x2f\xfd")) return ARCHIVE_FILTER_ZSTD;
  // The first file of a tar could be called BZh.
  if (head.starts_with("BZh") && head.find("1AY&SY") == 4) return ARCHIVE_FILTER_BZIP2;
  return ARCHIVE_FILTER_NONE;
}

// libarchive reads the whole directory of a zip into memory, whatever its end says of its size.
// Each entry of that directory has the mark; a zip that lies in this one, stored, has more of them.
Status CheckZipDirectory(const Input& input, const Limits& limits) {
  constexpr std::string_view kMark = "PK\x01\x02";
  constexpr uint64_t kMarksAFile = 8;
  std::string block(1 << 20, '\0');
  size_t kept = 0;  // from the last block, where a mark may have begun
  uint64_t marks = 0;
  for (uint64_t at = 0; at < input.size();) {
    RECKON_ASSIGN(const size_t count, input.ReadAt(at, std::span(block).subspan(kept)));
    if (count == 0) break;
    at += count;
    const std::string_view text = std::string_view(block).substr(0, kept + count);
    size_t mark = text.find(kMark);
    for (; mark != std::string_view::npos; mark = text.find(kMark, mark + 1)) ++marks;
    if (marks / kMarksAFile > limits.most_files) {
      return BadInput(fmt::format("{} has more than {} files and folders, which is the limit",
                                  input.name(), limits.most_files));
    }
    kept = std::min(text.size(), kMark.size() - 1);
    std::memmove(block.data(), text.data() + text.size() - kept, kept);
  }
  return {};
}

class LocaleOfThread {
 public:
  explicit LocaleOfThread(locale_t locale) : before_(uselocale(locale)) {}
  ~LocaleOfThread() { uselocale(before_); }
  LocaleOfThread(const LocaleOfThread&) = delete;
  LocaleOfThread& operator=(const LocaleOfThread&) = delete;

 private:
  locale_t before_;
};

std::string SaidBy(archive* reader) {
  const char* const said = archive_error_string(reader);
  return said == nullptr ? "it ends too early" : ShownName(said);
}

}  // namespace

OpenArchive::OpenArchive(const Input& input, const Limits& limits)
    : input_(input), limits_(limits) {}

Result<std::unique_ptr<OpenArchive>> OpenArchive::Open(const Input& input, const Limits& limits) {
  std::unique_ptr<OpenArchive> opened(new OpenArchive(input, limits));
  std::array<char, 16> start{};
  RECKON_ASSIGN(const size_t count, input.ReadAt(0, start));
  const std::string_view head(start.data(), count);
  opened->archive_.reset(archive_read_new());
  RECKON_CHECK(opened->archive_ != nullptr);
  RECKON_TRY(IsZip(head) ? opened->OpenZip() : opened->OpenTar(CompressionOf(head)));
  return opened;
}

Status OpenArchive::OpenZip() {
  RECKON_TRY(CheckZipDirectory(input_, limits_));
  // Names of zips that are UTF-8 have no other way to us; libarchive composes their letters (NFC).
  locale_.reset(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr));
  archive* const zip = archive_.get();
  // Not as a stream: modes and links are in the directory only, and that is what others go by, too.
  archive_read_support_format_zip_seekable(zip);
  archive_read_set_seek_callback(zip, SeekInput);
  if (archive_read_open(zip, this, nullptr, ReadInput, nullptr) == ARCHIVE_OK) return {};
  if (trouble_) return *trouble_;
  return BadInput(fmt::format("{} is a zip whose end is missing", input_.name()));
}

Status OpenArchive::OpenTar(int compression) {
  // Where no name can be converted, they come as the bytes that they are.
  locale_.reset(newlocale(LC_CTYPE_MASK, "C", nullptr));
  archive* const tar = archive_.get();
  archive_read_support_format_tar(tar);
  if (compression != ARCHIVE_FILTER_NONE) {
    decompressor_.reset(archive_read_new());
    RECKON_CHECK(decompressor_ != nullptr);
    archive* const raw = decompressor_.get();
    archive_read_support_format_raw(raw);
    // Anything but OK: libarchive was built without it and would start a program.
    if (archive_read_append_filter(raw, compression) != ARCHIVE_OK) {
      return BadInput(fmt::format("{} is compressed in a way that cannot be read here; use gzip",
                                  input_.name()));
    }
    archive_entry* whole = nullptr;
    if (archive_read_open(raw, this, nullptr, ReadInput, nullptr) != ARCHIVE_OK ||
        archive_read_next_header(raw, &whole) != ARCHIVE_OK) {
      if (trouble_) return *trouble_;
      return BadInput(fmt::format("{} is damaged, or has nothing in it", input_.name()));
    }
  }
  const auto read = compression == ARCHIVE_FILTER_NONE ? ReadInput : ReadDecompressed;
  if (archive_read_open(tar, this, nullptr, read, nullptr) != ARCHIVE_OK) return Failed();
  return {};
}

Error OpenArchive::Failed() const {
  archive* const reader = archive_.get();
  if (trouble_) return *trouble_;
  if (archive_format(reader) == 0) {
    return BadInput(fmt::format("{} is not a tar, tar.gz or zip archive", input_.name()));
  }
  return BadInput(fmt::format("{} is damaged: {}", input_.name(), SaidBy(reader)));
}

Result<archive_entry*> OpenArchive::Next() {
  const LocaleOfThread locale(locale_.get());
  archive_entry* entry = nullptr;
  const int result = archive_read_next_header(archive_.get(), &entry);
  if (result == ARCHIVE_EOF) return nullptr;
  // Warnings are of what we do not use (times, owners), or of names, which are looked at.
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return Failed();
  return entry;
}

Result<OpenArchive::Piece> OpenArchive::NextPiece() {
  const void* block = nullptr;
  size_t size = 0;
  la_int64_t at = 0;
  const int result = archive_read_data_block(archive_.get(), &block, &size, &at);
  // Warnings are of checksums and sizes that are not the promised ones.
  if (result != ARCHIVE_OK && result != ARCHIVE_EOF) return Failed();
  if (at < 0) return BadInput(fmt::format("{} is damaged: a size below 0", input_.name()));
  Piece piece;
  piece.at = static_cast<uint64_t>(at);
  piece.is_end = result == ARCHIVE_EOF;
  if (!piece.is_end) piece.bytes = {static_cast<const char*>(block), size};
  return piece;
}

la_ssize_t OpenArchive::ReadInput(archive* reader, void* self, const void** block) {
  auto& own = *static_cast<OpenArchive*>(self);
  const Result<size_t> count = own.input_.ReadAt(own.position_, own.buffer_);
  if (!count.ok()) {
    own.trouble_ = count.error();
    archive_set_error(reader, EIO, "the input cannot be read");
    return -1;
  }
  own.position_ += *count;
  *block = own.buffer_.data();
  return static_cast<la_ssize_t>(*count);
}

la_int64_t OpenArchive::SeekInput(archive* /*reader*/, void* self, la_int64_t offset, int whence) {
  auto& own = *static_cast<OpenArchive*>(self);
  const auto size = static_cast<la_int64_t>(own.input_.size());
  la_int64_t from = 0;
  if (whence == SEEK_CUR) from = static_cast<la_int64_t>(own.position_);
  if (whence == SEEK_END) from = size;
  if (offset < -from || offset > size - from) return ARCHIVE_FATAL;
  own.position_ = static_cast<uint64_t>(from + offset);
  return from + offset;
}

la_ssize_t OpenArchive::ReadDecompressed(archive* reader, void* self, const void** block) {
  auto& own = *static_cast<OpenArchive*>(self);
  size_t size = 0;
  la_int64_t at = 0;
  int result = ARCHIVE_OK;
  while (result == ARCHIVE_OK && size == 0) {
    result = archive_read_data_block(own.decompressor_.get(), block, &size, &at);
  }
  if (result == ARCHIVE_EOF) return 0;
  own.decompressed_ += size;
  const uint64_t most = own.limits_.most_bytes;
  if (result != ARCHIVE_OK) {
    if (!own.trouble_) {
      own.trouble_ = BadInput(
          fmt::format("{} is damaged: {}", own.input_.name(), SaidBy(own.decompressor_.get())));
    }
  } else if (own.decompressed_ > most &&
             (own.decompressed_ - most) / kBesideAFile > own.limits_.most_files + kBesideAll) {
    // What is skipped costs time, too: libarchive does so without asking us.
    own.trouble_ =
        BadInput(fmt::format("{} has too much in it that belongs to no file", own.input_.name()));
  } else {
    return static_cast<la_ssize_t>(size);
  }
  archive_set_error(reader, EIO, "the input ends here");
  return -1;
}

}  // namespace reckon::bundle
