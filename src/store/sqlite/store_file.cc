#include "store/sqlite/store_file.h"

#include <array>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "store/sqlite/errors.h"

namespace reckon::store {
namespace {

// https://www.sqlite.org/fileformat2.html#the_database_header
constexpr size_t kHeaderSize = 100;
constexpr size_t kWriteVersionAt = 18;
constexpr char kWriteAheadLog = 2;
constexpr size_t kSchemaCookieAt = 40;
constexpr size_t kApplicationIdAt = 68;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};

using Header = std::array<char, kHeaderSize>;

uint32_t BigEndian(const Header& header, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(header[at + i]);
  return value;
}

bool HasContent(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return !error && size > 0;
}

std::filesystem::path Beside(const std::filesystem::path& path, const char* suffix) {
  std::filesystem::path beside = path;
  beside += suffix;
  return beside;
}

}  // namespace

base::Status CheckStoreFile(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return {};
  if (!std::filesystem::is_regular_file(status)) {
    return base::BadInput(
        fmt::format("'{}' is {}, not a store", path.string(),
                    std::filesystem::is_directory(status) ? "a folder" : "a device or pipe"));
  }
  if (!HasContent(path)) return {};
  Header header{};
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};  // opening it as a store says why
  file.read(header.data(), header.size());
  if (file.gcount() < static_cast<std::streamsize>(kHeaderSize) ||
      std::string_view(header.data(), kMagic.size()) != kMagic) {
    // With a journal it may be a store whose making was cut off: SQLite restores it, Migrate looks.
    if (HasContent(Beside(path, "-journal"))) return {};
    return NotAStore(path);
  }
  const uint32_t application_id = BigEndian(header, kApplicationIdAt);
  if (application_id == kApplicationId) return {};
  // The cookie counts changes of the schema: at zero there never was a table, unless in a log
  // beside the file. Ours get their id before they get a log, so a log says that it is somebody
  // else's.
  const bool blank = application_id == 0 && BigEndian(header, kSchemaCookieAt) == 0 &&
                     header[kWriteVersionAt] != kWriteAheadLog;
  if (!blank) return NotAStore(path);
  return {};
}

}  // namespace reckon::store
