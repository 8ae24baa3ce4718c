// Writes SVG elements one after the other. Everything that passes through here is escaped, so the
// result is well-formed whatever the text; the same calls give the same bytes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::plot {

// `text` as XML character data or as the value of a quoted attribute. Invalid UTF-8 and characters
// that XML 1.0 forbids become U+FFFD; line breaks and tabs become blanks.
std::string EscapeXml(std::string_view text);

// A coordinate in user units with at most two decimals: "12.5", "0", "-3". `value` is finite.
std::string FormatCoordinate(double value);

// Name and value of one attribute; the value is not yet escaped.
struct Attribute {
  Attribute(std::string_view attribute_name, std::string_view text)
      : name(attribute_name), value(text) {}
  Attribute(std::string_view attribute_name, double coordinate)
      : name(attribute_name), value(FormatCoordinate(coordinate)) {}

  std::string_view name;
  std::string value;
};

// Not thread-safe.
class SvgWriter {
 public:
  using Attributes = std::initializer_list<Attribute>;

  // <tag ...> until the matching Close.
  void Open(std::string_view tag, Attributes attributes);
  void Close();
  // <tag .../>
  void Empty(std::string_view tag, Attributes attributes);
  // <tag ...>text</tag>
  void Text(std::string_view tag, Attributes attributes, std::string_view text);
  // The document so far. Every element must be closed.
  std::string Finish() &&;

 private:
  void Start(std::string_view tag, Attributes attributes);

  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace reckon::plot
