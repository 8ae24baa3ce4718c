#include "learn/regressors/generic.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "learn/regressors/generic_fit.h"
#include "learn/regressors/law_predictor.h"

namespace reckon::learn {
namespace {

constexpr std::array<double, 6> kLambdas{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};

// Beyond these a fit takes seconds, and such tables have no rows for so many parameters.
constexpr size_t kMostPowers = 20;
constexpr size_t kMostParameters = 100;

LawPenalty PenaltyOf(const Candidate& candidate) {
  for (const auto& [name, value] : candidate.settings) {
    if (name == "l1") return {LawPenalty::Kind::kL1, value};
    if (name == "l2") return {LawPenalty::Kind::kL2, value};
  }
  return {};
}

// Mean and deviation of every parameter over the fits of one candidate.
PowerLawFormula::Spread SpreadOf(const std::vector<std::vector<LawFit>>& fits, size_t candidate,
                                 const Schema& schema) {
  PowerLawFormula::Spread spread;
  spread.fits = fits.size();
  const auto count = static_cast<double>(fits.size());
  std::vector<std::vector<LawParameter>> values;
  for (const auto& fit : fits) values.push_back(LawParameters(fit[candidate].law, schema));
  for (size_t i = 0; i < values.front().size(); ++i) {
    double mean = 0;
    for (const auto& fit : values) mean += fit[i].value / count;
    double sum = 0;
    for (const auto& fit : values) sum += (fit[i].value - mean) * (fit[i].value - mean);
    spread.mean.push_back(mean);
    spread.deviation.push_back(std::sqrt(sum / (count - 1)));
  }
  return spread;
}

}  // namespace

base::Result<std::optional<PenaltyChoice>> ParsePenalty(const std::string& text) {
  if (text.empty() || text == "none") return std::optional<PenaltyChoice>();
  PenaltyChoice choice;
  const size_t equals = text.find('=');
  const std::string kind = text.substr(0, equals);
  if (kind == "l1" || kind == "l2") {
    choice.kind = kind == "l1" ? PenaltyChoice::Kind::kL1 : PenaltyChoice::Kind::kL2;
    if (equals == std::string::npos) return std::optional(choice);
    choice.lambda = base::ParseNumber(std::string_view(text).substr(equals + 1));
    if (choice.lambda && *choice.lambda > 0) return std::optional(choice);
  }
  return base::BadInput(fmt::format(
      "unknown penalty '{}'; expected none, l1, l2, or l1=LAMBDA or l2=LAMBDA above 0", text));
}

std::vector<CandidateGroup> GenericTechnique::Candidates(const Dataset& data, const Roles& roles,
                                                         const Question&,
                                                         const Restrictions& restrictions) const {
  if (restrictions.scale == TargetScale::kLog || data.y.minCoeff() <= 0) return {};
  for (const InputColumn& input : data.schema.inputs) {
    const bool number = input.kind == core::ColumnKind::kNumber;
    if (number && input.Varies() && input.min <= 0) return {};
  }
  const LawShape shape = ShapeOf(data.schema, roles);
  const size_t parameters = ParameterCount(shape, data.schema);
  if (shape.powers() == 0 || shape.powers() > kMostPowers) return {};
  if (parameters > kMostParameters || parameters >= data.rows()) return {};
  CandidateGroup group;
  const Candidate plain{.technique = std::string(name()), .features = {.raw = false}};
  if (!restrictions.penalty) return {{plain}};
  std::vector<double> lambdas(kLambdas.begin(), kLambdas.end());
  if (restrictions.penalty->lambda) lambdas = {*restrictions.penalty->lambda};
  for (const double lambda : lambdas) {
    Candidate candidate = plain;
    const bool l1 = restrictions.penalty->kind == PenaltyChoice::Kind::kL1;
    candidate.settings[l1 ? "l1" : "l2"] = lambda;
    group.push_back(std::move(candidate));
  }
  return {group};
}

base::Result<std::vector<std::unique_ptr<Predictor>>> GenericTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Schema& schema = input.data.schema;
  const LawShape shape = ShapeOf(schema, input.roles);
  std::vector<LawPenalty> penalties;
  for (const Candidate& candidate : group) penalties.push_back(PenaltyOf(candidate));
  std::vector<std::vector<LawFit>> fits;
  for (size_t r = 0; r < std::max<size_t>(input.repeats, 1); ++r) {
    const base::Rng rng = r == 0 ? input.rng : input.rng.Fork(r);
    RECKON_ASSIGN(std::vector<LawFit> fit, FitLaw(input.data, shape, penalties, rng, input.stop));
    fits.push_back(std::move(fit));
  }
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (size_t c = 0; c < group.size(); ++c) {
    const auto best = std::min_element(fits.begin(), fits.end(), [&](const auto& a, const auto& b) {
      return a[c].cost < b[c].cost;
    });
    PowerLawFormula law = (*best)[c].law;
    if (fits.size() > 1) law.spread = SpreadOf(fits, c, schema);
    predictors.push_back(std::make_unique<LawPredictor>(std::move(law)));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> GenericTechnique::Load(const base::Json& json,
                                                                const Schema& schema) const {
  return LawPredictor::Load(json, schema);
}

}  // namespace reckon::learn
