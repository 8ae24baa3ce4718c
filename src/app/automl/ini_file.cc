#include "app/automl/ini_file.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::app {
namespace {

using base::Trim;

constexpr std::string_view kDefaults = "DEFAULT";

template <typename T>
const T* FindNamed(const std::vector<T>& all, std::string_view name) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == name; });
  return at == all.end() ? nullptr : &*at;
}

class Parser {
 public:
  explicit Parser(std::string_view source) : source_(source) {}

  base::Result<IniFile> Parse(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (const std::string_view line : base::Split(text, '\n')) {
      ++line_;
      if (!base::IsUtf8(line)) return Wrong("the text is not UTF-8");
      RECKON_TRY(Line(line));
    }
    RECKON_TRY(Finish());
    return std::move(file_);
  }

 private:
  base::Error Wrong(std::string_view what) const { return WrongAt(line_, what); }
  base::Error WrongAt(size_t line, std::string_view what) const {
    return base::BadInput(fmt::format("{}, line {}: {}", source_, line, what));
  }

  base::Status Line(std::string_view line) {
    const std::string_view content = Trim(line);
    if (content.empty()) return {};
    if (content.front() == '#' || content.front() == ';') return {};
    const size_t indent = static_cast<size_t>(content.data() - line.data());
    if (indent > option_indent_ && !file_.sections.empty() &&
        !file_.sections.back().options.empty()) {
      file_.sections.back().options.back().text += "\n" + std::string(content);
      return {};
    }
    option_indent_ = indent;
    if (content.front() == '[') return Section(content);
    return Option(content);
  }

  base::Status Section(std::string_view content) {
    const size_t close = content.find(']');
    if (close == std::string_view::npos || close == 1) {
      return Wrong(fmt::format("expected [SECTION], found '{}'", content));
    }
    const std::string name(content.substr(1, close - 1));
    if (const IniSection* earlier = file_.Find(name)) {
      return Wrong(fmt::format("section [{}] is there already, in line {}", name, earlier->line));
    }
    file_.sections.push_back({name, line_, {}});
    return {};
  }

  base::Status Option(std::string_view content) {
    const size_t sign = content.find_first_of("=:");
    const std::string name(Trim(content.substr(0, sign)));
    if (sign == std::string_view::npos || name.empty()) {
      return Wrong(fmt::format("expected NAME = VALUE or [SECTION], found '{}'", content));
    }
    if (file_.sections.empty()) {
      return Wrong(fmt::format("option '{}' stands before the first [SECTION]", name));
    }
    IniSection& section = file_.sections.back();
    if (const IniOption* earlier = section.Find(name)) {
      return Wrong(
          fmt::format("[{}] {} is there already, in line {}", section.name, name, earlier->line));
    }
    section.options.push_back({name, std::string(Trim(content.substr(sign + 1))), line_});
    return {};
  }

  base::Status Finish() {
    for (IniSection& section : file_.sections) {
      for (IniOption& option : section.options) RECKON_TRY(Percents(section, option));
    }
    std::vector<IniOption> defaults;
    if (const IniSection* section = file_.Find(kDefaults)) defaults = section->options;
    std::erase_if(file_.sections, [](const IniSection& s) { return s.name == kDefaults; });
    for (IniSection& section : file_.sections) {
      for (const IniOption& option : defaults) {
        if (section.Find(option.name) == nullptr) section.options.push_back(option);
      }
    }
    file_.source = source_;
    return {};
  }

  base::Status Percents(const IniSection& section, IniOption& option) const {
    std::string plain;
    for (size_t i = 0; i < option.text.size(); ++i) {
      plain += option.text[i];
      if (option.text[i] != '%') continue;
      if (option.text.substr(i + 1, 1) != "%") {
        return WrongAt(option.line, fmt::format("[{}] {}: a percent sign is written %%, and "
                                                "references like %(name)s are not followed",
                                                section.name, option.name));
      }
      ++i;
    }
    option.text = plain;
    return {};
  }

  std::string source_;
  IniFile file_;
  size_t line_ = 0;
  size_t option_indent_ = 0;  // of the last line that was no continuation
};

}  // namespace

const IniOption* IniSection::Find(std::string_view wanted) const {
  return FindNamed(options, wanted);
}

const IniSection* IniFile::Find(std::string_view wanted) const {
  return FindNamed(sections, wanted);
}

base::Result<IniFile> ParseIni(std::string_view text, std::string_view source) {
  return Parser(source).Parse(text);
}

}  // namespace reckon::app
