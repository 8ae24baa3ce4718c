#include "learn/search/presets.h"

#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "learn/features/roles.h"

namespace reckon::learn {
namespace {

constexpr const char* kRayPaper = "ray-paper";

// The paper's penalty (scikit-learn's) is beside a sum over rows, ours beside their mean. The rows
// are those that folds leave to learn from.
CandidateGroup RidgeGrid(const FeatureOptions& features, double rows) {
  CandidateGroup group;
  for (const double alpha : {0.01, 0.1, 1.0}) {
    group.push_back(
        {.technique = "ridge", .features = features, .settings = {{"alpha", alpha / rows}}});
  }
  return group;
}

CandidateGroup XgboostGrid(const FeatureOptions& features, int depth) {
  CandidateGroup group;
  for (const int weight : {1, 3}) {
    for (const int gamma : {0, 1}) {
      for (const double rate : {0.01, 0.05, 0.1}) {
        for (const int trees : {50, 150}) {
          group.push_back({.technique = "xgboost",
                           .features = features,
                           .settings = {{"max_depth", depth},
                                        {"trees", trees},
                                        {"rate", rate},
                                        {"min_child_weight", weight},
                                        {"gamma", gamma},
                                        {"lambda", 1}}});
        }
      }
    }
  }
  return group;
}

CandidateGroup TreeGrid(const FeatureOptions& features) {
  CandidateGroup group;
  for (const char* criterion : {"mse", "friedman_mse", "mae"}) {
    for (const char* max_features : {"all", "sqrt", "log2"}) {
      for (const double leaf : {0.01, 0.05, 0.1, 0.2, 0.3}) {
        for (const double split : {0.01, 0.1, 0.2, 0.5}) {
          for (const int depth : {3, 5, 10, 20}) {
            group.push_back(
                {.technique = "tree",
                 .features = features,
                 .settings = {{"max_depth", depth}, {"min_leaf", leaf}, {"min_split", split}},
                 .words = {{"criterion", criterion}, {"max_features", max_features}}});
          }
        }
      }
    }
  }
  return group;
}

CandidateGroup ForestGrid(const FeatureOptions& features, int leaf) {
  CandidateGroup group;
  for (const int trees : {10, 50, 200}) {
    for (const int depth : {3, 10}) {
      for (const double split : {0.1, 0.5}) {
        group.push_back({.technique = "forest",
                         .features = features,
                         .settings = {{"trees", trees},
                                      {"max_depth", depth},
                                      {"min_leaf", leaf},
                                      {"min_split", split}},
                         .words = {{"criterion", "mae"}, {"max_features", "all"}}});
      }
    }
  }
  return group;
}

// The paper takes inverses and logs of workers, cores and the data, but not of b (batch), e
// (epochs) and l (learning rate).
bool StaysRaw(const InputColumn& input) {
  static const std::set<std::string> kNames{
      "b", "e", "l", "epoch", "epochs", "lr", "learning_rate", "num_epochs"};
  return IsBatch(input) || kNames.contains(input.name);
}

Preset RayPaper(const Dataset& data) {
  FeatureOptions features{.raw = true, .inverse = true, .log = true, .degree = 2};
  std::vector<std::string> transformed;
  bool all = true;
  for (const InputColumn& input : data.schema.inputs) {
    if (input.kind != core::ColumnKind::kNumber) continue;
    if (StaysRaw(input)) {
      all = false;
    } else if (input.min > 0) {
      transformed.push_back(input.name);
    }
  }
  if (transformed.empty()) {
    features.inverse = features.log = false;
  } else if (!all) {
    features.inverse_of = features.log_of = transformed;
  }
  Preset preset;
  const auto folds = static_cast<double>(preset.folds);
  const double rows = static_cast<double>(data.rows()) * (folds - 1) / folds;
  // The longest first, so that no core waits for one at the end.
  for (const int depth : {10, 5, 1}) preset.groups.push_back(XgboostGrid(features, depth));
  for (const int leaf : {1, 4}) preset.groups.push_back(ForestGrid(features, leaf));
  preset.groups.push_back(TreeGrid(features));
  preset.groups.push_back(RidgeGrid(features, rows));
  return preset;
}

}  // namespace

std::vector<std::string> PresetNames() { return {kRayPaper}; }

base::Result<Preset> FindPreset(const std::string& name, const Dataset& data) {
  if (name == kRayPaper) return RayPaper(data);
  return base::BadInput(
      fmt::format("unknown preset '{}'{}", name, base::SuggestFrom(name, PresetNames())));
}

}  // namespace reckon::learn
