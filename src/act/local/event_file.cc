#include "act/local/event_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_error.h"

namespace reckon::act {
namespace {

base::Error EventFileError(std::string_view what, const std::filesystem::path& path) {
  return base::SystemError(fmt::format("cannot {} {}", what, path.string()));
}

}  // namespace

EventWriter::EventWriter(int descriptor, std::filesystem::path path)
    : descriptor_(descriptor), path_(std::move(path)) {}

EventWriter::EventWriter(EventWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      torn_(other.torn_) {}

EventWriter::~EventWriter() {
  if (descriptor_ >= 0) close(descriptor_);
}

base::Result<EventWriter> EventWriter::Open(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return EventFileError("open", path);
  EventWriter writer(descriptor, path);
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return EventFileError("look at", path);
  char last = '\n';
  if (status.st_size > 0 && pread(descriptor, &last, 1, status.st_size - 1) != 1) {
    return EventFileError("read", path);
  }
  writer.torn_ = last != '\n';
  return writer;
}

base::Status EventWriter::Append(const base::Json& event) {
  return Write(base::DumpJsonLine(event) + "\n");
}

base::Status EventWriter::AppendAll(const std::vector<base::Json>& events) {
  std::string lines;
  for (const base::Json& event : events) lines += base::DumpJsonLine(event) + "\n";
  return lines.empty() ? base::Status() : Write(std::move(lines));
}

base::Status EventWriter::Write(std::string lines) {
  const std::lock_guard lock(mutex_);
  if (torn_) lines.insert(0, "\n");
  ssize_t written = 0;
  do {
    written = write(descriptor_, lines.data(), lines.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(lines.size())) {
    torn_ = false;
    return {};
  }
  if (written > 0) TakeBack(written);
  if (written >= 0) errno = ENOSPC;  // a regular file takes less only when it is full
  return EventFileError("write", path_);
}

void EventWriter::TakeBack(ssize_t written) {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || ftruncate(descriptor_, status.st_size - written) != 0) {
    torn_ = true;
  }
}

base::Status EventReader::Next(const std::function<void(const base::Json&)>& take) {
  std::ifstream file(path_, std::ios::binary | std::ios::ate);
  if (!file) {
    std::error_code ignored;
    if (!std::filesystem::exists(path_, ignored)) return {};
    return EventFileError("open", path_);
  }
  // A report that did not fit on the disk was taken back, and part of it may have been read.
  const auto size = static_cast<uint64_t>(file.tellg());
  if (size < position_) {
    position_ = std::min(size, position_ - rest_.size());
    rest_.clear();
  }
  file.seekg(static_cast<std::streamoff>(position_));
  std::string buffer(size_t{1} << 16, '\0');
  while (file.good()) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto count = static_cast<size_t>(file.gcount());
    position_ += count;
    size_t begin = 0;
    for (size_t end = buffer.find('\n'); end < count; end = buffer.find('\n', begin)) {
      rest_.append(buffer, begin, end - begin);
      begin = end + 1;
      const base::Result<base::Json> event = base::ParseJson(rest_, path_.string());
      rest_.clear();
      if (event.ok() && event->is_object()) take(*event);
    }
    rest_.append(buffer, begin, count - begin);
  }
  if (file.bad()) return EventFileError("read", path_);
  return {};
}

}  // namespace reckon::act
