#include "app/report/markdown_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::app {
namespace {

// What would be markup. Underscores inside words are none.
std::string Escape(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*|<[";
  std::string escaped;
  for (const char c : text) {
    if (kMarkup.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string Line(const std::vector<std::string>& cells) {
  return "| " + base::Join(cells, " | ") + " |\n";
}

}  // namespace

MarkdownPage::MarkdownPage(std::string_view title, std::string_view subtitle) {
  body_ = fmt::format("# {}\n", Escape(title));
  if (!subtitle.empty()) Block(Escape(subtitle));
}

void MarkdownPage::Block(std::string_view text) { body_ += fmt::format("\n{}\n", text); }

void MarkdownPage::Section(std::string_view /*id*/, std::string_view heading) {
  Block("## " + Escape(heading));
}
void MarkdownPage::Heading(std::string_view text) { Block("### " + Escape(text)); }
void MarkdownPage::Paragraph(std::string_view text) { Block(Escape(text)); }
void MarkdownPage::Note(std::string_view text) { Block(Escape(text)); }
void MarkdownPage::Code(std::string_view text) {
  Block(fmt::format("```\n{}{}```", text, text.ends_with('\n') ? "" : "\n"));
}

void MarkdownPage::List(const std::vector<std::string>& items) {
  if (!items.empty()) body_ += "\n";
  for (const std::string& item : items) body_ += fmt::format("- {}\n", Escape(item));
}

void MarkdownPage::Table(const PageTable& table) {
  if (!table.caption.empty()) Block("**" + Escape(table.caption) + "**");
  std::vector<std::string> head;
  std::vector<std::string> rule;
  for (const PageColumn& column : table.columns) {
    head.push_back(Escape(column.name));
    rule.emplace_back(column.number ? "---:" : "---");
  }
  body_ += "\n" + Line(head) + Line(rule);
  for (const PageTable::Row& row : table.rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row.cells) {
      const std::string text = Escape(cell);
      cells.push_back(row.quoted && !text.empty() ? "*" + text + "*" : text);
    }
    cells.resize(std::max(cells.size(), table.columns.size()));
    body_ += Line(cells);
  }
}

void MarkdownPage::Figures(const std::vector<PageFigure>& figures) {
  std::vector<std::string> titles;
  for (const PageFigure& figure : figures) {
    const std::string title = Escape(figure.title);
    if (std::find(titles.begin(), titles.end(), title) == titles.end()) titles.push_back(title);
  }
  if (!titles.empty()) Block("Figures, on the page of HTML: " + base::Join(titles, "; ") + ".");
}

}  // namespace reckon::app
