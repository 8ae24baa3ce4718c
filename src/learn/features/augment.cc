#include "learn/features/augment.h"

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::learn {
namespace {

using Form = Factor::Form;

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
    if (options.inverse && no_zero) factors.push_back({Form::kInverse, j, 0});
    if (options.log && positive) factors.push_back({Form::kLog, j, 0});
    if (factors.size() == before) factors.push_back({Form::kRaw, j, 0});
  }
  return factors;
}

bool ConstantTogether(const Factor& a, const Factor& b) {
  if (a.column != b.column) return false;
  if (a.form == Form::kLevel) return true;
  return (a.form == Form::kRaw && b.form == Form::kInverse) ||
         (a.form == Form::kInverse && b.form == Form::kRaw);
}

// All products of `left` more factors from index `from` on that extend `term`.
bool Extend(const std::vector<Factor>& factors, size_t from, int left, size_t limit, Term& term,
            std::vector<Term>& terms) {
  for (size_t i = from; i < factors.size(); ++i) {
    bool useless = false;
    for (const Factor& other : term.factors) {
      useless = useless || ConstantTogether(other, factors[i]);
    }
    if (useless) continue;
    term.factors.push_back(factors[i]);
    terms.push_back(term);
    const bool fits =
        terms.size() <= limit && (left <= 1 || Extend(factors, i, left - 1, limit, term, terms));
    term.factors.pop_back();
    if (!fits) return false;
  }
  return true;
}

}  // namespace

std::string FeatureOptionsName(const FeatureOptions& options) {
  std::vector<std::string> parts;
  if (options.raw) parts.emplace_back("raw");
  if (options.inverse) parts.emplace_back("inverse");
  if (options.log) parts.emplace_back("log");
  std::string name = base::Join(parts, "+");
  if (options.degree > 1) name += fmt::format(", degree {}", options.degree);
  return name;
}

base::Result<FeatureOptions> ParseFeatureOptions(const std::string& text) {
  FeatureOptions options{.raw = false};
  for (const std::string_view part : base::Split(text, ',')) {
    const std::string_view name = base::Trim(part);
    if (name == "raw") {
      options.raw = true;
    } else if (name == "inverse") {
      options.inverse = true;
    } else if (name == "log") {
      options.log = true;
    } else {
      return base::BadInput(fmt::format(
          "unknown feature form '{}'; expected raw, inverse and log, separated by commas", name));
    }
  }
  return options;
}

std::optional<FeatureMap> MakeFeatures(const Dataset& data, const FeatureOptions& options,
                                       size_t limit) {
  const std::vector<Factor> factors = SimpleFactors(data, options);
  std::vector<Term> terms;
  Term empty;
  if (!Extend(factors, 0, options.degree, limit, empty, terms)) return std::nullopt;
  return FeatureMap(std::move(terms));
}

}  // namespace reckon::learn
