#include "learn/laws/steps_law.h"

#include <algorithm>
#include <utility>

namespace reckon::learn {
namespace {

using FactorForm = LawFactor::Form;
using Factors = std::vector<LawFactor>;

// Something that a time may be proportional to, and what its coefficient is called after.
struct Amount {
  std::string name;
  Factors factors;
};

Amount Of(const std::string& name, const std::optional<size_t>& column) {
  return {name, column ? Factors{{FactorForm::kPower, *column, 1}} : Factors{}};
}

// Powers of one column are gathered in one factor.
void Multiply(Factors& factors, const Factors& more) {
  for (const LawFactor& factor : more) {
    const auto same = std::find_if(factors.begin(), factors.end(), [&](const LawFactor& one) {
      return one.form == FactorForm::kPower && factor.form == FactorForm::kPower &&
             one.column == factor.column;
    });
    if (same == factors.end()) {
      factors.push_back(factor);
    } else {
      same->number += factor.number;
      if (same->number == 0) factors.erase(same);
    }
  }
}

class Terms {
 public:
  Terms(const Roles& roles, bool shared) : roles_(roles) {
    const size_t w = *roles.workers;
    images_ = {"image", {{FactorForm::kPower, *roles.size, 1}, {FactorForm::kPower, w, -1}}};
    if (roles.epochs) images_.factors.push_back({FactorForm::kPower, *roles.epochs, 1});
    batch_ = {{FactorForm::kPower, *roles.batch, 1}};
    if (shared) batch_.push_back({FactorForm::kPower, w, -1});
    steps_ = {"step", images_.factors};
    for (const LawFactor& factor : batch_) {
      Multiply(steps_.factors, {{FactorForm::kPower, factor.column, -factor.number}});
    }
    together_ = {"together", {{FactorForm::kAbove, w, 1}}};
    each_ = {"each", {{FactorForm::kExcess, w, 1}}};
    part_ = {"part", {{FactorForm::kExcess, w, 1}, {FactorForm::kPower, w, -1}}};
    depth_ = {"depth", {{FactorForm::kLog2, w, 1}}};
  }

  std::vector<LawTerm> All() && {
    AddImages();
    AddSteps();
    AddOnce();
    return std::move(terms_);
  }

 private:
  // What is computed for an image: by count of operations and of numbers that layers give, or the
  // same for all.
  std::vector<Amount> Computed() const {
    std::vector<Amount> computed;
    if (roles_.work) computed.push_back(Of("work", roles_.work));
    if (roles_.activations) computed.push_back(Of("activations", roles_.activations));
    if (computed.empty()) computed.push_back({"", {}});
    return computed;
  }

  void AddImages() {
    for (const Amount& amount : Computed()) {
      Add(LawPart::kCompute, {images_, amount});
      if (!roles_.threads) continue;
      Add(LawPart::kCompute,
          {images_, amount, {"threads", {{FactorForm::kPower, *roles_.threads, -1}}}});
    }
    // Workers that share a machine's memory slow each other down.
    Add(LawPart::kExchange, {images_, Computed().front(), depth_});
    Add(LawPart::kExchange, {images_, Computed().front(), each_});
  }

  void AddSteps() {
    std::vector<Amount> amounts{{"", {}}};
    if (roles_.activations) amounts.push_back(Of("activations", roles_.activations));
    if (roles_.bytes) amounts.push_back(Of("bytes", roles_.bytes));
    for (const Amount& amount : amounts) {
      Add(LawPart::kCompute, {steps_, amount});
      for (const Amount& spread : {together_, each_, part_, depth_}) {
        Add(LawPart::kExchange, {steps_, amount, spread});
      }
    }
  }

  void AddOnce() {
    std::vector<Amount> amounts{{"", {}}};
    if (roles_.bytes) amounts.push_back(Of("bytes", roles_.bytes));
    for (Amount amount : Computed()) {
      amount.name = amount.name.empty() ? "batch" : "batch_" + amount.name;
      Multiply(amount.factors, batch_);
      amounts.push_back(std::move(amount));
    }
    for (const Amount& amount : amounts) {
      Add(LawPart::kCompute, {{"once", {}}, amount});
      Add(LawPart::kExchange, {{"once", {}}, amount, each_});
    }
  }

  void Add(LawPart part, const std::vector<Amount>& amounts) {
    LawTerm term;
    term.part = part;
    for (const Amount& amount : amounts) {
      if (!term.parameter.empty() && !amount.name.empty()) term.parameter += "_";
      term.parameter += amount.name;
      Multiply(term.factors, amount.factors);
    }
    terms_.push_back(std::move(term));
  }

  const Roles& roles_;
  Amount images_;  // of a worker
  Amount steps_;
  Factors batch_;  // of a worker
  // What grows with workers: there are others; how many; the part of all that is theirs; the depth
  // of a tree of them.
  Amount together_;
  Amount each_;
  Amount part_;
  Amount depth_;
  std::vector<LawTerm> terms_;
};

}  // namespace

std::vector<LawSettings> StepsVariants(const LawSource& source) {
  std::vector<LawSettings> ways;
  for (const double shared : {0.0, 1.0}) {
    for (const double overlaps : {0.0, 1.0}) {
      ways.push_back({{"shared", shared}, {"overlaps", overlaps}});
      if (!source.question.extrapolate) continue;
      ways.push_back({{"shared", shared}, {"overlaps", overlaps}, {"recency", 2}});
    }
  }
  return ways;
}

std::vector<LawTerm> StepsTerms(const LawSource& source, const LawSettings& settings) {
  return Terms(source.roles, SettingOf(settings, "shared") == 1).All();
}

}  // namespace reckon::learn
