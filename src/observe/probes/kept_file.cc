#include "observe/probes/kept_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/system_error.h"
#include "base/text.h"

namespace reckon::observe {
namespace {

constexpr size_t kFirstBuffer = 4096;

void SkipBlanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

}  // namespace

base::Result<KeptFile> KeptFile::Open(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return base::SystemError("cannot open " + path.string());
  return KeptFile(path.string(), descriptor);
}

KeptFile::~KeptFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

KeptFile::KeptFile(KeptFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)) {}

KeptFile& KeptFile::operator=(KeptFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

base::Result<std::string_view> KeptFile::Read() {
  if (buffer_.empty()) buffer_.resize(kFirstBuffer);
  size_t size = 0;
  for (;;) {
    // The kernel may give a list in parts: only nothing more is the end.
    const ssize_t count =
        pread(descriptor_, buffer_.data() + size, buffer_.size() - size, static_cast<off_t>(size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return base::SystemError("cannot read " + path_);
    if (count == 0) return std::string_view(buffer_).substr(0, size);
    size += static_cast<size_t>(count);
    if (size == buffer_.size()) buffer_.resize(2 * buffer_.size());
  }
}

base::Result<uint64_t> KeptFile::ReadCount() {
  RECKON_ASSIGN(std::string_view text, Read());
  const std::string_view whole = text;
  const auto count = TakeCount(text);
  if (count && base::Trim(TakeLine(text)).empty()) return *count;
  return Complain(fmt::format("expected a count, found '{}'", whole.substr(0, whole.find('\n'))));
}

base::Error KeptFile::Complain(std::string_view message) const {
  return base::Corrupt(fmt::format("{}: {}", path_, message));
}

std::optional<uint64_t> CountOf(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    if (line.starts_with(':')) line.remove_prefix(1);
    // Otherwise it is a longer key.
    if (line.starts_with(' ') || line.starts_with('\t')) return TakeCount(line);
  }
  return std::nullopt;
}

std::optional<uint64_t> TakeCount(std::string_view& text) {
  SkipBlanks(text);
  uint64_t count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (code != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return count;
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view TakeWord(std::string_view& text) {
  SkipBlanks(text);
  const size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

}  // namespace reckon::observe
