#include "app/automl/configuration.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::app {
namespace {

using base::Result;
using Kind = Literal::Kind;

ConfiguredOption Read(const IniSection& section, const IniOption& option) {
  ConfiguredOption read{section.name, option.name, option.line, {}, ""};
  auto literal = ParseLiteral(option.text);
  if (literal.ok()) {
    read.value = *std::move(literal);
    return read;
  }
  // Text without quotes. Behind a blank, a '#' begins a comment here as well.
  std::string_view text = option.text;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '#' && (text[i - 1] == ' ' || text[i - 1] == '\t')) text = text.substr(0, i);
  }
  read.value = Literal::Text(std::string(base::Trim(text)));
  read.problem = literal.error().message();
  return read;
}

}  // namespace

Result<Configuration> Configuration::Parse(std::string_view text, const std::string& source) {
  RECKON_ASSIGN(IniFile file, ParseIni(text, source));
  return Configuration(std::move(file));
}

bool Configuration::HasSection(const std::string& section) const {
  return file_.Find(section) != nullptr;
}

std::optional<ConfiguredOption> Configuration::Find(const std::string& section,
                                                    const std::string& name) {
  const IniSection* found = file_.Find(section);
  const IniOption* option = found == nullptr ? nullptr : found->Find(name);
  if (option == nullptr) return std::nullopt;
  asked_.insert({section, name});
  return Read(*found, *option);
}

std::vector<ConfiguredOption> Configuration::All(const std::string& section) {
  std::vector<ConfiguredOption> all;
  const IniSection* found = file_.Find(section);
  if (found == nullptr) return all;
  asked_.insert({section, ""});
  for (const IniOption& option : found->options) {
    asked_.insert({section, option.name});
    all.push_back(Read(*found, option));
  }
  return all;
}

Result<std::optional<std::string>> Configuration::Text(const std::string& section,
                                                       const std::string& name) {
  const auto option = Find(section, name);
  if (!option) return std::optional<std::string>();
  if (option->value.kind != Kind::kText || option->value.text.empty()) {
    return Wrong(*option, "text");
  }
  return std::optional(option->value.text);
}

Result<std::optional<bool>> Configuration::Truth(const std::string& section,
                                                 const std::string& name) {
  const auto option = Find(section, name);
  if (!option) return std::optional<bool>();
  const Literal& value = option->value;
  if (value.kind == Kind::kTruth) return std::optional(value.truth);
  const bool is_text = value.kind == Kind::kText;
  if (is_text && (value.text == "True" || value.text == "true")) return std::optional(true);
  if (is_text && (value.text == "False" || value.text == "false")) return std::optional(false);
  if (value.kind == Kind::kWhole && (value.number == 0 || value.number == 1)) {
    return std::optional(value.number == 1);
  }
  return Wrong(*option, "True or False");
}

Result<std::optional<size_t>> Configuration::Whole(const std::string& section,
                                                   const std::string& name, size_t least) {
  const auto option = Find(section, name);
  if (!option) return std::optional<size_t>();
  const double number = option->value.number;
  if (option->value.kind != Kind::kWhole || number < static_cast<double>(least) || number > 1e9) {
    return Wrong(*option, fmt::format("a whole number from {} to 1000000000", least));
  }
  return std::optional(static_cast<size_t>(number));
}

Result<std::optional<double>> Configuration::Share(const std::string& section,
                                                   const std::string& name) {
  const auto option = Find(section, name);
  if (!option) return std::optional<double>();
  const double number = option->value.number;
  if (!option->value.IsNumber() || !(number > 0 && number < 1)) {
    return Wrong(*option, "a number above 0 and below 1");
  }
  return std::optional(number);
}

Result<std::optional<Configuration::Names>> Configuration::Texts(const std::string& section,
                                                                 const std::string& name) {
  const auto option = Find(section, name);
  if (!option) return std::optional<Names>();
  const std::string expected = "a list of texts such as ['a', 'b']";
  if (option->value.kind != Kind::kList) return Wrong(*option, expected);
  Names names;
  for (const Literal& item : option->value.items) {
    if (item.kind != Kind::kText) return Wrong(*option, expected);
    names.push_back(item.text);
  }
  return std::optional(std::move(names));
}

Result<std::optional<Configuration::Entries>> Configuration::Dictionary(
    const std::string& section, const std::string& name, const std::string& expected) {
  const auto option = Find(section, name);
  if (!option) return std::optional<Entries>();
  if (option->value.kind != Kind::kDict) return Wrong(*option, expected);
  Entries entries;
  for (size_t i = 0; i < option->value.items.size(); ++i) {
    const Literal& key = option->value.keys[i];
    if (key.kind != Kind::kText) return Wrong(*option, expected);
    // As in Python, the last one counts.
    std::erase_if(entries, [&](const auto& entry) { return entry.first == key.text; });
    entries.emplace_back(key.text, option->value.items[i]);
  }
  return std::optional(std::move(entries));
}

std::string Configuration::Place(const ConfiguredOption& option) const {
  return fmt::format("{}, line {}, [{}] {}", file_.source, option.line, option.section,
                     option.name);
}

base::Error Configuration::Wrong(const ConfiguredOption& option,
                                 const std::string& expected) const {
  const bool meant_as_literal =
      !option.problem.empty() && !option.value.text.empty() &&
      std::string_view("[{('\"").find(option.value.text.front()) != std::string_view::npos;
  const std::string found =
      option.value.kind == Kind::kText ? "'" + option.value.text + "'" : LiteralText(option.value);
  return base::BadInput(fmt::format("{}: expected {}, found {}{}", Place(option), expected, found,
                                    meant_as_literal ? " (" + option.problem + ")" : ""));
}

base::Error Configuration::Missing(const std::string& section, const std::string& name,
                                   const std::string& why) const {
  if (!HasSection(section)) {
    return base::BadInput(fmt::format("{}: there is no section [{}]; expected {} in it",
                                      file_.source, section, name));
  }
  return base::BadInput(
      fmt::format("{}: [{}] {} is missing; expected {}", file_.source, section, name, why));
}

std::vector<std::string> Configuration::Unused() const {
  std::vector<std::string> unused;
  for (const IniSection& section : file_.sections) {
    const bool touched = std::any_of(asked_.begin(), asked_.end(), [&](const auto& asked) {
      return asked.first == section.name;
    });
    if (!touched) {
      unused.push_back(
          fmt::format("{}, line {}: section [{}]", file_.source, section.line, section.name));
      continue;
    }
    for (const IniOption& option : section.options) {
      if (asked_.contains({section.name, option.name})) continue;
      unused.push_back(fmt::format("{}, line {}: [{}] {}", file_.source, option.line, section.name,
                                   option.name));
    }
  }
  return unused;
}

}  // namespace reckon::app
