#include "learn/regressors/registry.h"

#include <fmt/format.h>

#include "base/text.h"
#include "learn/laws/law_library.h"
#include "learn/regressors/blend.h"
#include "learn/regressors/boosted_trees.h"
#include "learn/regressors/decision_tree.h"
#include "learn/regressors/ernest.h"
#include "learn/regressors/generic.h"
#include "learn/regressors/powers.h"
#include "learn/regressors/ridge.h"
#include "learn/regressors/scaling_law_technique.h"

namespace reckon::learn {

const std::vector<const Technique*>& AllTechniques() {
  static const RidgeTechnique kRidge;
  static const ErnestTechnique kErnest;
  static const DecisionTreeTechnique kTree;
  static const BoostedTreesTechnique kBoost;
  static const PowersTechnique kPowers;
  static const GenericTechnique kGeneric;
  static const BlendTechnique kBlend;
  static const std::vector<ScalingLawTechnique> kLaws = ScalingLawTechniques();
  static const std::vector<const Technique*> kAll = [] {
    std::vector<const Technique*> all{&kRidge, &kErnest, &kTree, &kBoost, &kPowers, &kGeneric};
    for (const ScalingLawTechnique& law : kLaws) all.push_back(&law);
    all.push_back(&kBlend);
    return all;
  }();
  return kAll;
}

std::vector<const Technique*> DefaultTechniques(const Question& question) {
  std::vector<const Technique*> techniques = AllTechniques();
  for (const LawDescription& law : LawLibrary()) {
    if (law.by_default && question.extrapolate) continue;
    std::erase_if(techniques,
                  [&law](const Technique* technique) { return technique->name() == law.name; });
  }
  return techniques;
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
