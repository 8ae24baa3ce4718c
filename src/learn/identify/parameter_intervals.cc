#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "learn/identify/parameters.h"
#include "learn/repeats.h"
#include "learn/search/refit.h"

namespace reckon::learn {
namespace {

constexpr double kOtherSign = 0.01;  // least share of an interval on the other side of 0

using Values = std::map<std::string, double>;  // by the parameter's name

// What corrects a law has no parameters, and takes most of the time.
Fitted WithoutCorrection(const Fitted& model) {
  Fitted plain{model.candidate, nullptr, model.range};
  const auto trees = plain.candidate.settings.find("trees");
  if (trees != plain.candidate.settings.end()) trees->second = 0;
  plain.candidate.settings.erase("process");
  return plain;
}

std::vector<size_t> DrawRows(const Configurations& configurations, base::Rng rng) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < configurations.rows.size(); ++i) {
    const auto& drawn = configurations.rows[rng.Below(configurations.rows.size())];
    rows.insert(rows.end(), drawn.begin(), drawn.end());
  }
  return rows;
}

// The weights of a sum that these rows could tell, by their parameters' names: a level that was not
// drawn, or a column that does not vary, says nothing of its weight.
std::vector<std::string> TermsToldBy(const Matrix& x, const Formula& formula,
                                     const Schema& schema) {
  std::vector<std::string> told;
  if (const auto* linear = std::get_if<LinearFormula>(&formula)) {
    const Matrix values = FeatureMap(linear->terms).Apply(x);
    for (size_t i = 0; i < linear->terms.size(); ++i) {
      const auto column = values.col(static_cast<Eigen::Index>(i));
      if (column.maxCoeff() > column.minCoeff()) {
        told.push_back(WeightName(linear->terms[i], schema));
      }
    }
  } else if (const auto* law = std::get_if<ScalingLawFormula>(&formula)) {
    const auto varies = [&](const LawFactor& factor) {
      const auto cells = x.col(static_cast<Eigen::Index>(factor.column));
      return cells.maxCoeff() > cells.minCoeff();
    };
    for (const LawTerm& term : law->terms) {
      const bool all = std::all_of(term.factors.begin(), term.factors.end(), varies);
      if (all && TermValues(term, x).maxCoeff() > 0) told.push_back(term.parameter);
    }
  }
  return told;
}

// Between the order statistics; `values` sorted, not empty.
double Quantile(const std::vector<double>& values, double share) {
  const double at = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, values.size() - 1);
  const double part = at - static_cast<double>(low);
  return values[low] + part * (values[high] - values[low]);
}

}  // namespace

base::Result<std::vector<ParameterInterval>> ParameterIntervals(
    const Fitted& fitted, const Dataset& data, const Roles& roles, const Question& question,
    const ResampleOptions& options, const std::stop_token& stop, base::Progress& progress) {
  std::vector<ParameterInterval> intervals;
  const Fitted* model = Parametric(fitted);
  if (model == nullptr || options.resamples == 0) return intervals;
  const Fitted plain = WithoutCorrection(*model);
  const Configurations configurations = CollapseRepeats(data.x, data.y, Middle::kMean);
  const base::Rng rng(options.seed);
  const Formula formula = model->predictor->ToFormula();
  std::vector<Values> drawn(options.resamples);
  progress.Begin("resampling", options.resamples);
  const base::Status done =
      base::ParallelFor(options.resamples, options.jobs, stop, [&](size_t r) -> base::Status {
        const Dataset sample = data.Subset(DrawRows(configurations, rng.Fork(2 * r)));
        const auto again = Refit(plain, {sample, roles, rng.Fork(2 * r + 1), question, 1, stop});
        progress.Advance(1);
        if (!again.ok()) return {};  // too few different rows were drawn; the others count
        for (const Parameter& parameter : ParametersOf(*again, data.schema)) {
          if (std::isfinite(parameter.value)) drawn[r][parameter.name] = parameter.value;
        }
        // Which terms a sum has is itself an outcome of its fit: without is as good as 0.
        for (std::string& name : TermsToldBy(sample.x, formula, data.schema)) {
          drawn[r].try_emplace(std::move(name), 0.0);
        }
        return {};
      });
  progress.End();
  RECKON_TRY(done);
  const double tail = (1 - options.level) / 2;
  for (const Parameter& parameter : ParametersOf(*model, data.schema)) {
    std::vector<double> values;
    for (const Values& sample : drawn) {
      if (const auto at = sample.find(parameter.name); at != sample.end()) {
        values.push_back(at->second);
      }
    }
    if (values.empty() || 2 * values.size() < options.resamples) continue;
    std::sort(values.begin(), values.end());
    ParameterInterval interval{parameter, Quantile(values, tail), Quantile(values, 1 - tail)};
    // Resamples of laws with several valleys may all lie on one side of the fit itself.
    interval.lower = std::min(interval.lower, parameter.value);
    interval.upper = std::max(interval.upper, parameter.value);
    // An end that a penalty holds at 0, give or take rounding, is not the other sign.
    const double width = interval.upper - interval.lower;
    const bool holds_zero = std::min(-interval.lower, interval.upper) > kOtherSign * width;
    interval.settled = !holds_zero || width <= std::fabs(parameter.value);
    intervals.push_back(std::move(interval));
  }
  return intervals;
}

std::vector<Unidentified> UncertainParameters(const std::vector<ParameterInterval>& intervals,
                                              const Schema& schema) {
  std::vector<Unidentified> found;
  for (const ParameterInterval& interval : intervals) {
    if (interval.settled || !interval.parameter.column) continue;
    const InputColumn& input = schema.inputs[*interval.parameter.column];
    const std::string next =
        input.kind == core::ColumnKind::kNumber
            ? fmt::format("measure {}={} and {}={} again, all else equal", input.name,
                          base::RoundTrip(input.min), input.name, base::RoundTrip(input.max))
            : fmt::format("measure one configuration with every {}", input.name);
    found.push_back({Unidentified::Kind::kUncertain,
                     {input.name},
                     fmt::format("{} may have either sign: {:.4g} to {:.4g}",
                                 interval.parameter.name, interval.lower, interval.upper),
                     next});
  }
  return found;
}

}  // namespace reckon::learn
