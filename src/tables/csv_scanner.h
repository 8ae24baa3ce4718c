// Records of delimited text (RFC 4180), streamed from a Source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tables/source.h"

namespace reckon::tables {

class Marks;

// The delimiter that a header line suggests: a tab if it has tabs and no commas, else a semicolon
// if it has semicolons and no commas, else a comma; what stands in quotes does not count. `head` is
// the text from its start, at least its first line that is not blank.
char DetectDelimiter(std::string_view head);

// Lines end with LF, CRLF or CR, the last one perhaps with nothing. A cell that starts with a quote
// ends at the closing one ("" is a quote) and may hold delimiters and line ends; a quote elsewhere
// is an ordinary character. Lines with nothing but blanks are skipped, and so is a UTF-8 byte order
// mark. Not thread-safe; the Source must outlive it.
class CsvScanner {
 public:
  struct Options {
    char delimiter = 0;             // 0: DetectDelimiter
    size_t buffer_bytes = 1 << 20;  // to begin with; grows with the longest record
    size_t max_record_bytes = 64 << 20;
  };

  // Bad input when the source is UTF-16 or the delimiter is a quote or a line end.
  static base::Result<CsvScanner> Open(const Source& source, const Options& options);

  // Moves to the next record: false at the end. Bad input, with the line: a quote that is never
  // closed, text behind a closing quote, a NUL byte, a record beyond max_record_bytes. After an
  // error or the end, do not call it again.
  base::Result<bool> Next();

  // Cells of the record, without their quotes; valid until the next call of Next. Padded as
  // digits.h wants it.
  std::span<const std::string_view> fields() const { return fields_; }
  // Where the record starts, counted from 1 over the lines of the file.
  uint64_t line() const { return line_; }
  char delimiter() const { return delimiter_; }
  // Bytes of the source behind us, for progress.
  uint64_t consumed() const { return offset_ - (filled_ - cursor_); }

 private:
  enum class Outcome { kRecord, kBlank, kMore, kEnd, kError };

  CsvScanner(const Source& source, const Options& options, uint64_t start);
  Outcome Scan();
  const char* ScanQuoted(const char* field, Marks& marks, Outcome& outcome);
  Outcome Fail(base::Error error);
  bool IsBlank() const;
  void Unescape();
  base::Status Refill();

  const Source* source_;
  char delimiter_;
  size_t max_record_bytes_;
  size_t capacity_;
  std::unique_ptr<char[]> buffer_;  // capacity_ bytes and the padding of Marks
  size_t cursor_ = 0;               // start of the next record in buffer_
  size_t filled_ = 0;               // end of what was read into buffer_
  uint64_t offset_;                 // of the source, at filled_
  bool at_end_ = false;             // the source has nothing behind filled_
  uint64_t line_ = 0;
  uint64_t next_line_ = 1;
  uint64_t inner_lines_ = 0;      // line ends inside the cells of the record being scanned
  uint64_t open_quote_line_ = 0;  // 0: the scan stopped outside quotes
  std::vector<std::string_view> fields_;
  std::vector<size_t> escaped_;  // fields that hold "" and wait for Unescape
  std::optional<base::Error> error_;
};

}  // namespace reckon::tables
