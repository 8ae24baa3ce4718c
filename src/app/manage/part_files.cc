#include "app/manage/part_files.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace reckon::app {

namespace fs = std::filesystem;

PartFiles::PartFiles(fs::path folder)
    : folder_(std::move(folder)), events_(folder_ / "events.jsonl") {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    have_[entry.path().filename().string()] = entry.file_size(error);
  }
}

bool PartFiles::HasAll(const std::map<std::string, uint64_t>& files) const {
  return std::all_of(files.begin(), files.end(), [&](const auto& file) {
    const auto found = have_.find(file.first);
    return (found == have_.end() ? 0 : found->second) >= file.second;
  });
}

base::Result<uint64_t> PartFiles::Append(const std::string& name, uint64_t from,
                                         std::string_view bytes) {
  uint64_t& have = have_[name];
  if (from > have) {
    return base::BadInput(fmt::format("{} is known up to byte {}, not {}", name, have, from));
  }
  const std::string_view rest = bytes.substr(std::min<uint64_t>(have - from, bytes.size()));
  if (rest.empty()) return have;
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path path = folder_ / name;
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out.write(rest.data(), static_cast<std::streamsize>(rest.size()));
  out.flush();
  if (!out) {
    // What was written of it stays, and is passed over when it comes again.
    const auto size = fs::file_size(path, error);
    if (!error) have = size;
    return base::Error(base::ErrorCode::kIo, fmt::format("cannot write {}", path.string()));
  }
  have += rest.size();
  return have;
}

base::Status PartFiles::NextEvents(const std::function<void(const base::Json&)>& take) {
  return events_.Next(take);
}

}  // namespace reckon::app
