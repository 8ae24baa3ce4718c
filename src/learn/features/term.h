// Features: products of simple functions of columns, each with a name people can read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "learn/dataset.h"

namespace reckon::learn {

// A simple function of one column.
struct Factor {
  enum class Form { kRaw, kInverse, kLog, kLevel };
  Form form = Form::kRaw;
  size_t column = 0;  // index into Schema::inputs
  size_t level = 0;   // kLevel: 1 where the column has this level, else 0

  bool operator==(const Factor&) const = default;
};

// A product of factors; the empty product is the constant 1.
struct Term {
  std::vector<Factor> factors;

  bool operator==(const Term&) const = default;
};

// "workers", "1/workers", "log(workers)", "[gpu=k80]", "batch * 1/workers".
std::string TermName(const Term& term, const Schema& schema);

// The terms a model is made of, evaluated together.
class FeatureMap {
 public:
  FeatureMap() = default;
  explicit FeatureMap(std::vector<Term> terms);

  const std::vector<Term>& terms() const { return terms_; }
  // rows x terms. Inputs must be in the domain (see DomainProblem).
  Matrix Apply(const Matrix& x) const;

  // Says why `x` (a row of inputs) is outside the domain of a term, e.g. log of a value <= 0; empty
  // when it is inside.
  std::string DomainProblem(const Eigen::Ref<const Eigen::RowVectorXd>& x,
                            const Schema& schema) const;

  base::Json ToJson(const Schema& schema) const;
  // kCorrupt when the text names columns or levels that the schema does not have.
  static base::Result<FeatureMap> FromJson(const base::Json& json, const Schema& schema);

 private:
  std::vector<Term> terms_;
  std::vector<Factor> factors_;                    // of all terms, each once
  std::vector<std::vector<Eigen::Index>> places_;  // of each term's factors in factors_
};

}  // namespace reckon::learn
