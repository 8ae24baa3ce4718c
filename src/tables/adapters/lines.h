// Lines of a small text, for formats that are read whole.
#pragma once

#include <cstddef>
#include <string_view>

namespace reckon::tables {

// Splits at LF, CRLF and CR. The text must outlive it. Not thread-safe.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // Moves to the next line; false at the end.
  bool Next() {
    if (rest_.empty()) return false;
    const size_t end = rest_.find_first_of("\r\n");
    line_ = rest_.substr(0, end);
    ++number_;
    if (end == std::string_view::npos) {
      rest_ = {};
    } else {
      rest_.remove_prefix(end + (rest_.substr(end).starts_with("\r\n") ? 2 : 1));
    }
    return true;
  }

  // Without its end.
  std::string_view line() const { return line_; }
  // Counted from 1.
  size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::string_view line_;
  size_t number_ = 0;
};

}  // namespace reckon::tables
