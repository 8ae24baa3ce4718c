#include "store/sqlite/store_file.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

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

enum class HeaderRead { kWhole, kTooShort, kNotOpened };

// Through SQLite's own files: with a descriptor of ours, closing it would take the locks away that
// other connections of this process hold on the file.
HeaderRead ReadHeader(const std::filesystem::path& path, Header& header) {
  sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
  const std::string absolute = std::filesystem::absolute(path).string();
  // SQLite keeps a pointer to the name while the file is open, and wants parameters behind it.
  const std::unique_ptr<char, decltype(&sqlite3_free_filename)> name(
      const_cast<char*>(sqlite3_create_filename(absolute.c_str(), "", "", 0, nullptr)),
      &sqlite3_free_filename);
  std::vector<std::byte> storage(static_cast<size_t>(system->szOsFile));
  auto* const file = reinterpret_cast<sqlite3_file*>(storage.data());
  const int opened =
      system->xOpen(system, name.get(), file, SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READONLY, nullptr);
  if (opened != SQLITE_OK) {
    if (file->pMethods != nullptr) file->pMethods->xClose(file);
    return HeaderRead::kNotOpened;
  }
  const int read = file->pMethods->xRead(file, header.data(), kHeaderSize, 0);
  file->pMethods->xClose(file);
  return read == SQLITE_OK ? HeaderRead::kWhole : HeaderRead::kTooShort;
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
  const HeaderRead read = ReadHeader(path, header);
  if (read == HeaderRead::kNotOpened) return {};  // opening it as a store says why
  if (read == HeaderRead::kTooShort || std::string_view(header.data(), kMagic.size()) != kMagic) {
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
