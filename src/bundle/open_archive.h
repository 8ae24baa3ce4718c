// An archive that is being read with libarchive, held so that no archive costs more time or memory
// than the limits allow. libarchive tries what a file might be by unpacking it, and does so again
// with what it finds; here the first bytes decide: a zip, or a tar that is compressed at most once.
#pragma once

#include <array>
#include <clocale>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

#include <archive.h>
#include <archive_entry.h>

#include "base/result.h"
#include "bundle/bundle.h"
#include "bundle/input.h"

namespace reckon::bundle {

// Not thread-safe. Errors are kBadInput, or what the input says.
class OpenArchive {
 public:
  // `input` must stay.
  static base::Result<std::unique_ptr<OpenArchive>> Open(const Input& input, const Limits& limits);
  ~OpenArchive() = default;
  OpenArchive(const OpenArchive&) = delete;
  OpenArchive& operator=(const OpenArchive&) = delete;

  // Null at the end. Valid until the next call.
  base::Result<archive_entry*> Next();

  // Content of the entry: what is between two pieces is zeros.
  struct Piece {
    uint64_t at = 0;
    std::string_view bytes;
    bool is_end = false;  // then `at` is the size of all
  };
  base::Result<Piece> NextPiece();

 private:
  struct FreeReader {
    void operator()(archive* reader) const { archive_read_free(reader); }
  };
  struct FreeLocale {
    void operator()(locale_t locale) const { freelocale(locale); }
  };
  using Reader = std::unique_ptr<archive, FreeReader>;

  OpenArchive(const Input& input, const Limits& limits);
  base::Status OpenZip();
  base::Status OpenTar(int compression);
  base::Error Failed() const;

  // What libarchive calls, with the OpenArchive.
  static la_ssize_t ReadInput(archive* reader, void* self, const void** block);
  static la_int64_t SeekInput(archive* reader, void* self, la_int64_t offset, int whence);
  static la_ssize_t ReadDecompressed(archive* reader, void* self, const void** block);

  const Input& input_;
  const Limits limits_;
  uint64_t position_ = 0;  // in the input
  std::array<char, 1 << 16> buffer_{};
  uint64_t decompressed_ = 0;
  std::optional<base::Error> trouble_;  // why a call of libarchive's failed
  std::unique_ptr<std::remove_pointer_t<locale_t>, FreeLocale> locale_;  // for names
  Reader decompressor_;
  Reader archive_;  // reads from those above it, so it goes first
};

}  // namespace reckon::bundle
