// A page, piece by piece: headings, sentences, tables, figures. Sections write to it without
// knowing the format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reckon::app {

struct PageColumn {
  std::string name;
  bool number = true;  // set right
};

// The first cell of a row is its heading.
struct PageTable {
  struct Row {
    std::vector<std::string> cells;  // at most as many as there are columns
    bool quoted = false;             // somebody else's numbers: set apart
  };
  std::string caption;
  std::vector<PageColumn> columns;
  std::vector<Row> rows;
};

struct PageFigure {
  std::string title;
  std::string svg;  // a whole element; the one thing that is taken as it is
  std::string caption;
};

class Page {
 public:
  virtual ~Page() = default;

  // Everything that follows belongs to it; `id` is a plain word.
  virtual void Section(std::string_view id, std::string_view heading) = 0;
  virtual void Heading(std::string_view text) = 0;
  virtual void Paragraph(std::string_view text) = 0;
  virtual void Note(std::string_view text) = 0;  // where something comes from, what was left out
  virtual void Code(std::string_view text) = 0;
  virtual void List(const std::vector<std::string>& items) = 0;
  virtual void Table(const PageTable& table) = 0;
  virtual void Figures(const std::vector<PageFigure>& figures) = 0;

  // The whole document. The same calls give the same bytes.
  virtual std::string Finish() = 0;
};

}  // namespace reckon::app
