#include "learn/search/finalists.h"

#include <set>

#include <fmt/format.h>

#include "base/parallel.h"
#include "learn/regressors/blend.h"
#include "learn/search/choose_blend.h"

namespace reckon::learn {
namespace {

// The best candidate of each technique, best technique first: indices into the scored.
std::vector<size_t> PickWinners(const Comparison& comparison) {
  std::vector<size_t> winners;
  std::set<const Technique*> seen;
  for (size_t i = 0; i < comparison.scored.size(); ++i) {
    const Trial& trial = comparison.trials[comparison.scored[i].trial];
    if (seen.insert(trial.technique).second) winners.push_back(i);
  }
  return winners;
}

size_t TriedBy(const Technique* technique, const std::vector<Trial>& trials) {
  size_t tried = 0;
  for (const Trial& trial : trials) {
    if (trial.technique == technique) tried += trial.group.size();
  }
  return tried;
}

std::vector<SelectionResidual> Residuals(const SelectionRows& rows, const Vector& predicted,
                                         const Vector& spread) {
  std::vector<SelectionResidual> residuals;
  for (Eigen::Index i = 0; i < predicted.size(); ++i) {
    residuals.push_back(
        {rows.truth(i), predicted(i), rows.distance[static_cast<size_t>(i)], spread(i)});
  }
  return residuals;
}

class Finals {
 public:
  Finals(const Comparison& comparison, const FinalPlan& plan)
      : comparison_(comparison), plan_(plan), winners_(PickWinners(comparison)) {
    if (plan.blend && comparison.rows.relative) {
      parts_ = ChooseBlend(comparison.scored, comparison.rows, plan.question);
    }
    if (parts_.size() < 2) parts_.clear();
  }

  base::Status Fit(const std::stop_token& stop, base::Progress& progress) {
    std::vector<size_t> wanted = winners_;
    for (const BlendPart& part : parts_) wanted.push_back(part.scored);
    fitted_.resize(wanted.size());
    progress.Begin("fitting the best", wanted.size());
    base::Status done = base::ParallelFor(wanted.size(), plan_.jobs, stop, [&](size_t w) {
      base::Status status = FitOne(wanted[w], stop, fitted_[w]);
      progress.Advance(1);
      return status;
    });
    progress.End();
    return done;
  }

  Finalists Finish() {
    AddBlend();
    for (size_t w = 0; w < winners_.size(); ++w) {
      const Scored& best = comparison_.scored[winners_[w]];
      const Technique* technique = comparison_.trials[best.trial].technique;
      if (fitted_[w].predictor == nullptr) {
        finalists_.notes.push_back(fmt::format(
            "technique '{}' could not be fitted to all rows: left out", technique->name()));
        continue;
      }
      Add(std::move(fitted_[w]), best.predicted, Vector::Zero(comparison_.rows.truth.size()),
          TriedBy(technique, comparison_.trials));
    }
    return std::move(finalists_);
  }

 private:
  // What could be fitted to parts but not to the whole is out; the others go on.
  base::Status FitOne(size_t scored, const std::stop_token& stop, Fitted& out) const {
    const Scored& best = comparison_.scored[scored];
    const Trial& trial = comparison_.trials[best.trial];
    const CandidateGroup alone{trial.group[best.candidate]};
    auto predictors = trial.technique->Fit(
        {plan_.data, plan_.roles, plan_.rng.Fork(scored), plan_.question, plan_.repeats, stop},
        alone);
    if (predictors.ok()) {
      out = {alone.front(), std::move(predictors->front()), RangeOf(plan_.data.y)};
    } else if (predictors.error().code() != base::ErrorCode::kFailed) {
      return std::move(predictors).error();
    }
    return {};
  }

  void AddBlend() {
    std::vector<BlendMember> members;
    std::vector<BlendPart> used;
    double weight = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      Fitted& member = fitted_[winners_.size() + i];
      if (member.predictor == nullptr) continue;
      members.push_back({parts_[i].weight, std::move(member)});
      used.push_back(parts_[i]);
      weight += parts_[i].weight;
    }
    if (members.size() < 2) return;
    for (size_t i = 0; i < members.size(); ++i) {
      members[i].weight /= weight;
      used[i].weight /= weight;
    }
    Fitted blend;
    blend.candidate = {.technique = "blend",
                       .scale = TargetScale::kLog,
                       .features = {.raw = false},
                       .settings = {}};
    blend.candidate.settings["members"] = static_cast<double>(members.size());
    blend.predictor = std::make_unique<BlendPredictor>(TargetScale::kLog, std::move(members));
    blend.range = RangeOf(plan_.data.y);
    Add(std::move(blend), BlendPredictions(comparison_.scored, used),
        BlendSpread(comparison_.scored, used), 1);
  }

  void Add(Fitted model, const Vector& predicted, const Vector& spread, size_t tried) {
    Contender contender;
    contender.fitted = std::move(model);
    contender.training = Measure(plan_.data.y, contender.fitted.Predict(plan_.data.x));
    contender.selection = Measure(comparison_.rows.truth, predicted);
    contender.tried = tried;
    contender.residuals = Residuals(comparison_.rows, predicted, spread);
    finalists_.contenders.push_back(std::move(contender));
  }

  const Comparison& comparison_;
  const FinalPlan& plan_;
  std::vector<size_t> winners_;
  std::vector<BlendPart> parts_;
  std::vector<Fitted> fitted_;  // the winners, then the parts of the blend
  Finalists finalists_;
};

}  // namespace

base::Result<Finalists> FitFinalists(const Comparison& comparison, const FinalPlan& plan,
                                     const std::stop_token& stop, base::Progress& progress) {
  Finals finals(comparison, plan);
  RECKON_TRY(finals.Fit(stop, progress));
  Finalists finalists = finals.Finish();
  if (finalists.contenders.empty()) {
    return base::Error(base::ErrorCode::kFailed, "no technique could be fitted to all rows");
  }
  return finalists;
}

}  // namespace reckon::learn
