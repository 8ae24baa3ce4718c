// What a part has sent of its files so far.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "act/local/event_file.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

// Files of one folder, which grow at their ends. Not thread-safe.
class PartFiles {
 public:
  // What is in the folder, if there is one.
  explicit PartFiles(std::filesystem::path folder);

  // Sizes by name.
  const std::map<std::string, uint64_t>& have() const { return have_; }
  bool HasAll(const std::map<std::string, uint64_t>& files) const;

  // Bytes from an offset on; how many there are then. What is there already, since it was sent
  // before and the answer was lost, is passed over. kBadInput: the offset is beyond what is there;
  // kIo.
  base::Result<uint64_t> Append(const std::string& name, uint64_t from, std::string_view bytes);

  // Hands out the events that have come since the last call.
  base::Status NextEvents(const std::function<void(const base::Json&)>& take);

 private:
  std::filesystem::path folder_;
  act::EventReader events_;
  std::map<std::string, uint64_t> have_;
};

}  // namespace reckon::app
