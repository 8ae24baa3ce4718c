// The events of a run as a file of JSON lines: appended by its supervisor, followed by anyone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/json.h"
#include "base/result.h"

namespace reckon::act {

// Appends. Thread-safe.
class EventWriter {
 public:
  // Makes the file if need be; a line that a crash left unfinished is ended, so that the next
  // event stands on a line of its own.
  static base::Result<EventWriter> Open(const std::filesystem::path& path);
  ~EventWriter();
  EventWriter(EventWriter&& other) noexcept;
  EventWriter& operator=(EventWriter&&) = delete;
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // One line. kIo: the disk is full or gone.
  base::Status Append(const base::Json& event);
  // A line each, with one write: all or, with kIo, none of them. Should even taking back what was
  // written of them fail, the last line is ended by the next one.
  base::Status AppendAll(const std::vector<base::Json>& events);

 private:
  EventWriter(int descriptor, std::filesystem::path path);
  base::Status Write(std::string lines);
  // Of the last write, which fell short.
  void TakeBack(ssize_t written);

  std::mutex mutex_;  // guards what follows
  int descriptor_;
  std::filesystem::path path_;
  bool torn_ = false;  // the last line has no end
};

// Follows. Not thread-safe.
class EventReader {
 public:
  explicit EventReader(std::filesystem::path path) : path_(std::move(path)) {}

  // Hands out the events whose lines were finished since the last call, one by one: files of long
  // runs are larger than memory. None while there is no file. Lines that are no JSON objects (a
  // crash tore them) are left out.
  base::Status Next(const std::function<void(const base::Json&)>& take);

 private:
  std::filesystem::path path_;
  uint64_t position_ = 0;  // in bytes, of what was not yet read
  std::string rest_;       // of an unfinished line
};

}  // namespace reckon::act
