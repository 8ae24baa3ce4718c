// Tables for people: aligned columns, numbers to the right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reckon::cli {

// Widths count characters, not bytes (UTF-8). Line ends and tabs in cells are shown as \n, \r, \t.
class TextTable {
 public:
  enum class Align { kLeft, kRight };

  void AddColumn(std::string heading, Align align);
  // As many cells as columns.
  void AddRow(std::vector<std::string> cells);
  // Heading, a rule, the rows; each line indented by two blanks.
  std::string Render() const;
  size_t column_count() const { return headings_.size(); }

 private:
  std::vector<std::string> headings_;
  std::vector<Align> aligns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace reckon::cli
