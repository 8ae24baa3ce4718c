#include "tables/csv_scanner.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "tables/digits.h"
#include "tables/marks.h"

namespace reckon::tables {
namespace {

constexpr size_t kHeadBytes = 1 << 16;
constexpr uint64_t kSmallestBlock = 1 << 12;

static_assert(Marks::kPadding >= kCellPadding);

}  // namespace

char DetectDelimiter(std::string_view head) {
  bool comma = false;
  bool semicolon = false;
  bool tab = false;
  bool quoted = false;
  bool cell_start = true;
  bool blank = true;
  for (const char c : head) {
    if (quoted) {
      // "" closes and opens again, which comes to the same here.
      quoted = c != '"';
      cell_start = !quoted;
      continue;
    }
    if (c == '\n' || c == '\r') {
      if (!blank) break;
      tab = false;
      cell_start = true;
      continue;
    }
    comma = comma || c == ',';
    semicolon = semicolon || c == ';';
    tab = tab || c == '\t';
    blank = blank && (c == ' ' || c == '\t');
    quoted = c == '"' && cell_start;
    cell_start = c == ',' || c == ';' || c == '\t';
  }
  if (comma) return ',';
  if (tab) return '\t';
  return semicolon ? ';' : ',';
}

base::Result<CsvScanner> CsvScanner::Open(const Source& source, const Options& options) {
  RECKON_ASSIGN(const uint64_t start, TextStart(source));
  Options decided = options;
  if (decided.delimiter == 0) {
    std::string head(std::min<uint64_t>(kHeadBytes, source.size()), '\0');
    RECKON_ASSIGN(const size_t got, source.Read(start, head.data(), head.size()));
    decided.delimiter = DetectDelimiter(std::string_view(head).substr(0, got));
  }
  const char c = decided.delimiter;
  if (c == '"' || c == '\n' || c == '\r') {
    return base::BadInput("the delimiter cannot be a quote or a line end");
  }
  return CsvScanner(source, decided, start);
}

CsvScanner::CsvScanner(const Source& source, const Options& options, uint64_t start)
    : source_(&source),
      delimiter_(options.delimiter),
      max_record_bytes_(options.max_record_bytes),
      // Most tables are small, and so is what they need.
      capacity_(std::clamp<uint64_t>(options.buffer_bytes, 1,
                                     std::max(source.size() + 1, kSmallestBlock))),
      buffer_(std::make_unique_for_overwrite<char[]>(capacity_ + Marks::kPadding)),
      offset_(start) {
  std::memset(buffer_.get(), 0, Marks::kPadding);
}

base::Result<bool> CsvScanner::Next() {
  for (;;) {
    switch (Scan()) {
      case Outcome::kRecord:
        return true;
      case Outcome::kBlank:
        break;
      case Outcome::kMore:
        RECKON_TRY(Refill());
        break;
      case Outcome::kEnd:
        return false;
      case Outcome::kError:
        return *std::move(error_);
    }
  }
}

CsvScanner::Outcome CsvScanner::Scan() {
  fields_.clear();
  escaped_.clear();
  inner_lines_ = 0;
  const char* const start = buffer_.get() + cursor_;
  const char* const end = buffer_.get() + filled_;
  if (start == end) return at_end_ ? Outcome::kEnd : Outcome::kMore;
  line_ = next_line_;
  Marks marks(start, delimiter_);
  const char* field = start;
  const char* mark = nullptr;
  for (;;) {
    if (*field == '"') [[unlikely]] {
      Outcome outcome = Outcome::kRecord;
      // A copy, because what another function may change cannot stay in registers.
      Marks quoted_marks = marks;
      mark = ScanQuoted(field, quoted_marks, outcome);
      marks = quoted_marks;
      if (outcome != Outcome::kRecord) return outcome;
    } else {
      do mark = marks.Next();
      while (*mark == '"');
      fields_.emplace_back(field, static_cast<size_t>(mark - field));
    }
    if (*mark != delimiter_) break;
    field = mark + 1;
  }
  size_t skipped = 1;
  if (*mark == '\0') {
    if (mark != end) return Fail(NotText(*source_, line_ + inner_lines_));
    if (!at_end_) return Outcome::kMore;
    skipped = 0;
  } else if (*mark == '\r') {
    // The LF that belongs to this CR may not be here yet.
    if (mark + 1 == end && !at_end_) return Outcome::kMore;
    skipped = mark[1] == '\n' ? 2 : 1;
  }
  cursor_ = static_cast<size_t>(mark - buffer_.get()) + skipped;
  next_line_ = line_ + inner_lines_ + 1;
  // A quoted cell is never blank: "" is how a table of one column says "missing".
  if (fields_.size() == 1 && *start != '"' && IsBlank()) return Outcome::kBlank;
  if (!escaped_.empty()) Unescape();
  return Outcome::kRecord;
}

// Scans the cell that opens at `field` and returns the mark behind its closing quote. Sets
// `outcome` when it cannot.
const char* CsvScanner::ScanQuoted(const char* field, Marks& marks, Outcome& outcome) {
  const char* const end = buffer_.get() + filled_;
  const uint64_t opened = line_ + inner_lines_;
  bool escaped = false;
  marks.Next();
  for (;;) {
    const char* mark = marks.Next();
    if (*mark == '"') {
      if (mark[1] == '"') {
        escaped = true;
        marks.Next();
        continue;
      }
      if (escaped) escaped_.push_back(fields_.size());
      fields_.emplace_back(field + 1, static_cast<size_t>(mark - field - 1));
      const char* next = mark + 1;
      // Where the buffer ends the caller asks for more and comes back.
      if (next == end || *next == delimiter_ || *next == '\n' || *next == '\r') {
        return marks.Next();
      }
      outcome =
          Fail(base::BadInput(fmt::format("{}, line {}: text behind the closing quote of cell {}",
                                          source_->name(), line_ + inner_lines_, fields_.size())));
      return nullptr;
    }
    if (*mark == '\n' || (*mark == '\r' && mark[1] != '\n')) ++inner_lines_;
    if (*mark != '\0') continue;
    if (mark != end) {
      outcome = Fail(NotText(*source_, line_ + inner_lines_));
      return nullptr;
    }
    if (!at_end_) break;
    outcome = Fail(base::BadInput(fmt::format(
        "{}, line {}: the quote that opens here is never closed", source_->name(), opened)));
    return nullptr;
  }
  open_quote_line_ = opened;
  outcome = Outcome::kMore;
  return nullptr;
}

CsvScanner::Outcome CsvScanner::Fail(base::Error error) {
  error_ = std::move(error);
  return Outcome::kError;
}

bool CsvScanner::IsBlank() const { return base::Trim(fields_.front()).empty(); }

// Only for a record that is complete: a scan that must start again needs the text as it was.
void CsvScanner::Unescape() {
  for (const size_t index : escaped_) {
    const std::string_view field = fields_[index];
    char* const begin = buffer_.get() + (field.data() - buffer_.get());
    char* out = begin;
    for (size_t i = 0; i < field.size(); ++i) {
      if (field[i] == '"') ++i;
      *out++ = field[i];
    }
    fields_[index] = {begin, static_cast<size_t>(out - begin)};
  }
}

// Reads on behind the record that starts at the cursor. Leaves half of the buffer to new text, so
// that scanning a long record again and again costs no more than twice its length.
base::Status CsvScanner::Refill() {
  const size_t kept = filled_ - cursor_;
  if (kept > max_record_bytes_) {
    std::string message = fmt::format("{}, line {}: this row is longer than {} MiB",
                                      source_->name(), line_, max_record_bytes_ >> 20);
    if (open_quote_line_ > 0) {
      message += fmt::format("; perhaps the quote that opens in line {} is never closed",
                             open_quote_line_);
    }
    return base::BadInput(std::move(message));
  }
  open_quote_line_ = 0;
  if (kept > capacity_ / 2) {
    const size_t capacity = capacity_ * 2;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity + Marks::kPadding);
    std::memcpy(larger.get(), buffer_.get() + cursor_, kept);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  } else {
    std::memmove(buffer_.get(), buffer_.get() + cursor_, kept);
  }
  RECKON_ASSIGN(const size_t got, source_->Read(offset_, buffer_.get() + kept, capacity_ - kept));
  at_end_ = got < capacity_ - kept;
  offset_ += got;
  cursor_ = 0;
  filled_ = kept + got;
  std::memset(buffer_.get() + filled_, 0, Marks::kPadding);
  return {};
}

}  // namespace reckon::tables
