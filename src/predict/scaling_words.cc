#include "predict/scaling_words.h"

#include <cmath>

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

}  // namespace

std::vector<std::string> ScalingInWords(const learn::Model& model) {
  const learn::Formula formula = model.fitted.predictor->ToFormula();
  const auto* law = std::get_if<learn::PowerLawFormula>(&formula);
  std::vector<std::string> lines;
  if (law == nullptr) return lines;
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
