#include "learn/features/augment.h"

#include <algorithm>

namespace reckon::learn {
namespace {

using Form = Factor::Form;

// Whether a form that is restricted to `columns` takes this one.
bool Takes(const std::vector<std::string>& columns, const std::string& name) {
  return columns.empty() || std::find(columns.begin(), columns.end(), name) != columns.end();
}

std::vector<Factor> SimpleFactors(const Dataset& data, const FeatureOptions& options) {
  std::vector<Factor> factors;
  for (size_t j = 0; j < data.schema.inputs.size(); ++j) {
    const InputColumn& input = data.schema.inputs[j];
    if (!input.Varies()) continue;
    if (input.kind == core::ColumnKind::kCategory) {
      for (size_t level = 0; level < input.levels.size(); ++level) {
        factors.push_back({Form::kLevel, j, level});
      }
      continue;
    }
    const bool positive = input.min > 0;
    const bool no_zero = positive || (data.x.col(static_cast<Eigen::Index>(j)).array() != 0).all();
    const size_t before = factors.size();
    if (options.raw) factors.push_back({Form::kRaw, j, 0});
    if (options.inverse && no_zero && Takes(options.inverse_of, input.name))
      factors.push_back({Form::kInverse, j, 0});
    if (options.log && positive && Takes(options.log_of, input.name))
      factors.push_back({Form::kLog, j, 0});
    if (factors.size() == before) factors.push_back({Form::kRaw, j, 0});
  }
  return factors;
}

bool NotTogether(const Factor& a, const Factor& b, const FeatureOptions& options) {
  if (a.column != b.column) return false;
  if (options.interactions_only || a.form == Form::kLevel) return true;
  return (a.form == Form::kRaw && b.form == Form::kInverse) ||
         (a.form == Form::kInverse && b.form == Form::kRaw);
}

// All products of `left` more factors from index `from` on that extend `term`.
bool Extend(const std::vector<Factor>& factors, size_t from, int left,
            const FeatureOptions& options, size_t limit, Term& term, std::vector<Term>& terms) {
  for (size_t i = from; i < factors.size(); ++i) {
    bool useless = false;
    for (const Factor& other : term.factors) {
      useless = useless || NotTogether(other, factors[i], options);
    }
    if (useless) continue;
    term.factors.push_back(factors[i]);
    terms.push_back(term);
    const bool fits = terms.size() <= limit &&
                      (left <= 1 || Extend(factors, i, left - 1, options, limit, term, terms));
    term.factors.pop_back();
    if (!fits) return false;
  }
  return true;
}

}  // namespace

std::optional<FeatureMap> MakeFeatures(const Dataset& data, const FeatureOptions& options,
                                       size_t limit) {
  const std::vector<Factor> factors = SimpleFactors(data, options);
  std::vector<Term> terms;
  Term empty;
  if (!Extend(factors, 0, options.degree, options, limit, empty, terms)) return std::nullopt;
  return FeatureMap(std::move(terms));
}

}  // namespace reckon::learn
