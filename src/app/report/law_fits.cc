#include "app/report/law_fits.h"

#include <cmath>
#include <map>

#include "base/rng.h"
#include "learn/features/roles.h"
#include "learn/regressors/generic.h"
#include "learn/regressors/law_predictor.h"
#include "learn/regressors/registry.h"
#include "numeric/stats.h"

namespace reckon::app {
namespace {

using base::Result;
using Values = std::map<std::string, std::vector<double>>;

// `order`: names of parameters as the law has them.
Result<Values> FitOften(const Prepared& prepared, const std::string& penalty, uint64_t seed,
                        const std::stop_token& stop, std::vector<std::string>& order) {
  const learn::Dataset& data = prepared.data;
  RECKON_ASSIGN(const learn::Roles roles, learn::FindRoles(data.schema, prepared.search.roles));
  RECKON_ASSIGN(const learn::Technique* law, learn::FindTechnique("generic"));
  learn::Restrictions restrictions;
  RECKON_ASSIGN(restrictions.penalty, learn::ParsePenalty(penalty));
  Values values;
  for (const learn::CandidateGroup& group : law->Candidates(data, roles, {}, restrictions)) {
    for (size_t i = 0; i < kLawFits; ++i) {
      RECKON_ASSIGN(
          const auto predictors,
          law->Fit({.data = data, .roles = roles, .rng = base::Rng(seed).Fork(i), .stop = stop},
                   group));
      const learn::Formula formula = predictors.front()->ToFormula();
      for (const auto& parameter :
           learn::LawParameters(std::get<learn::PowerLawFormula>(formula), data.schema)) {
        if (!values.contains(parameter.name)) order.push_back(parameter.name);
        values[parameter.name].push_back(parameter.value);
      }
    }
  }
  return values;
}

double DeviationOf(const std::vector<double>& values) {
  const double mean = numeric::Mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

Result<std::vector<LawFit>> FitLawTenTimes(const Prepared& prepared, uint64_t seed,
                                           std::stop_token stop) {
  std::vector<std::string> order;
  std::vector<std::string> same_order;
  RECKON_ASSIGN(const Values plain, FitOften(prepared, "", seed, stop, order));
  RECKON_ASSIGN(const Values penalised, FitOften(prepared, kLawPenalty, seed, stop, same_order));
  std::vector<LawFit> fits;
  for (const std::string& name : order) {
    LawFit fit{name, numeric::Mean(plain.at(name)), DeviationOf(plain.at(name)), 0, 0};
    if (const auto found = penalised.find(name); found != penalised.end()) {
      fit.l2_mean = numeric::Mean(found->second);
      fit.l2_deviation = DeviationOf(found->second);
    }
    fits.push_back(std::move(fit));
  }
  return fits;
}

}  // namespace reckon::app
