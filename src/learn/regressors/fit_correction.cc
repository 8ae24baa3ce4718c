#include "learn/regressors/fit_correction.h"

#include <algorithm>

#include "learn/regressors/feature_sets.h"
#include "learn/regressors/process_fit.h"
#include "learn/trees/ensemble.h"

namespace reckon::learn {
namespace {

constexpr size_t kResidualCentres = 500;

std::optional<FeatureMap> ProcessFeatures(const Dataset& data) {
  return MakeFeatures(data, {.raw = false, .log = true}, kMostProcessTerms);
}

Configurations LogRows(const Dataset& data) {
  return CollapseRepeats(data.x, ToScale(data.y, TargetScale::kLog), Middle::kMean);
}

}  // namespace

CandidateGroup WithCorrections(const Candidate& law, const std::vector<double>& trees_inside,
                               const Dataset& data, const Question& question, bool with_process) {
  static const std::vector<double> kBeyond{0, 60, 200};
  CandidateGroup group;
  for (const double trees : question.extrapolate ? kBeyond : trees_inside) {
    group.push_back(law);
    group.back().settings["trees"] = trees;
  }
  if (with_process && !question.extrapolate && ProcessFeatures(data)) {
    group.push_back(group.front());
    group.back().settings["process"] = 1;
  }
  return group;
}

Vector CorrectionFit::LeftOver(const Configurations& rows) const {
  return rows.target - log_time_(rows.x);
}

base::Status CorrectionFit::Prepare(const CandidateGroup& group) {
  double most = 0;
  for (const Candidate& candidate : group)
    most = std::max(most, SettingOf(candidate.settings, "trees"));
  if (most == 0) return {};
  features_ = MakeFeatures(input_.data, FeatureOptions{}, kMostTreeTerms);
  if (!features_) return base::Error(base::ErrorCode::kFailed, "too many features for trees");
  const Configurations rows = LogRows(input_.data);
  BoostingOptions options;
  options.trees = static_cast<int>(most);
  options.rate = 0.08;
  options.row_share = 0.8;
  options.column_share = 0.8;
  options.tree.max_depth = 4;
  boosted_ = Boost(BinnedFeatures(features_->Apply(rows.x)), LeftOver(rows), rows.count, options,
                   input_.rng);
  return {};
}

// On log columns.
base::Result<std::shared_ptr<const Predictor>> CorrectionFit::FitSmooth() const {
  const std::optional<FeatureMap> features = ProcessFeatures(input_.data);
  if (!features) return std::shared_ptr<const Predictor>();
  Configurations rows = LogRows(input_.data);
  rows.target = LeftOver(rows);
  auto process = FitProcess(*features, rows, kResidualCentres, input_.rng);
  if (process.ok()) return std::shared_ptr<const Predictor>(*std::move(process));
  if (process.error().code() != base::ErrorCode::kFailed) return std::move(process).error();
  return std::shared_ptr<const Predictor>();
}

base::Result<LawCorrection> CorrectionFit::For(const Candidate& candidate) const {
  if (input_.stop.stop_requested()) {
    return base::Error(base::ErrorCode::kInterrupted, "interrupted");
  }
  LawCorrection correction;
  const auto trees = static_cast<ptrdiff_t>(SettingOf(candidate.settings, "trees"));
  if (trees > 0) {
    correction.residual = std::make_shared<EnsemblePredictor>(
        *features_, boosted_.base,
        std::vector(boosted_.trees.begin(), boosted_.trees.begin() + trees));
  } else if (candidate.settings.contains("process")) {
    RECKON_ASSIGN(correction.residual, FitSmooth());
  }
  if (!correction) return correction;
  for (const InputColumn& column : input_.data.schema.inputs) {
    const bool number = column.kind == core::ColumnKind::kNumber;
    correction.ranges.emplace_back(number ? column.min : -1, number ? column.max : 1e9);
  }
  return correction;
}

}  // namespace reckon::learn
