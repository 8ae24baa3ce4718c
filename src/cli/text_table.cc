#include "cli/text_table.h"

#include <algorithm>

#include "base/check.h"

namespace reckon::cli {
namespace {

size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// A cell stays on its line whatever it holds.
std::string OneLine(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\r') {
      shown += "\\r";
    } else if (c == '\t') {
      shown += "\\t";
    } else {
      shown += static_cast<unsigned char>(c) < ' ' || c == 0x7F ? '?' : c;
    }
  }
  return shown;
}

}  // namespace

void TextTable::AddColumn(std::string heading, Align align) {
  headings_.push_back(OneLine(heading));
  aligns_.push_back(align);
}

void TextTable::AddRow(std::vector<std::string> cells) {
  RECKON_CHECK(cells.size() == headings_.size());
  for (std::string& cell : cells) cell = OneLine(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::Render() const {
  std::vector<size_t> widths;
  for (const std::string& heading : headings_) widths.push_back(Width(heading));
  for (const auto& row : rows_) {
    for (size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], Width(row[j]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = " ";
    for (size_t j = 0; j < cells.size(); ++j) {
      const std::string padding(widths[j] - Width(cells[j]), ' ');
      text += ' ';
      text += aligns_[j] == Align::kLeft ? cells[j] + padding : padding + cells[j];
      if (j + 1 < cells.size()) text += ' ';
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = line(headings_);
  std::vector<std::string> rule;
  for (const size_t width : widths) rule.emplace_back(width, '-');
  text += line(rule);
  for (const auto& row : rows_) text += line(row);
  return text;
}

}  // namespace reckon::cli
