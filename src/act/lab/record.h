// What is known of a lab that was made: a file in the folder of records, written before anything
// else is made, and removed last.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "act/place.h"
#include "base/result.h"
#include "core/lab.h"

namespace reckon::act {

struct LabRecord {
  core::Lab lab;
  std::string subnet;         // the first three numbers of its addresses
  std::vector<Place> places;  // in the order of the hosts
  bool finished = false;      // everything was made
};

// kCorrupt when the file is damaged, kNotFound when there is none.
base::Result<LabRecord> ReadRecord(const std::filesystem::path& folder, const std::string& lab);
base::Status WriteRecord(const std::filesystem::path& folder, const LabRecord& record);
base::Status RemoveRecord(const std::filesystem::path& folder, const std::string& lab);
// Names of the labs that have a record, sorted.
std::vector<std::string> RecordedLabs(const std::filesystem::path& folder);

// Only one program at a time makes, changes or removes labs. Held until it is destroyed, and by
// programs that inherited the descriptor until they end.
class LabLock {
 public:
  // Makes the folder. kUnavailable when another one holds it for half a minute, kIo without the
  // right to.
  static base::Result<LabLock> Take(const std::filesystem::path& folder);
  ~LabLock();
  LabLock(LabLock&& other) noexcept;
  LabLock& operator=(LabLock&&) = delete;
  LabLock(const LabLock&) = delete;
  LabLock& operator=(const LabLock&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  explicit LabLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace reckon::act
