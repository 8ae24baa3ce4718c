// A page of HTML. Everything that passes through here is escaped; one file without script, for
// light and dark, for desk and phone, with a table of contents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/report/page.h"

namespace reckon::app {

class HtmlPage final : public Page {
 public:
  HtmlPage(std::string title, std::string subtitle);

  void Section(std::string_view id, std::string_view heading) override;
  void Heading(std::string_view text) override;
  void Paragraph(std::string_view text) override;
  void Note(std::string_view text) override;
  void Code(std::string_view text) override;
  void List(const std::vector<std::string>& items) override;
  void Table(const PageTable& table) override;
  void Figures(const std::vector<PageFigure>& figures) override;  // side by side if there is room
  std::string Finish() override;

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
