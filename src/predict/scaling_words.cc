#include "predict/scaling_words.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace reckon::predict {
namespace {

// Less than this changes a time by 1 % when the column grows tenfold.
constexpr double kFlat = 0.005;

std::string Line(const std::string& target, const learn::InputColumn& input, double power) {
  if (std::fabs(power) < kFlat) return fmt::format("{} does not depend on {}", target, input.name);
  std::string line =
      fmt::format("{} {} as {}^{:.2f}", target, power < 0 ? "falls" : "grows", input.name, power);
  // More of a batch is no machine that could be ideally used.
  if (power > 0 || learn::IsBatch(input) || !(input.min > 0 && input.max > input.min)) return line;
  const double efficiency = std::pow(input.max / input.min, -power - 1);
  const std::string from =
      input.min == 1 ? "at" : fmt::format("from {} to", base::RoundTrip(input.min));
  return line + fmt::format(": {:.0f} % of ideal {} {} {}", 100 * efficiency, from,
                            base::RoundTrip(input.max), input.name);
}

double CoefficientOf(const learn::ScalingLaw& law, std::string_view parameter) {
  for (const learn::LawTerm& term : law.terms) {
    if (term.parameter == parameter) return term.coefficient;
  }
  return 0;
}

// What the authors of a law would say of its coefficients.
void AddMeaning(const learn::ScalingLaw& law, std::vector<std::string>& lines) {
  if (law.name == "amdahl") {
    const double serial = CoefficientOf(law, "serial");
    const double share = serial / (serial + CoefficientOf(law, "parallel"));
    lines.push_back(fmt::format("{:.2g} % is not divided among the workers", 100 * share));
    if (share > 0) lines.back() += fmt::format(": at most {:.1f} times as fast as one", 1 / share);
  }
  const double t1 = CoefficientOf(law, "T1");
  if (law.name == "usl" && t1 > 0) {
    const double sigma = CoefficientOf(law, "T1*sigma") / t1;
    const double kappa = CoefficientOf(law, "T1*kappa") / t1;
    lines.push_back(fmt::format("contention sigma = {}, coherence kappa = {}",
                                base::FormatNumber(sigma), base::FormatNumber(kappa)));
    if (kappa > 0 && sigma < 1) {
      lines.push_back(
          fmt::format("fastest at {:.0f} workers", std::max(1.0, std::sqrt((1 - sigma) / kappa))));
    }
  }
}

std::vector<std::string> LawInWords(const learn::ScalingLaw& law) {
  std::vector<std::string> values;
  std::vector<std::string> untold;
  constexpr size_t kFew = 8;  // laws of more terms than this do without most of them
  size_t nothing = 0;
  for (const learn::LawTerm& term : law.terms) {
    if (law.terms.size() > kFew && !term.frozen && term.coefficient == 0) {
      ++nothing;
      continue;
    }
    (term.frozen ? untold : values)
        .push_back(fmt::format("{} = {}", term.parameter, base::FormatNumber(term.coefficient)));
  }
  if (nothing > 0) values.push_back(fmt::format("{} more are 0", nothing));
  if (law.overlap != 1) values.push_back("overlap = " + base::FormatNumber(law.overlap));
  std::vector<std::string> lines{base::Join(values, ", ")};
  if (!untold.empty()) {
    lines.push_back(fmt::format("not measured, frozen: {}", base::Join(untold, ", ")));
  }
  AddMeaning(law, lines);
  return lines;
}

// Of models that have no power of their own: the power that leads from the smallest measured value
// to the largest, all else as usual.
std::vector<std::string> TypicalScaling(const learn::Model& model) {
  const std::vector<learn::InputColumn>& inputs = model.schema.inputs;
  learn::Matrix x(2, static_cast<Eigen::Index>(inputs.size()));
  for (size_t j = 0; j < inputs.size(); ++j) {
    x.col(static_cast<Eigen::Index>(j)).setConstant(inputs[j].typical);
  }
  std::vector<std::string> lines;
  for (size_t j = 0; j < inputs.size(); ++j) {
    const learn::InputColumn& input = inputs[j];
    if (input.kind != core::ColumnKind::kNumber || !(input.min > 0 && input.max > input.min)) {
      continue;
    }
    learn::Matrix ends = x;
    ends.col(static_cast<Eigen::Index>(j)) << input.min, input.max;
    const learn::Vector times = model.fitted.Predict(ends);
    if (!(times.minCoeff() > 0)) continue;
    lines.push_back(Line(model.schema.target, input,
                         std::log(times(1) / times(0)) / std::log(input.max / input.min)));
  }
  if (!lines.empty()) lines.insert(lines.begin(), "from end to end of what was measured:");
  return lines;
}

}  // namespace

std::vector<std::string> ScalingInWords(const learn::Model& model) {
  const learn::Formula formula = model.fitted.predictor->ToFormula();
  if (const auto* scaling = std::get_if<learn::ScalingLawFormula>(&formula))
    return LawInWords(*scaling);
  const auto* law = std::get_if<learn::PowerLawFormula>(&formula);
  if (law == nullptr) return TypicalScaling(model);
  std::vector<std::string> lines;
  for (const auto& term : law->extrinsic) {
    lines.push_back(Line(model.schema.target, model.schema.inputs[term.column], term.power));
  }
  if (law->constant > 0 && !lines.empty()) {
    lines.push_back(fmt::format("on top of a constant {} that nothing scales",
                                base::FormatNumber(law->constant)));
  }
  return lines;
}

}  // namespace reckon::predict
