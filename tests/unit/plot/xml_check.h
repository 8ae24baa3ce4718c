// Whether a text is a well-formed XML document, as far as SvgWriter can get it wrong: balanced
// elements, one root, quoted and distinct attributes, known entities, no forbidden characters.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::plot {

class XmlCheck {
 public:
  // "" when `text` is well-formed, else what is wrong and where.
  static std::string Problem(std::string_view text) { return XmlCheck(text).Run(); }

 private:
  explicit XmlCheck(std::string_view text) : text_(text) {}

  std::string Run() {
    for (const char c : text_) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n') return "control character";
    }
    bool had_root = false;
    while (at_ < text_.size() && problem_.empty()) {
      if (text_[at_] != '<') {
        CharacterData();
      } else if (text_.substr(at_, 2) == "</") {
        EndTag();
      } else {
        if (open_.empty() && had_root) return "second root at " + std::to_string(at_);
        had_root = true;
        StartTag();
      }
    }
    if (problem_.empty() && !open_.empty()) problem_ = "unclosed " + open_.back();
    if (problem_.empty() && !had_root) problem_ = "no root";
    return problem_;
  }

  void Fail(const std::string& what) {
    if (problem_.empty()) problem_ = what + " at " + std::to_string(at_);
  }

  void CheckEntities(std::string_view data) {
    constexpr std::array<std::string_view, 5> kKnown{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = data.find('&'); i != std::string_view::npos; i = data.find('&', i + 1)) {
      const bool known = std::any_of(kKnown.begin(), kKnown.end(), [&](std::string_view entity) {
        return data.substr(i, entity.size()) == entity;
      });
      if (!known) Fail("unknown entity");
    }
  }

  void CharacterData() {
    const size_t end = std::min(text_.find('<', at_), text_.size());
    const std::string_view data = text_.substr(at_, end - at_);
    if (open_.empty() && data.find_first_not_of(" \n") != std::string_view::npos) {
      Fail("text outside the root");
    }
    CheckEntities(data);
    at_ = end;
  }

  std::string Name() {
    const size_t start = at_;
    const auto is_name = [](char c) { return std::isalnum(c) != 0 || c == '-' || c == ':'; };
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == start) Fail("name expected");
    return std::string(text_.substr(start, at_ - start));
  }

  bool Take(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void EndTag() {
    at_ += 2;
    const std::string name = Name();
    if (open_.empty() || open_.back() != name) return Fail("unexpected </" + name);
    open_.pop_back();
    if (!Take(">")) Fail("'>' expected");
  }

  void StartTag() {
    at_ += 1;
    const std::string name = Name();
    std::vector<std::string> attributes;
    while (problem_.empty() && Take(" ")) {
      attributes.push_back(Name());
      if (!Take("=\"")) return Fail("'=\"' expected");
      const size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) return Fail("open attribute");
      const std::string_view value = text_.substr(at_, end - at_);
      if (value.find('<') != std::string_view::npos) Fail("'<' in attribute");
      CheckEntities(value);
      at_ = end + 1;
    }
    std::sort(attributes.begin(), attributes.end());
    if (std::adjacent_find(attributes.begin(), attributes.end()) != attributes.end()) {
      Fail("attribute twice");
    }
    if (Take("/>")) return;
    if (!Take(">")) return Fail("'>' expected");
    open_.push_back(name);
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::string> open_;
  std::string problem_;
};

}  // namespace reckon::plot
