// A page of HTML, piece by piece: headings, sentences, tables, figures. Everything that passes
// through here is escaped; one file without script, for light and dark, for desk and phone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::app {

struct HtmlColumn {
  std::string name;
  bool number = true;  // set right
};

// The first cell of a row is its heading.
struct HtmlTable {
  struct Row {
    std::vector<std::string> cells;  // at most as many as there are columns
    bool quoted = false;             // somebody else's numbers: set apart
  };
  std::string caption;
  std::vector<HtmlColumn> columns;
  std::vector<Row> rows;
};

struct HtmlFigure {
  std::string svg;  // a whole element; the one thing that is taken as it is
  std::string caption;
};

class HtmlPage {
 public:
  HtmlPage(std::string title, std::string subtitle);

  // Everything that follows belongs to it; `id` is a plain word.
  void Section(std::string_view id, std::string_view heading);
  void Heading(std::string_view text);
  void Paragraph(std::string_view text);
  void Note(std::string_view text);  // where something comes from, what was left out
  void Code(std::string_view text);
  void List(const std::vector<std::string>& items);
  void Table(const HtmlTable& table);
  void Figures(const std::vector<HtmlFigure>& figures);  // side by side where there is room

  // The whole document, with a table of contents. The same calls give the same bytes.
  std::string Finish() &&;

 private:
  struct Entry {
    std::string id;
    std::string heading;
  };
  void Element(std::string_view tag, std::string_view attributes, std::string_view text);

  std::string title_;
  std::string subtitle_;
  std::vector<Entry> contents_;
  std::string body_;
};

}  // namespace reckon::app
