#include "plot/svg_writer.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "plot/text_fit.h"

namespace reckon::plot {

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : CleanText(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string FormatCoordinate(double value) {
  RECKON_CHECK(std::isfinite(value));
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

void SvgWriter::Start(std::string_view tag, Attributes attributes) {
  out_.append(2 * open_.size(), ' ');
  out_ += '<';
  out_ += tag;
  for (const Attribute& attribute : attributes) {
    fmt::format_to(std::back_inserter(out_), " {}=\"{}\"", attribute.name,
                   EscapeXml(attribute.value));
  }
}

void SvgWriter::Open(std::string_view tag, Attributes attributes) {
  Start(tag, attributes);
  out_ += ">\n";
  open_.emplace_back(tag);
}

void SvgWriter::Close() {
  RECKON_CHECK(!open_.empty());
  const std::string tag = std::move(open_.back());
  open_.pop_back();
  out_.append(2 * open_.size(), ' ');
  fmt::format_to(std::back_inserter(out_), "</{}>\n", tag);
}

void SvgWriter::Empty(std::string_view tag, Attributes attributes) {
  Start(tag, attributes);
  out_ += "/>\n";
}

void SvgWriter::Text(std::string_view tag, Attributes attributes, std::string_view text) {
  Start(tag, attributes);
  fmt::format_to(std::back_inserter(out_), ">{}</{}>\n", EscapeXml(text), tag);
}

std::string SvgWriter::Finish() && {
  RECKON_CHECK(open_.empty());
  return std::move(out_);
}

}  // namespace reckon::plot
