// What a published model was asked lately: images, what it said, and what people say was right. So
// one knows how good it is on what it meets now, and has images to update it with.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

// Two digits a byte; nullopt: it is something else.
std::string HexOf(std::string_view bytes);
std::optional<std::string> BytesOfHex(std::string_view text);

struct RecentInput {
  int64_t id = 0;
  int64_t version = 0;  // that answered
  int64_t predicted = 0;
  std::string pixels;
  std::optional<int64_t> label;  // what it is, as somebody has said
};

// How many answers somebody has judged, and how many of them were right.
struct Judged {
  int64_t count = 0;
  int64_t right = 0;

  std::optional<double> Accuracy() const {
    if (count == 0) return std::nullopt;
    return static_cast<double>(right) / static_cast<double>(count);
  }
};

// The newest thousand, in a file that outlives the program. Not thread-safe.
class RecentInputs {
 public:
  static constexpr size_t kMost = 1000;

  // kIo; kCorrupt: a line is none of ours. The end of a file that was being written is left out.
  static base::Result<RecentInputs> Open(std::filesystem::path file);

  // One more; its id.
  base::Result<int64_t> Add(int64_t version, int64_t predicted, std::string pixels);
  // kNotFound: it is none of the newest.
  base::Status Label(int64_t id, int64_t label);
  // Of a version's answers.
  Judged JudgedOf(int64_t version) const;
  // Those with a label and an id above `after`, oldest first.
  std::vector<RecentInput> Labelled(int64_t after, size_t most) const;

 private:
  explicit RecentInputs(std::filesystem::path file) : file_(std::move(file)) {}
  base::Status Read();
  base::Status Take(const base::Json& line);
  void Keep(RecentInput input);
  RecentInput* Find(int64_t id);
  base::Status Append(const base::Json& line);
  base::Status Rewrite();

  std::filesystem::path file_;
  std::deque<RecentInput> inputs_;  // by id
  int64_t next_id_ = 1;
  size_t lines_ = 0;
};

}  // namespace reckon::app
