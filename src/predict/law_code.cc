#include "predict/law_code.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "predict/scaling_law_writer.h"

namespace reckon::predict {
namespace {

using learn::LawInput;

class LawCode {
 public:
  explicit LawCode(CodeLines& lines)
      : lines_(lines), schema_(lines.schema), syntax_(lines.syntax), cpp_(lines.cpp) {}

  void Powers(const learn::PowersPredictor& predictor, const WriteBody& body) {
    const learn::PowersPredictor::Parts& parts = predictor.parts();
    Law("law", parts, parts.law);
    if (parts.limit) Law("falling_law", parts, learn::FallingLaw(parts));
    Limit(parts);
    lines_.Return("limited" + Corrected(parts.correction, body));
  }

  // What ScalingLaw::LogTime does.
  void Scaling(const learn::ScalingLawPredictor& predictor, const WriteBody& body) {
    using learn::LawPart;
    const learn::ScalingLaw& law = predictor.law();
    const std::string corrected = Corrected(predictor.correction(), body);
    lines_.Set("compute", PartText(law, LawPart::kCompute, syntax_));
    std::string exchange = PartText(law, LawPart::kExchange, syntax_);
    if (law.machine) {
      exchange = "(" + exchange + ")";
      for (size_t level = 0; level < law.exchange.size(); ++level) {
        if (law.exchange[level] == 1) continue;
        const std::string here =
            syntax_.LevelText(*law.machine, schema_.inputs[*law.machine].levels[level]);
        exchange += fmt::format(" * {}", lines_.Power(syntax_.Number(law.exchange[level]), here));
      }
    }
    lines_.Set("exchange", exchange);
    const std::string least = syntax_.Number(learn::ScalingLaw::kShortest);
    const std::string most = syntax_.Number(learn::ScalingLaw::kLongest);
    if (law.overlap == 1) {
      lines_.Set("time", "compute + exchange");
    } else {
      const std::string g = syntax_.Number(law.overlap);
      lines_.Set("top", lines_.Max(lines_.Max("compute", "exchange"), least));
      lines_.Set("time", fmt::format("top * {}",
                                     lines_.Power(fmt::format("({} + {})",
                                                              lines_.Power("(compute / top)", g),
                                                              lines_.Power("(exchange / top)", g)),
                                                  fmt::format("(1.0 / {})", g))));
    }
    const auto weights = Eigen::Map<const numeric::Vector>(
        law.weights.data(), static_cast<Eigen::Index>(law.weights.size()));
    std::vector<const LawInput*> inputs;
    for (const LawInput& input : law.inputs) inputs.push_back(&input);
    lines_.Return(fmt::format("{}({}) + ({})", lines_.Math("log"),
                              lines_.Min(lines_.Max("time", least), most),
                              WeightedSum(weights, 0, inputs)) +
                  corrected);
  }

 private:
  // What LawCorrection::Of adds: writes its function, and gives its call.
  std::string Corrected(const learn::LawCorrection& correction, const WriteBody& body) {
    if (!correction) return "";
    lines_.Begin("residual");
    body(*correction.residual);
    lines_.End();
    std::vector<std::string> held(schema_.inputs.size());
    for (size_t j = 0; j < held.size(); ++j) {
      if (schema_.inputs[j].kind != core::ColumnKind::kNumber) continue;
      const auto& [low, high] = correction.ranges[j];
      held[j] =
          lines_.Min(lines_.Max(syntax_.columns[j], syntax_.Number(low)), syntax_.Number(high));
    }
    return fmt::format(" + {} * {}({})", lines_.Call("residual", held), lines_.Math("exp"),
                       Fading(correction, held));
  }

  std::string InputText(const LawInput& input) const {
    std::string cell = syntax_.columns[input.column];
    switch (input.form) {
      case LawInput::Form::kLog:
        cell = lines_.Max(cell, syntax_.Number(std::max(input.low, 1e-300)));
        if (input.high < 1e308) cell = lines_.Min(cell, syntax_.Number(input.high));
        return fmt::format("{}({})", lines_.Math("log"), cell);
      case LawInput::Form::kRaw:
        if (!(input.high > input.low)) return syntax_.Number(0);
        cell = lines_.Min(lines_.Max(cell, syntax_.Number(input.low)), syntax_.Number(input.high));
        return fmt::format("({} - {}) / {}", cell, syntax_.Number(input.low),
                           syntax_.Number(input.high - input.low));
      case LawInput::Form::kLevel:
        return syntax_.LevelText(input.column, schema_.inputs[input.column].levels[input.level]);
      case LawInput::Form::kThreshold:
        return fmt::format(fmt::runtime(cpp_ ? "({} > {} ? 1.0 : 0.0)" : "({} > {})"), cell,
                           syntax_.Number(input.low));
    }
    return "";
  }

  std::string WeightedSum(const Eigen::Ref<const numeric::Vector>& weights, double constant,
                          const std::vector<const LawInput*>& inputs) const {
    std::string sum = syntax_.Number(constant);
    for (size_t j = 0; j < inputs.size(); ++j) {
      const double weight = weights(static_cast<Eigen::Index>(j));
      if (weight == 0) continue;
      sum += fmt::format(" {} {} * {}", weight < 0 ? "-" : "+", syntax_.Number(std::fabs(weight)),
                         InputText(*inputs[j]));
    }
    return sum;
  }

  // Minus how far outside the ranges a row lies, in fade distances.
  std::string Fading(const learn::LawCorrection& correction,
                     const std::vector<std::string>& held) const {
    using learn::LawCorrection;
    std::vector<std::string> distances;
    for (size_t j = 0; j < held.size(); ++j) {
      if (held[j].empty()) continue;
      const auto& [low, high] = correction.ranges[j];
      const std::string& cell = syntax_.columns[j];
      const std::string absolute = lines_.Math("fabs");
      distances.push_back(
          low > 0 ? fmt::format("{}({}({} / {}))", absolute, lines_.Math("log"),
                                lines_.Max(cell, syntax_.Number(LawCorrection::kTiniest)), held[j])
                  : fmt::format("{}({} - {}) / {}", absolute, cell, held[j],
                                syntax_.Number(LawCorrection::RangeWidth(low, high))));
    }
    if (distances.empty()) return "0.0";
    return fmt::format("-({}) / {}", base::Join(distances, " + "),
                       syntax_.Number(LawCorrection::kFadeDistance));
  }

  void Law(const std::string& name, const learn::PowersPredictor::Parts& parts,
           const numeric::PowerSum& law) {
    lines_.Begin(name);
    std::vector<const LawInput*> own;
    std::vector<const LawInput*> shared;
    for (const LawInput& input : parts.inputs.scaling) own.push_back(&input);
    for (const LawInput& input : parts.inputs.levels) {
      (parts.levels_apart ? own : shared).push_back(&input);
    }
    std::vector<std::string> names;
    for (Eigen::Index k = 0; k < law.weights.rows(); ++k) {
      names.push_back(fmt::format("u{}", k + 1));
      const numeric::Vector row = law.weights.row(k);
      lines_.Set(names.back(), WeightedSum(row.tail(row.size() - 1), row(0), own));
    }
    std::string top = names.front();
    for (size_t k = 1; k < names.size(); ++k) top = lines_.Max(top, names[k]);
    lines_.Set("top", top);
    const std::string p = syntax_.Number(law.sharpness);
    std::vector<std::string> exponentials;
    for (const std::string& part : names) {
      exponentials.push_back(fmt::format("{}({} * ({} - top))", lines_.Math("exp"), p, part));
    }
    lines_.Return(fmt::format("top + {}({}) / {} + ({})", lines_.Math("log"),
                              base::Join(exponentials, " + "), p,
                              WeightedSum(law.shared, 0, shared)));
    lines_.End();
  }

  // What PowersPredictor::PredictLaw does beyond the measured range.
  void Limit(const learn::PowersPredictor::Parts& parts) {
    if (!parts.limit) {
      lines_.Set("limited", lines_.CallPlain("law"));
      return;
    }
    const learn::GrowthLimit& limit = *parts.limit;
    const std::string& column = syntax_.columns[limit.column];
    const auto at = [&](double value) {
      std::vector<std::string> arguments(schema_.inputs.size());
      arguments[limit.column] = lines_.Min(column, syntax_.Number(value));
      return lines_.Call("law", arguments);
    };
    lines_.Set("at_end", at(limit.end));
    lines_.Set("slope",
               fmt::format("(at_end - {}) / {}", at(limit.end * learn::GrowthLimit::kSlopeStep),
                           syntax_.Number(-std::log(learn::GrowthLimit::kSlopeStep))));
    lines_.Set("distance", fmt::format("{}({} / {})", lines_.Math("log"),
                                       lines_.Max(column, syntax_.Number(limit.end)),
                                       syntax_.Number(limit.end)));
    lines_.Set("least", fmt::format("at_end + {} * distance",
                                    syntax_.Number(learn::GrowthLimit::kSteepestFall)));
    lines_.Set("most", fmt::format("at_end + ({} + {}) * distance", lines_.Max("slope", "0.0"),
                                   syntax_.Number(learn::GrowthLimit::kExtraGrowth)));
    const std::string plain = lines_.CallPlain("law");
    const auto choose = [&](const std::string& condition, const std::string& then,
                            const std::string& other) {
      return cpp_ ? fmt::format("({} ? {} : {})", condition, then, other)
                  : fmt::format("({} if {} else {})", then, condition, other);
    };
    const std::string beyond =
        choose(fmt::format("slope < {}", syntax_.Number(learn::GrowthLimit::kStillFalls)),
               lines_.Max(lines_.CallPlain("falling_law"), "least"),
               lines_.Min(lines_.Max(plain, "least"), "most"));
    lines_.Set("limited", choose("distance > 0", beyond, plain));
  }

  CodeLines& lines_;
  const learn::Schema& schema_;
  const Syntax& syntax_;
  bool cpp_;
};

}  // namespace

void WritePowers(const learn::PowersPredictor& predictor, CodeLines& lines, const WriteBody& body) {
  LawCode(lines).Powers(predictor, body);
}

void WriteScalingLaw(const learn::ScalingLawPredictor& predictor, CodeLines& lines,
                     const WriteBody& body) {
  LawCode(lines).Scaling(predictor, body);
}

}  // namespace reckon::predict
