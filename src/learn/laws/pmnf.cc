#include "learn/laws/pmnf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "learn/laws/fit_scaling_law.h"
#include "numeric/box_least_squares.h"
#include "numeric/stats.h"

namespace reckon::learn {
namespace {

using Eigen::Index;
using FactorForm = LawFactor::Form;
using Factors = std::vector<LawFactor>;

constexpr std::array kPowers{0.0,     1 / 4.0, 1 / 3.0, 1 / 2.0,  2 / 3.0, 3 / 4.0, 1.0,
                             5 / 4.0, 4 / 3.0, 3 / 2.0, 5 / 3.0,  7 / 4.0, 2.0,     9 / 4.0,
                             7 / 3.0, 5 / 2.0, 8 / 3.0, 11 / 4.0, 3.0};
constexpr std::array kFallingPowers{-1 / 4.0, -1 / 3.0, -1 / 2.0, -2 / 3.0,
                                    -3 / 4.0, -1.0,     -3 / 2.0, -2.0};
constexpr size_t kMostColumns = 3;
constexpr size_t kMostLines = 12;
constexpr int kRounds = 4;
constexpr size_t kLeastValues = 3;    // of a column, to say how it scales
constexpr double kExact = 1e-10;      // mean squared relative error below which all fit alike
constexpr double kWorthATerm = 0.02;  // relative fall of the error that a further term must bring

// x^i log2(x)^j for one column; logarithms only where they are not negative.
std::vector<Factors> Hypotheses(size_t column, double least) {
  std::vector<Factors> all;
  const auto add = [&](double power, double logs) {
    Factors factors;
    if (power != 0) factors.push_back({FactorForm::kPower, column, power});
    if (logs != 0) factors.push_back({FactorForm::kLog2, column, logs});
    if (!factors.empty()) all.push_back(std::move(factors));
  };
  for (const double power : kPowers) {
    for (const double logs : {0.0, 1.0, 2.0}) {
      if (logs == 0 || least >= 1) add(power, logs);
    }
  }
  for (const double power : kFallingPowers) add(power, 0);
  return all;
}

// Relative least squares with coefficients >= 0 over chosen columns of one Gram matrix.
class RelativeErrors {
 public:
  // `values`: rows x terms; `time` of the rows.
  RelativeErrors(const Matrix& values, const Vector& time, const Vector& weight) {
    const Vector scale = weight.cwiseSqrt().cwiseQuotient(time);
    const Matrix relative = scale.asDiagonal() * values;
    gram_ = relative.transpose() * relative;
    moment_ = relative.transpose() * weight.cwiseSqrt();
    total_ = weight.sum();
  }

  double total() const { return total_; }

  // The weighted sum of squared relative errors of the best coefficients.
  double Of(const std::vector<size_t>& chosen) {
    const auto size = static_cast<Index>(chosen.size());
    Matrix gram(size, size);
    Vector moment(size);
    for (Index a = 0; a < size; ++a) {
      const auto at = static_cast<Index>(chosen[static_cast<size_t>(a)]);
      moment(a) = moment_(at);
      for (Index b = 0; b < size; ++b) {
        gram(a, b) = gram_(at, static_cast<Index>(chosen[static_cast<size_t>(b)]));
      }
    }
    Vector x = Vector::Zero(size);
    solver_.Solve(gram, moment, Vector::Zero(size), Vector::Constant(size, 1e300), x);
    return std::max(0.0, total_ - 2 * moment.dot(x) + x.dot(gram * x));
  }

 private:
  Matrix gram_;
  Vector moment_;
  double total_ = 0;
  numeric::BoxLeastSquares solver_;
};

Matrix ValuesOf(const std::vector<Factors>& products, const Matrix& x) {
  Matrix values(x.rows(), static_cast<Index>(products.size()) + 1);
  values.col(0).setOnes();
  for (size_t h = 0; h < products.size(); ++h) {
    LawTerm term;
    term.factors = products[h];
    values.col(static_cast<Index>(h) + 1) = TermValues(term, x);
  }
  return values;
}

size_t DistinctCount(const Matrix& x, size_t column, const std::vector<size_t>& rows) {
  std::vector<double> cells;
  for (const size_t row : rows) {
    cells.push_back(x(static_cast<Index>(row), static_cast<Index>(column)));
  }
  return numeric::Distinct(cells).size();
}

// Rows that differ in `column` alone, most values first.
std::vector<std::vector<size_t>> Lines(const Matrix& x, size_t column) {
  std::map<std::vector<double>, std::vector<size_t>> by_rest;
  for (Index i = 0; i < x.rows(); ++i) {
    std::vector<double> rest;
    for (Index j = 0; j < x.cols(); ++j) {
      if (static_cast<size_t>(j) != column) rest.push_back(x(i, j));
    }
    by_rest[rest].push_back(static_cast<size_t>(i));
  }
  std::vector<std::vector<size_t>> lines;
  for (auto& [rest, rows] : by_rest) {
    if (DistinctCount(x, column, rows) >= kLeastValues) lines.push_back(std::move(rows));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  return lines;
}

// What a search among hypotheses for one column looks at: lines, or without any all rows, with what
// the other columns seem to do taken out.
std::vector<RelativeErrors> LineErrors(const Configurations& rows, size_t column,
                                       const std::vector<Factors>& hypotheses,
                                       const std::vector<LawInput>& others) {
  const Vector weight = ConfigurationWeights(rows);
  const Matrix values = ValuesOf(hypotheses, rows.x);
  std::vector<RelativeErrors> errors;
  for (const std::vector<size_t>& line : Lines(rows.x, column)) {
    errors.emplace_back(values(line, Eigen::all), rows.target(line).array().exp().matrix(),
                        weight(line));
  }
  if (!errors.empty()) return errors;
  const Matrix inputs = LawInputs::Apply(others, rows.x);
  const Matrix own = LawInputs::Apply({{LawInput::Form::kLog, column, 0, 0, 1e300}}, rows.x);
  Matrix curved(own.rows(), 2);
  curved << own, own.cwiseAbs2();
  Vector rest = rows.target;
  if (inputs.cols() > 0) rest -= inputs * GuessInputWeights(inputs, curved, rows.target);
  errors.emplace_back(values, rest.array().exp().matrix(), weight);
  return errors;
}

std::vector<Factors> BestForColumn(const Configurations& rows, size_t column, size_t most,
                                   const std::vector<LawInput>& others) {
  const std::vector<Factors> hypotheses =
      Hypotheses(column, rows.x.col(static_cast<Index>(column)).minCoeff());
  std::vector<RelativeErrors> lines = LineErrors(rows, column, hypotheses, others);
  double total = 0;
  for (const RelativeErrors& line : lines) total += line.total();
  const auto error = [&](const std::vector<size_t>& chosen) {
    double sum = 0;
    for (RelativeErrors& line : lines) sum += line.Of(chosen);
    return std::max(sum / total, kExact);
  };
  const auto best_beside = [&](size_t other) {
    size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t h = 1; h <= hypotheses.size(); ++h) {
      if (h == other) continue;
      const double tried =
          error(other == 0 ? std::vector<size_t>{0, h} : std::vector<size_t>{0, h, other});
      // Of those that say the same, the first.
      if (tried >= least * (1 - 1e-9)) continue;
      least = tried;
      best = h;
    }
    return std::pair(best, least);
  };
  const auto worth = [](double with, double without) { return with < without * (1 - kWorthATerm); };
  const auto [single, single_error] = best_beside(0);
  std::vector<size_t> best;
  if (worth(single_error, error({0}))) best = {single};
  if (most > 1 && !best.empty()) {
    // Each term in turn is the best companion of the other.
    size_t second = single;
    for (int round = 0; round < kRounds; ++round) {
      const auto [found, found_error] = best_beside(second);
      if (worth(found_error, single_error)) best = {second, found};
      second = found;
    }
  }
  std::vector<Factors> terms;
  for (const size_t h : best) terms.push_back(hypotheses[h - 1]);
  return terms;
}

// The columns worth a term of their own, those with a role first.
std::vector<size_t> Columns(const LawSource& source) {
  std::vector<size_t> columns;
  const auto add = [&](const std::optional<size_t>& column) {
    if (!column || columns.size() == kMostColumns) return;
    const InputColumn& input = source.data.schema.inputs[*column];
    if (input.kind != core::ColumnKind::kNumber || !(input.min > 0)) return;
    const auto cells = source.data.x.col(static_cast<Index>(*column));
    if (numeric::Distinct(std::vector<double>(cells.begin(), cells.end())).size() < kLeastValues) {
      return;
    }
    if (std::find(columns.begin(), columns.end(), *column) == columns.end()) {
      columns.push_back(*column);
    }
  };
  const Roles& roles = source.roles;
  for (const auto& column : {source.question.extrapolate, roles.workers, roles.size, roles.batch,
                             roles.servers, roles.bytes, roles.nodes}) {
    add(column);
  }
  for (const LawInput& input : ChooseLawInputs(source.data, source.question, columns).scaling) {
    if (input.form == LawInput::Form::kLog) add(input.column);
  }
  return columns;
}

// All products of at most one term of each column; the constant is not among them.
std::vector<Factors> Products(const std::vector<std::vector<Factors>>& columns) {
  std::vector<Factors> products{{}};
  for (const std::vector<Factors>& terms : columns) {
    const size_t before = products.size();
    for (const Factors& term : terms) {
      for (size_t i = 0; i < before; ++i) {
        Factors product = products[i];
        product.insert(product.end(), term.begin(), term.end());
        products.push_back(std::move(product));
      }
    }
  }
  products.erase(products.begin());
  return products;
}

// Leaves out terms while that costs next to nothing.
std::vector<size_t> WorthKeeping(RelativeErrors& errors, size_t count, double rows) {
  std::vector<size_t> kept;
  for (size_t i = 0; i <= count; ++i) kept.push_back(i);
  const auto error = [&](const std::vector<size_t>& chosen) {
    return std::max(errors.Of(chosen) / errors.total(), kExact);
  };
  double now = error(kept);
  while (kept.size() > 2) {
    double least = std::numeric_limits<double>::infinity();
    size_t leave = 0;
    for (size_t i = 1; i < kept.size(); ++i) {  // the constant stays
      std::vector<size_t> without = kept;
      without.erase(without.begin() + static_cast<ptrdiff_t>(i));
      const double tried = error(without);
      if (tried < least) {
        least = tried;
        leave = i;
      }
    }
    const bool too_many = static_cast<double>(kept.size()) > rows / 2;
    if (!too_many && least > now * (1 + kWorthATerm)) break;
    kept.erase(kept.begin() + static_cast<ptrdiff_t>(leave));
    now = least;
  }
  return kept;
}

}  // namespace

std::vector<LawSettings> PmnfVariants(const LawSource& source) {
  if (Columns(source).empty()) return {};
  return {{{"terms", 1}}, {{"terms", 2}}};
}

std::vector<LawTerm> PmnfTerms(const LawSource& source, const LawSettings& settings) {
  const Configurations rows =
      CollapseRepeats(source.data.x, source.data.y.array().log().matrix(), Middle::kMedian);
  const std::vector<size_t> columns = Columns(source);
  const auto most = static_cast<size_t>(settings.at("terms"));
  const LawInputs inputs = ChooseLawInputs(source.data, source.question, columns);
  std::vector<LawInput> all = inputs.scaling;
  all.insert(all.end(), inputs.levels.begin(), inputs.levels.end());
  std::vector<std::vector<Factors>> best;
  for (const size_t column : columns) {
    std::vector<LawInput> others;
    for (const LawInput& input : all) {
      if (input.column != column) others.push_back(input);
    }
    best.push_back(BestForColumn(rows, column, most, others));
  }
  const std::vector<Factors> products = Products(best);
  // What is left over for the other columns is taken out before products are compared.
  std::vector<LawInput> left;
  std::vector<LawInput> known;
  for (const LawInput& input : all) {
    const bool own = std::find(columns.begin(), columns.end(), input.column) != columns.end();
    (own ? known : left).push_back(input);
  }
  const Matrix left_values = LawInputs::Apply(left, rows.x);
  Vector rest = rows.target;
  if (!left.empty()) {
    rest -=
        left_values * GuessInputWeights(left_values, LawInputs::Apply(known, rows.x), rows.target);
  }
  RelativeErrors errors(ValuesOf(products, rows.x), rest.array().exp().matrix(),
                        ConfigurationWeights(rows));
  std::vector<LawTerm> terms;
  for (const size_t kept :
       WorthKeeping(errors, products.size(), static_cast<double>(rows.x.rows()))) {
    LawTerm term;
    term.parameter = fmt::format("c{}", terms.size());
    term.part = LawPart::kExchange;
    if (kept > 0) term.factors = products[kept - 1];
    for (const LawFactor& factor : term.factors) {
      const bool falls = factor.form == FactorForm::kPower && factor.number < 0;
      if (falls && factor.column == source.roles.workers) term.part = LawPart::kCompute;
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

}  // namespace reckon::learn
