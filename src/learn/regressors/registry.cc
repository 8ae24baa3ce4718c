#include "learn/regressors/registry.h"

#include <fmt/format.h>

#include "base/text.h"
#include "learn/laws/law_library.h"
#include "learn/regressors/blend.h"
#include "learn/regressors/boosted_trees.h"
#include "learn/regressors/decision_tree.h"
#include "learn/regressors/ernest.h"
#include "learn/regressors/gaussian_process.h"
#include "learn/regressors/generic.h"
#include "learn/regressors/lasso.h"
#include "learn/regressors/nnls.h"
#include "learn/regressors/powers.h"
#include "learn/regressors/random_forest.h"
#include "learn/regressors/ridge.h"
#include "learn/regressors/scaling_law_technique.h"
#include "learn/regressors/stepwise.h"
#include "learn/regressors/svr.h"
#include "learn/regressors/xgboost.h"

namespace reckon::learn {

const std::vector<const Technique*>& AllTechniques() {
  static const RidgeTechnique kRidge;
  static const ErnestTechnique kErnest;
  static const DecisionTreeTechnique kTree;
  static const RandomForestTechnique kForest;
  static const BoostedTreesTechnique kBoost;
  static const XgboostTechnique kXgboost;
  static const PowersTechnique kPowers;
  static const GenericTechnique kGeneric;
  static const GaussianProcessTechnique kProcess;
  static const LassoTechnique kLasso;
  static const StepwiseTechnique kStepwise;
  static const NnlsTechnique kNnls;
  static const SvrTechnique kSvr;
  static const BlendTechnique kBlend;
  static const std::vector<ScalingLawTechnique> kLaws = ScalingLawTechniques();
  static const std::vector<const Technique*> kAll = [] {
    std::vector<const Technique*> all{&kRidge,    &kErnest, &kTree,    &kForest,  &kBoost,
                                      &kXgboost,  &kPowers, &kGeneric, &kProcess, &kLasso,
                                      &kStepwise, &kNnls,   &kSvr};
    for (const ScalingLawTechnique& law : kLaws) all.push_back(&law);
    all.push_back(&kBlend);
    return all;
  }();
  return kAll;
}

std::vector<std::string> TechniqueNames() {
  std::vector<std::string> names;
  for (const Technique* technique : AllTechniques()) names.emplace_back(technique->name());
  return names;
}

base::Result<const Technique*> FindTechnique(std::string_view name) {
  for (const Technique* technique : AllTechniques()) {
    if (technique->name() == name) return technique;
  }
  return base::BadInput(
      fmt::format("unknown technique '{}'{}", name, base::SuggestFrom(name, TechniqueNames())));
}

}  // namespace reckon::learn
