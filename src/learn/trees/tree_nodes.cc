#include "learn/trees/tree_nodes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::learn {
namespace {

bool IsNumbers(const base::Json& json, const char* key, size_t count) {
  if (!json.contains(key) || !json[key].is_array() || json[key].size() != count) return false;
  for (const base::Json& cell : json[key]) {
    if (!cell.is_number()) return false;
  }
  return true;
}

}  // namespace

base::Json TreeToJson(const std::vector<TreeNode>& nodes) {
  base::Json json;
  for (const char* key : {"value", "rows", "feature", "threshold", "left", "right"}) {
    json[key] = base::Json::array();
  }
  for (const TreeNode& node : nodes) {
    const bool leaf = node.left < 0;
    json["value"].push_back(node.value);
    json["rows"].push_back(node.rows);
    json["feature"].push_back(leaf ? -1 : node.term);
    json["threshold"].push_back(leaf ? 0.0 : node.threshold);
    json["left"].push_back(leaf ? -1 : node.left);
    json["right"].push_back(leaf ? -1 : node.right);
  }
  return json;
}

base::Result<std::vector<TreeNode>> TreeFromJson(const base::Json& json, size_t term_count) {
  if (!json.is_object() || !json.contains("value") || !json["value"].is_array() ||
      json["value"].empty()) {
    return base::Corrupt("a tree needs nodes");
  }
  const size_t count = json["value"].size();
  for (const char* key : {"value", "rows", "feature", "threshold", "left", "right"}) {
    if (!IsNumbers(json, key, count)) {
      return base::Corrupt(fmt::format("'{}' of a tree is not one number a node", key));
    }
  }
  std::vector<TreeNode> nodes(count);
  for (size_t i = 0; i < count; ++i) {
    TreeNode& node = nodes[i];
    node.value = json["value"][i].get<double>();
    const double rows = json["rows"][i].get<double>();
    const double feature = json["feature"][i].get<double>();
    const double left = json["left"][i].get<double>();
    const double right = json["right"][i].get<double>();
    if (!(rows >= 0 && rows < 2e9)) return base::Corrupt(fmt::format("node {} has bad rows", i));
    node.rows = static_cast<int>(rows);
    if (feature == -1) continue;
    // Children come after their parent, so that a walk always ends.
    const auto child = [&](double at) {
      return at > static_cast<double>(i) && at < static_cast<double>(count);
    };
    if (!(feature >= 0 && feature < static_cast<double>(term_count)) || !child(left) ||
        !child(right)) {
      return base::Corrupt(fmt::format("node {} of a tree has a bad split", i));
    }
    node.term = static_cast<int>(feature);
    node.threshold = json["threshold"][i].get<double>();
    node.left = static_cast<int>(left);
    node.right = static_cast<int>(right);
  }
  return nodes;
}

}  // namespace reckon::learn
