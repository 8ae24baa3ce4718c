#include "spec/yaml.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "spec/yaml_node.h"

namespace reckon::spec {
namespace {

using base::Result;

std::string RangeText(std::string_view what, const std::string& least, const std::string& most) {
  if (!least.empty() && !most.empty()) return fmt::format("{} from {} to {}", what, least, most);
  if (!least.empty()) return fmt::format("{} from {} on", what, least);
  if (!most.empty()) return fmt::format("{} up to {}", what, most);
  return std::string(what);
}

// Long values are cut at a whole character.
std::string Quote(const std::string& text) {
  constexpr size_t kShown = 60;
  if (text.size() <= kShown) return fmt::format("'{}'", text);
  size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return fmt::format("'{}...'", text.substr(0, end));
}

std::string ChildPath(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

}  // namespace

Yaml::Yaml() : node_(std::make_shared<Node>()) {}

bool Yaml::IsMissing() const { return node_->kind == Node::Kind::kMissing; }
bool Yaml::IsNull() const { return node_->kind == Node::Kind::kNull; }
bool Yaml::IsScalar() const { return node_->kind == Node::Kind::kScalar; }
bool Yaml::IsList() const { return node_->kind == Node::Kind::kList; }
bool Yaml::IsMap() const { return node_->kind == Node::Kind::kMap; }

Yaml Yaml::operator[](const std::string& key) const {
  for (const auto& [name, node] : node_->entries) {
    if (name == key) return {node, ChildPath(path_, key)};
  }
  auto missing = std::make_shared<Node>();
  missing->source = node_->source;
  missing->line = node_->line;
  return {std::move(missing), ChildPath(path_, key)};
}

Yaml Yaml::At(std::string_view dotted_path) const {
  Yaml node = *this;
  for (const std::string_view key : base::Split(dotted_path, '.')) node = node[std::string(key)];
  return node;
}

std::vector<Yaml> Yaml::items() const {
  std::vector<Yaml> items;
  for (size_t i = 0; i < node_->items.size(); ++i) {
    items.push_back(Yaml(node_->items[i], fmt::format("{}[{}]", path_, i)));
  }
  return items;
}

std::vector<std::pair<std::string, Yaml>> Yaml::entries() const {
  std::vector<std::pair<std::string, Yaml>> entries;
  for (const auto& [name, node] : node_->entries) {
    entries.emplace_back(name, Yaml(node, ChildPath(path_, name)));
  }
  return entries;
}

Result<std::string> Yaml::Text() const {
  if (!IsScalar()) return Wrong("a text");
  return node_->scalar;
}

Result<int64_t> Yaml::Whole(int64_t least, int64_t most) const {
  if (IsScalar()) {
    const auto value = base::ParseInteger(node_->scalar);
    if (value && *value >= least && *value <= most) return *value;
  }
  return Wrong(RangeText("a whole number", least == kLeast ? "" : std::to_string(least),
                         most == kMost ? "" : std::to_string(most)));
}

Result<double> Yaml::Number(double least, double most) const {
  if (IsScalar()) {
    const auto value = base::ParseNumber(node_->scalar);
    if (value && *value >= least && *value <= most) return *value;
  }
  return Wrong(RangeText("a number", std::isinf(least) ? "" : base::RoundTrip(least),
                         std::isinf(most) ? "" : base::RoundTrip(most)));
}

Result<bool> Yaml::Flag() const {
  constexpr std::array<std::string_view, 3> kTrue{"true", "yes", "on"};
  constexpr std::array<std::string_view, 3> kFalse{"false", "no", "off"};
  if (IsScalar()) {
    if (std::find(kTrue.begin(), kTrue.end(), node_->scalar) != kTrue.end()) return true;
    if (std::find(kFalse.begin(), kFalse.end(), node_->scalar) != kFalse.end()) return false;
  }
  return Wrong("true or false");
}

Result<std::vector<std::string>> Yaml::Texts() const {
  std::vector<std::string> texts;
  if (IsScalar()) texts.push_back(node_->scalar);
  if (!IsScalar() && !IsList()) return Wrong("a list of texts");
  for (const Yaml& item : items()) {
    RECKON_ASSIGN(std::string text, item.Text());
    texts.push_back(std::move(text));
  }
  return texts;
}

base::Error Yaml::Wrong(std::string_view expected) const {
  std::string found = "nothing";
  if (IsScalar()) found = Quote(node_->scalar);
  if (IsList()) found = "a list";
  if (IsMap()) found = "a mapping";
  return base::BadInput(fmt::format("{}: expected {}, found {}", Place(), expected, found));
}

base::Status Yaml::AllowKeys(std::span<const std::string> keys) const {
  if (!IsMap()) return Wrong("a mapping of names to values");
  for (const auto& [name, node] : node_->entries) {
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    return base::BadInput(fmt::format("{}: not a field here{}",
                                      Yaml(node, ChildPath(path_, name)).Place(),
                                      base::SuggestFrom(name, keys)));
  }
  return {};
}

std::string Yaml::Origin() const {
  const std::string source = node_->source ? *node_->source : "";
  return node_->line > 0 ? fmt::format("{}, line {}", source, node_->line) : source;
}

std::string Yaml::Place() const {
  const std::string origin = Origin();
  // What --set gave names its path in the source already.
  if (path_.empty() || origin == "--set " + path_) return origin;
  return origin.empty() ? path_ : origin + ": " + path_;
}

}  // namespace reckon::spec
