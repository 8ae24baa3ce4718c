#include "learn/trees/ensemble.h"

#include <map>

#include <nlohmann/json.hpp>

#include "learn/trees/tree_nodes.h"

namespace reckon::learn {

EnsemblePredictor::EnsemblePredictor(const FeatureMap& features, double base,
                                     std::vector<std::vector<TreeNode>> trees)
    : base_(base), trees_(std::move(trees)) {
  std::map<int, int> place;  // old index of a used term -> new one
  for (const auto& tree : trees_) {
    for (const TreeNode& node : tree) {
      if (node.left >= 0) place.emplace(node.term, 0);
    }
  }
  std::vector<Term> used;
  for (auto& [old_index, new_index] : place) {
    new_index = static_cast<int>(used.size());
    used.push_back(features.terms()[static_cast<size_t>(old_index)]);
  }
  for (auto& tree : trees_) {
    for (TreeNode& node : tree) {
      if (node.left >= 0) node.term = place.at(node.term);
    }
  }
  features_ = FeatureMap(std::move(used));
  flat_ = FlatTrees(trees_);
}

Vector EnsemblePredictor::Predict(const Matrix& x) const {
  Vector predicted = Vector::Constant(x.rows(), base_);
  flat_.AddTo(features_.Apply(x), predicted);
  return predicted;
}

Formula EnsemblePredictor::ToFormula() const {
  return EnsembleFormula{features_.terms(), base_, trees_};
}

base::Json EnsemblePredictor::ToJson(const Schema& schema) const {
  base::Json json;
  json["features"] = features_.ToJson(schema);
  json["base"] = base_;
  json["trees"] = base::Json::array();
  for (const auto& tree : trees_) json["trees"].push_back(TreeToJson(tree));
  return json;
}

base::Result<std::unique_ptr<Predictor>> EnsemblePredictor::Load(const base::Json& json,
                                                                 const Schema& schema) {
  if (!json.is_object() || !json.contains("features") || !json.contains("base") ||
      !json["base"].is_number() || !json.contains("trees") || !json["trees"].is_array()) {
    return base::Error(base::ErrorCode::kCorrupt,
                       "an ensemble needs 'features', 'base' and 'trees'");
  }
  RECKON_ASSIGN(const FeatureMap features, FeatureMap::FromJson(json["features"], schema));
  std::vector<std::vector<TreeNode>> trees;
  for (const base::Json& entry : json["trees"]) {
    RECKON_ASSIGN(std::vector<TreeNode> nodes, TreeFromJson(entry, features.terms().size()));
    trees.push_back(std::move(nodes));
  }
  return std::unique_ptr<Predictor>(
      std::make_unique<EnsemblePredictor>(features, json["base"].get<double>(), std::move(trees)));
}

}  // namespace reckon::learn
