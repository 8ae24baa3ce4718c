// Archives as no honest tool writes them, byte by byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "base/check.h"

namespace reckon::bundle {

struct TarEntry {
  std::string name;
  std::string content;
  char type = '0';  // as in the header: '1' hard link, '2' symbolic link, '5' folder...
  std::string link;
  unsigned mode = 0644;
  // Of a sparse file (type 'S'): where its content lies, and its whole size.
  uint64_t sparse_at = 0;
  uint64_t sparse_size = 0;
};

inline void PutOctal(std::string& header, size_t at, size_t digits, uint64_t value) {
  header.replace(at, digits, fmt::format("{:0{}o}", value, digits));
}

inline void PutChecksum(std::string& header) {
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
}

// Header and content; names are cut at 100 bytes.
inline std::string TarBytes(const TarEntry& entry) {
  std::string header(512, '\0');
  header.replace(0, std::min<size_t>(entry.name.size(), 100), entry.name.substr(0, 100));
  PutOctal(header, 100, 7, entry.mode);
  PutOctal(header, 108, 7, 0);
  PutOctal(header, 116, 7, 0);
  PutOctal(header, 124, 11, entry.content.size());
  PutOctal(header, 136, 11, 0);
  header[156] = entry.type;
  header.replace(157, entry.link.size(), entry.link);
  if (entry.type == 'S') {
    header.replace(257, 7, "ustar  ");
    PutOctal(header, 386, 11, entry.sparse_at);
    PutOctal(header, 398, 11, std::min<uint64_t>(entry.content.size(), 512));
    PutOctal(header, 483, 11, entry.sparse_size);
  } else {
    header.replace(257, 8, std::string_view("ustar\00000", 8));
  }
  PutChecksum(header);
  const size_t padding = (512 - entry.content.size() % 512) % 512;
  return header + entry.content + std::string(padding, '\0');
}

// A name that does not fit into a header, as GNU tar writes it.
inline std::string LongName(const std::string& name) {
  return TarBytes({"././@LongLink", name + '\0', 'L'});
}

inline std::string Tar(const std::vector<TarEntry>& entries) {
  std::string bytes;
  for (const TarEntry& entry : entries) bytes += TarBytes(entry);
  return bytes + std::string(1024, '\0');
}

// By one of libarchive's filters: ARCHIVE_FILTER_GZIP...
inline std::string Compressed(const std::string& bytes, int filter = ARCHIVE_FILTER_GZIP) {
  archive* const raw = archive_write_new();
  archive_write_add_filter(raw, filter);
  archive_write_set_format_raw(raw);
  archive_write_set_bytes_in_last_block(raw, 1);
  std::string result(bytes.size() + 4096, '\0');
  size_t used = 0;
  RECKON_CHECK(archive_write_open_memory(raw, result.data(), result.size(), &used) == ARCHIVE_OK);
  archive_entry* const entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  RECKON_CHECK(archive_write_header(raw, entry) == ARCHIVE_OK);
  archive_entry_free(entry);
  RECKON_CHECK(archive_write_data(raw, bytes.data(), bytes.size()) ==
               static_cast<la_ssize_t>(bytes.size()));
  RECKON_CHECK(archive_write_close(raw) == ARCHIVE_OK);
  archive_write_free(raw);
  return result.substr(0, used);
}

struct ZipEntry {
  std::string name;
  std::string content;  // of a symbolic link, where it leads
  unsigned mode = 0100644;
  uint16_t flags = 1 << 11;  // the name is UTF-8; 1: encrypted
};

inline std::string Little(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

inline uint32_t Crc32(std::string_view bytes) {
  uint32_t crc = 0xffffffffU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0);
  }
  return ~crc;
}

// Stored, not compressed.
inline std::string Zip(const std::vector<ZipEntry>& entries) {
  std::string files;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const std::string common = Little(20, 2) + Little(entry.flags, 2) + Little(0, 2) +
                               Little(0, 4) + Little(Crc32(entry.content), 4) +
                               Little(entry.content.size(), 4) + Little(entry.content.size(), 4) +
                               Little(entry.name.size(), 2) + Little(0, 2);
    directory += "PK\x01\x02" + Little(0x0314, 2) + common + Little(0, 6) +
                 Little(uint64_t{entry.mode} << 16U, 4) + Little(files.size(), 4) + entry.name;
    files += "PK\x03\x04" + common + entry.name + entry.content;
  }
  return files + directory + "PK\x05\x06" + Little(0, 4) + Little(entries.size(), 2) +
         Little(entries.size(), 2) + Little(directory.size(), 4) + Little(files.size(), 4) +
         Little(0, 2);
}

}  // namespace reckon::bundle
