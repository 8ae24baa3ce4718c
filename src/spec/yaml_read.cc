// From text to the tree: the only file that knows yaml-cpp.
#include <algorithm>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "base/file.h"
#include "base/text.h"
#include "spec/yaml.h"
#include "spec/yaml_node.h"

namespace reckon::spec {

using base::BadInput;
using base::Result;

// Copies a document of yaml-cpp. May throw what yaml-cpp throws.
class Yaml::Reader {
 public:
  // Without lines, `source` alone is the place of every node.
  Reader(std::string_view source, bool with_lines)
      : source_(std::make_shared<const std::string>(source)), with_lines_(with_lines) {}

  Result<NodePtr> Read(std::string_view text) {
    if (!base::IsUtf8(text)) return BadInput(fmt::format("{}: not UTF-8 text", *source_));
    try {
      const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
      if (documents.size() > 1) {
        return BadInput(
            fmt::format("{}: expected one document, found {}", *source_, documents.size()));
      }
      return Copy(documents.empty() ? YAML::Node() : documents.front(), 1, 0);
    } catch (const YAML::Exception& error) {
      return BadInput(fmt::format("{}: {}", Where(Line(error.mark)), error.msg));
    }
  }

 private:
  static int Line(const YAML::Mark& mark) { return std::max(mark.line, 0) + 1; }
  std::string Where(int line) const {
    return with_lines_ ? fmt::format("{}, line {}", *source_, line) : *source_;
  }

  // `line`: where a person would look for the node: at its key.
  Result<NodePtr> Copy(const YAML::Node& from, int line, int depth) {
    constexpr int kMaxDepth = 64;
    constexpr size_t kMaxNodes = 200'000;
    if (depth > kMaxDepth || ++count_ > kMaxNodes) {
      return BadInput(fmt::format("{}: expected at most {} levels and {} values", Where(line),
                                  kMaxDepth, kMaxNodes));
    }
    auto node = std::make_shared<Node>();
    node->source = source_;
    node->line = with_lines_ ? line : 0;
    node->kind = Node::Kind::kNull;
    if (from.IsScalar()) {
      node->kind = Node::Kind::kScalar;
      node->scalar = from.Scalar();
    } else if (from.IsSequence()) {
      node->kind = Node::Kind::kList;
      for (const YAML::Node& item : from) {
        // An item without a value has no mark of its own.
        const int item_line = item.IsNull() ? line : Line(item.Mark());
        RECKON_ASSIGN(NodePtr copy, Copy(item, item_line, depth + 1));
        node->items.push_back(std::move(copy));
      }
    } else if (from.IsMap()) {
      node->kind = Node::Kind::kMap;
      for (const auto& entry : from) RECKON_TRY(AddEntry(entry.first, entry.second, depth, *node));
    }
    return NodePtr(std::move(node));
  }

  base::Status AddEntry(const YAML::Node& key, const YAML::Node& value, int depth, Node& map) {
    const int line = Line(key.Mark());
    if (!key.IsScalar()) {
      return BadInput(fmt::format("{}: expected a name before the ':'", Where(line)));
    }
    const std::string& name = key.Scalar();
    if (std::any_of(map.entries.begin(), map.entries.end(),
                    [&](const auto& entry) { return entry.first == name; })) {
      return BadInput(fmt::format("{}: '{}' was given before", Where(line), name));
    }
    RECKON_ASSIGN(NodePtr copy, Copy(value, line, depth + 1));
    map.entries.emplace_back(name, std::move(copy));
    return {};
  }

  std::shared_ptr<const std::string> source_;
  bool with_lines_;
  size_t count_ = 0;
};

Result<Yaml> Yaml::Parse(std::string_view text, std::string_view source) {
  RECKON_ASSIGN(NodePtr root, Reader(source, true).Read(text));
  return Yaml(std::move(root), "");
}

Result<Yaml> Yaml::ReadFile(const std::filesystem::path& path) {
  RECKON_ASSIGN(const std::string text, base::ReadFile(path));
  return Parse(text, path.string());
}

Result<Yaml> Yaml::Value(const std::string& text, const std::string& source) {
  RECKON_ASSIGN(NodePtr made, Reader(source, false).Read(text));
  return Yaml(std::move(made), "");
}

Result<Yaml> Yaml::With(const std::string& dotted_path, const std::string& value) const {
  RECKON_ASSIGN(const Yaml made, Value(value, "--set " + dotted_path));
  return With(dotted_path, made);
}

Result<Yaml> Yaml::With(const std::string& dotted_path, const Yaml& value) const {
  const std::string source = value.Origin();
  NodePtr made = value.node_;
  std::vector<std::string> keys;
  for (const std::string_view key : base::Split(dotted_path, '.')) {
    if (key.empty()) {
      return BadInput(
          fmt::format("{}: expected names separated by dots, like trainer.batch=64", source));
    }
    keys.emplace_back(key);
  }
  // The maps from the root down, then the copies of them from the last one up.
  std::vector<Yaml> maps{*this};
  for (size_t i = 0; i + 1 < keys.size(); ++i) maps.push_back(maps.back()[keys[i]]);
  for (size_t i = keys.size(); i-- > 0;) {
    if (maps[i] && !maps[i].IsMap()) {
      return std::move(maps[i].Wrong("a mapping")).Wrap(source);
    }
    auto copy = std::make_shared<Node>(*maps[i].node_);
    if (copy->kind != Node::Kind::kMap) {
      copy->kind = Node::Kind::kMap;
      copy->source = std::make_shared<const std::string>(source);
      copy->line = 0;
    }
    const auto place = std::find_if(copy->entries.begin(), copy->entries.end(),
                                    [&](const auto& entry) { return entry.first == keys[i]; });
    if (place != copy->entries.end()) {
      place->second = std::move(made);
    } else {
      copy->entries.emplace_back(keys[i], std::move(made));
    }
    made = std::move(copy);
  }
  return Yaml(std::move(made), path_);
}

}  // namespace reckon::spec
