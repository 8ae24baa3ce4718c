// A page of Markdown as GitHub reads it, for those who keep results beside their code. Figures are
// named only: they would be files of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/report/page.h"

namespace reckon::app {

class MarkdownPage final : public Page {
 public:
  MarkdownPage(std::string_view title, std::string_view subtitle);

  void Section(std::string_view id, std::string_view heading) override;
  void Heading(std::string_view text) override;
  void Paragraph(std::string_view text) override;
  void Note(std::string_view text) override;
  void Code(std::string_view text) override;
  void List(const std::vector<std::string>& items) override;
  void Table(const PageTable& table) override;
  void Figures(const std::vector<PageFigure>& figures) override;
  std::string Finish() override { return body_; }

 private:
  void Block(std::string_view text);

  std::string body_;
};

}  // namespace reckon::app
