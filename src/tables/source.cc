#include "tables/source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace reckon::tables {
namespace {

constexpr size_t kBlockBytes = 1 << 20;

base::Error OsError(std::string_view what, std::string_view name) {
  const int code = errno;
  const auto kind =
      code == ENOENT || code == ENOTDIR ? base::ErrorCode::kNotFound : base::ErrorCode::kIo;
  return base::Error(kind, std::generic_category().message(code))
      .Wrap(fmt::format("{} '{}'", what, name));
}

base::Result<std::string> Spool(int descriptor, std::string_view name) {
  std::string text;
  for (;;) {
    const size_t filled = text.size();
    text.resize(filled + kBlockBytes);
    const ssize_t got = read(descriptor, text.data() + filled, kBlockBytes);
    if (got < 0 && errno != EINTR) return OsError("cannot read", name);
    text.resize(filled + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got == 0) return text;
  }
}

}  // namespace

Source::Source(std::string name, int descriptor, std::string text, uint64_t size)
    : name_(std::move(name)), descriptor_(descriptor), text_(std::move(text)), size_(size) {}

Source::Source(Source&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      text_(std::move(other.text_)),
      size_(std::exchange(other.size_, 0)) {}

Source& Source::operator=(Source&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(text_, other.text_);
  std::swap(size_, other.size_);
  return *this;
}

Source::~Source() {
  if (descriptor_ >= 0) close(descriptor_);
}

base::Result<Source> Source::Open(const std::filesystem::path& path) {
  if (path == "-") {
    RECKON_ASSIGN(std::string text, Spool(STDIN_FILENO, "standard input"));
    return FromText(std::move(text), "standard input");
  }
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return OsError("cannot open", path.string());
  Source source(path.string(), descriptor, "", 0);
  struct stat state {};
  if (fstat(descriptor, &state) != 0) return OsError("cannot open", source.name_);
  if (S_ISDIR(state.st_mode)) {
    return base::BadInput(fmt::format("'{}' is a folder; expected a file", source.name_));
  }
  // Files of /proc call themselves regular and empty, and hold text all the same.
  if (!S_ISREG(state.st_mode) || state.st_size == 0) {
    RECKON_ASSIGN(std::string text, Spool(descriptor, source.name_));
    return FromText(std::move(text), source.name_);
  }
  source.size_ = static_cast<uint64_t>(state.st_size);
  return source;
}

Source Source::FromText(std::string text, std::string name) {
  const uint64_t size = text.size();
  return {std::move(name), -1, std::move(text), size};
}

base::Result<size_t> Source::Read(uint64_t offset, char* into, size_t count) const {
  if (descriptor_ < 0) {
    if (offset >= text_.size()) return size_t{0};
    return text_.copy(into, count, static_cast<size_t>(offset));
  }
  size_t filled = 0;
  while (filled < count) {
    const ssize_t got =
        pread(descriptor_, into + filled, count - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return OsError("cannot read", name_);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  return filled;
}

base::Result<uint64_t> TextStart(const Source& source) {
  std::array<char, 3> head{};
  RECKON_ASSIGN(const size_t got, source.Read(0, head.data(), head.size()));
  const std::string_view start(head.data(), got);
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) return NotText(source, 1);
  return start == "\xEF\xBB\xBF" ? uint64_t{3} : uint64_t{0};
}

base::Result<std::string> ReadText(const Source& source) {
  RECKON_ASSIGN(uint64_t offset, TextStart(source));
  const size_t block = std::clamp<uint64_t>(source.size() + 1, 1, kBlockBytes);
  std::string text;
  for (;;) {
    const size_t filled = text.size();
    text.resize(filled + block);
    RECKON_ASSIGN(const size_t got, source.Read(offset, text.data() + filled, block));
    text.resize(filled + got);
    offset += got;
    if (got < block) break;
  }
  const size_t nul = text.find('\0');
  if (nul != std::string::npos) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(nul);
    return NotText(source, static_cast<uint64_t>(std::count(text.begin(), end, '\n')) + 1);
  }
  return text;
}

base::Error NotText(const Source& source, uint64_t line) {
  return base::BadInput(fmt::format("{}, line {}: looks like binary data or UTF-16, expected text",
                                    source.name(), line));
}

base::Error NotUtf8(const Source& source, uint64_t line, std::string_view what) {
  return base::BadInput(
      fmt::format("{}, line {}: {} is not UTF-8 text; convert the file first, for "
                  "example with 'iconv -f latin1 -t utf-8'",
                  source.name(), line, what));
}

}  // namespace reckon::tables
