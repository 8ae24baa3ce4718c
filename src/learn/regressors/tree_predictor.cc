#include "learn/regressors/tree_predictor.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::learn {

TreePredictor::TreePredictor(const FeatureMap& features, std::vector<TreeNode> nodes)
    : nodes_(std::move(nodes)) {
  std::map<int, int> place;  // old index of a used term -> new one
  std::vector<Term> used;
  for (const TreeNode& node : nodes_) {
    if (node.left >= 0) place.emplace(node.term, 0);
  }
  for (auto& [old_index, new_index] : place) {
    new_index = static_cast<int>(used.size());
    used.push_back(features.terms()[static_cast<size_t>(old_index)]);
  }
  for (TreeNode& node : nodes_) {
    if (node.left >= 0) node.term = place.at(node.term);
  }
  features_ = FeatureMap(std::move(used));
}

Vector TreePredictor::Predict(const Matrix& x) const {
  const Matrix features = features_.Apply(x);
  Vector predicted(x.rows());
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    const TreeNode* node = nodes_.data();
    while (node->left >= 0) {
      const bool left = features(row, node->term) <= node->threshold;
      node = &nodes_[static_cast<size_t>(left ? node->left : node->right)];
    }
    predicted(row) = node->value;
  }
  return predicted;
}

Formula TreePredictor::ToFormula() const { return TreeFormula{features_.terms(), nodes_}; }

base::Json TreePredictor::ToJson(const Schema& schema) const {
  base::Json json;
  json["features"] = features_.ToJson(schema);
  json["nodes"] = base::Json::array();
  for (const TreeNode& node : nodes_) {
    base::Json entry;
    entry["value"] = node.value;
    entry["rows"] = node.rows;
    if (node.left >= 0) {
      entry["feature"] = node.term;
      entry["threshold"] = node.threshold;
      entry["left"] = node.left;
      entry["right"] = node.right;
    }
    json["nodes"].push_back(std::move(entry));
  }
  return json;
}

namespace {

base::Result<TreeNode> NodeFromJson(const base::Json& json, size_t index, size_t node_count,
                                    size_t term_count) {
  const auto number = [&](const char* key) { return json.contains(key) && json[key].is_number(); };
  const auto whole = [&](const char* key, size_t below, size_t least) {
    return json.contains(key) && json[key].is_number_unsigned() &&
           json[key].get<uint64_t>() < below && json[key].get<uint64_t>() >= least;
  };
  if (!json.is_object() || !number("value") || !whole("rows", 1ULL << 31, 0)) {
    return base::Corrupt(fmt::format("node {} of the tree needs 'value' and 'rows'", index));
  }
  TreeNode node;
  node.value = json["value"].get<double>();
  node.rows = json["rows"].get<int>();
  if (!json.contains("feature")) return node;
  // Children come after their parent, so that a walk always ends.
  if (!whole("feature", term_count, 0) || !number("threshold") ||
      !whole("left", node_count, index + 1) || !whole("right", node_count, index + 1)) {
    return base::Corrupt(fmt::format("node {} of the tree has a bad split", index));
  }
  node.term = json["feature"].get<int>();
  node.threshold = json["threshold"].get<double>();
  node.left = json["left"].get<int>();
  node.right = json["right"].get<int>();
  return node;
}

}  // namespace

base::Result<std::unique_ptr<Predictor>> TreePredictor::Load(const base::Json& json,
                                                             const Schema& schema) {
  if (!json.is_object() || !json.contains("features") || !json.contains("nodes") ||
      !json["nodes"].is_array() || json["nodes"].empty()) {
    return base::Corrupt("a tree needs 'features' and 'nodes'");
  }
  RECKON_ASSIGN(const FeatureMap features, FeatureMap::FromJson(json["features"], schema));
  std::vector<TreeNode> nodes;
  for (const base::Json& entry : json["nodes"]) {
    RECKON_ASSIGN(TreeNode node,
                  NodeFromJson(entry, nodes.size(), json["nodes"].size(), features.terms().size()));
    nodes.push_back(node);
  }
  return std::unique_ptr<Predictor>(std::make_unique<TreePredictor>(features, std::move(nodes)));
}

}  // namespace reckon::learn
