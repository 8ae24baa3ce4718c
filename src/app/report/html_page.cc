#include "app/report/html_page.h"

#include <utility>

#include <fmt/format.h>

#include "plot/svg_writer.h"

namespace reckon::app {
namespace {

// No '<', '>' or '&': then a reader of XML and one of HTML see the same. Colours are those of the
// charts.
constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--page:#ffffff;--ink:#1f2933;--muted:#5b6875;--rule:#d5dae0;
--shade:#f4f5f7;--link:#0060a0}
@media (prefers-color-scheme:dark){:root{--page:#14181d;--ink:#e6e9ed;--muted:#a3adb8;
--rule:#39424b;--shade:#1c2228;--link:#4aa8e8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:82rem;padding:1rem 1.25rem 4rem;background:var(--page);
color:var(--ink);font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif}
h1{font-size:1.7rem;line-height:1.2;margin:1rem 0 .25rem}
h2{font-size:1.3rem;margin:2.5rem 0 .5rem;padding-top:.75rem;border-top:1px solid var(--rule)}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem}
p,ul{max-width:48rem;margin:.5rem 0}
a{color:var(--link)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;padding:0}
.subtitle,.note,figcaption,caption{color:var(--muted)}
.note{font-size:.9rem}
pre{overflow-x:auto;background:var(--shade);padding:.75rem;border-radius:4px;font-size:.85rem}
.wide{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.25rem 0;font-size:.9rem}
th,td{padding:.3rem .7rem;border-bottom:1px solid var(--rule);text-align:left;
vertical-align:top}
th{font-weight:600}
tbody th{font-weight:400}
.number{text-align:right;white-space:nowrap}
.quoted th,.quoted td{color:var(--muted);font-style:italic}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr));
gap:1rem}
figure{margin:0;min-width:0}
figure div{overflow-x:auto}
figure svg{display:block;width:100%;min-width:30rem;height:auto}
figcaption{font-size:.88rem;padding:0 .5rem}
)";

std::string Cell(std::string_view tag, std::string_view attributes, std::string_view text) {
  return fmt::format("<{}{}>{}</{}>", tag, attributes, plot::EscapeXml(text), tag);
}

}  // namespace

HtmlPage::HtmlPage(std::string title, std::string subtitle)
    : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void HtmlPage::Element(std::string_view tag, std::string_view attributes, std::string_view text) {
  body_ += Cell(tag, attributes, text) + "\n";
}

void HtmlPage::Section(std::string_view id, std::string_view heading) {
  contents_.push_back({std::string(id), std::string(heading)});
  Element("h2", fmt::format(" id=\"{}\"", plot::EscapeXml(id)), heading);
}

void HtmlPage::Heading(std::string_view text) { Element("h3", "", text); }
void HtmlPage::Paragraph(std::string_view text) { Element("p", "", text); }
void HtmlPage::Note(std::string_view text) { Element("p", " class=\"note\"", text); }

// A line each: EscapeXml knows no line breaks.
void HtmlPage::Code(std::string_view text) {
  body_ += "<pre>";
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    body_ += plot::EscapeXml(text.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  body_ += "</pre>\n";
}

void HtmlPage::List(const std::vector<std::string>& items) {
  if (items.empty()) return;
  body_ += "<ul>\n";
  for (const std::string& item : items) Element("li", "", item);
  body_ += "</ul>\n";
}

void HtmlPage::Table(const PageTable& table) {
  const auto align = [&](size_t column) {
    return table.columns[column].number ? " class=\"number\"" : "";
  };
  body_ += "<div class=\"wide\">\n<table>\n";
  if (!table.caption.empty()) Element("caption", "", table.caption);
  body_ += "<thead><tr>";
  for (size_t i = 0; i < table.columns.size(); ++i) {
    body_ += Cell("th", fmt::format(" scope=\"col\"{}", align(i)), table.columns[i].name);
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (const PageTable::Row& row : table.rows) {
    body_ += row.quoted ? "<tr class=\"quoted\">" : "<tr>";
    for (size_t i = 0; i < row.cells.size(); ++i) {
      body_ += i == 0 ? Cell("th", fmt::format(" scope=\"row\"{}", align(i)), row.cells[i])
                      : Cell("td", align(i), row.cells[i]);
    }
    body_ += "</tr>\n";
  }
  body_ += "</tbody>\n</table>\n</div>\n";
}

void HtmlPage::Figures(const std::vector<PageFigure>& figures) {
  if (figures.empty()) return;
  body_ += "<div class=\"figures\">\n";
  for (const PageFigure& figure : figures) {
    body_ += "<figure>\n<div>\n" + figure.svg + "</div>\n";
    if (!figure.caption.empty()) Element("figcaption", "", figure.caption);
    body_ += "</figure>\n";
  }
  body_ += "</div>\n";
}

std::string HtmlPage::Finish() {
  std::string contents;
  for (const Entry& entry : contents_) {
    contents += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", plot::EscapeXml(entry.id),
                            plot::EscapeXml(entry.heading));
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
      "{}\n<style>{}</style>\n</head>\n<body>\n<header>\n{}\n{}\n</header>\n"
      "<nav aria-label=\"Contents\">\n<ul>\n{}</ul>\n</nav>\n<main>\n{}</main>\n</body>\n</html>\n",
      Cell("title", "", title_), kStyle, Cell("h1", "", title_),
      Cell("p", " class=\"subtitle\"", subtitle_), contents, body_);
}

}  // namespace reckon::app
