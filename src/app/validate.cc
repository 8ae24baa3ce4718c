#include "app/validate.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "learn/model.h"
#include "learn/regressors/registry.h"

namespace reckon::app {
namespace {

using base::BadInput;
using base::Result;
using numeric::Vector;

struct Method {
  std::string label;
  std::vector<learn::Split> splits;
  std::optional<std::string> extrapolate;  // models are chosen for this question
};

Result<Method> InterpolationMethod(const std::string& text, const learn::Dataset& data) {
  // Without '=' the whole text is the name; a name may hold '=' itself.
  size_t equals = text.find('=');
  auto column = data.schema.FindInput(std::string(base::Trim(text)));
  if (column.ok()) equals = std::string::npos;
  for (size_t at = equals; at != std::string::npos && !column.ok(); at = text.find('=', at + 1)) {
    column = data.schema.FindInput(std::string(base::Trim(std::string_view(text).substr(0, at))));
    if (column.ok()) equals = at;
  }
  if (!column.ok()) return std::move(column).error().Wrap("--interpolate " + text);
  std::vector<double> values;
  if (equals != std::string::npos) {
    for (const std::string_view part :
         base::Split(std::string_view(text).substr(equals + 1), ',')) {
      const auto value = base::ParseNumber(base::Trim(part));
      if (!value) {
        return BadInput(
            fmt::format("--interpolate {}: '{}' is not a number; expected COL=v1,v2", text, part));
      }
      values.push_back(*value);
    }
  }
  auto split = learn::InterpolationSplit(data, *column, values);
  if (!split.ok()) return std::move(split).error().Wrap("--interpolate " + text);
  return Method{fmt::format("interpolation {}", text), {*std::move(split)}, std::nullopt};
}

Result<Method> ExtrapolationMethod(const std::string& text, const learn::Dataset& data) {
  const size_t at = text.find_first_of("<>");
  const std::string name(base::Trim(std::string_view(text).substr(0, at)));
  auto column = data.schema.FindInput(name);
  if (!column.ok()) return std::move(column).error().Wrap("--extrapolate " + text);
  learn::Beyond beyond = learn::Beyond::kAbove;
  double threshold = 0;
  if (at == std::string::npos) {
    RECKON_ASSIGN(threshold, learn::DefaultThreshold(data, *column));
  } else {
    if (text[at] == '<') beyond = learn::Beyond::kBelow;
    const auto value = base::ParseNumber(base::Trim(std::string_view(text).substr(at + 1)));
    if (!value) {
      return BadInput(fmt::format("--extrapolate {}: expected COL>number or COL<number", text));
    }
    threshold = *value;
  }
  auto split = learn::ExtrapolationSplit(data, *column, beyond, threshold);
  if (!split.ok()) return std::move(split).error().Wrap("--extrapolate " + text);
  Method method{
      fmt::format("extrapolation {} {} {}", name, beyond == learn::Beyond::kAbove ? ">" : "<",
                  base::RoundTrip(threshold)),
      {*std::move(split)},
      std::nullopt};
  // Selection practises growth; for the other direction folds are the better guide.
  if (beyond == learn::Beyond::kAbove) method.extrapolate = name;
  return method;
}

Result<std::vector<Method>> Methods(const ValidateRequest& request, const learn::Dataset& data) {
  std::vector<Method> methods;
  const base::Rng rng(request.learn.seed);
  if (request.holdout) {
    RECKON_ASSIGN(learn::Split split,
                  learn::HoldOutSplit(data.rows(), *request.holdout, rng.Fork(11)));
    methods.push_back({fmt::format("hold-out {} %", base::FormatNumber(100 * *request.holdout)),
                       {std::move(split)},
                       std::nullopt});
  }
  const bool nothing_asked =
      !request.holdout && request.interpolate.empty() && request.extrapolate.empty();
  if (request.kfold || nothing_asked) {
    const size_t folds = request.kfold.value_or(std::min<size_t>(5, data.rows()));
    RECKON_ASSIGN(auto splits, learn::KFoldSplits(data.rows(), folds, rng.Fork(12)));
    methods.push_back({fmt::format("{}-fold", folds), std::move(splits), std::nullopt});
  }
  for (const std::string& text : request.interpolate) {
    RECKON_ASSIGN(Method method, InterpolationMethod(text, data));
    methods.push_back(std::move(method));
  }
  for (const std::string& text : request.extrapolate) {
    RECKON_ASSIGN(Method method, ExtrapolationMethod(text, data));
    methods.push_back(std::move(method));
  }
  return methods;
}

// Truth and predictions gathered over splits.
struct Gathered {
  std::vector<double> truth;
  std::vector<double> predicted;

  void Add(const Vector& t, const Vector& p) {
    truth.insert(truth.end(), t.begin(), t.end());
    predicted.insert(predicted.end(), p.begin(), p.end());
  }
  core::Metrics Measured() const {
    const auto size = static_cast<Eigen::Index>(truth.size());
    return learn::Measure(Eigen::Map<const Vector>(truth.data(), size),
                          Eigen::Map<const Vector>(predicted.data(), size));
  }
};

struct Score {
  std::string description;
  Gathered training;
  Gathered selection;
  Gathered validation;

  void Add(const learn::Contender& contender, const learn::Dataset& train, const Vector& truth,
           const numeric::Matrix& x) {
    const std::string described = contender.fitted.candidate.Describe();
    if (description.empty()) description = described;
    if (description != described) description = "(differs by split)";
    training.Add(train.y, contender.fitted.Predict(train.x));
    for (const learn::SelectionResidual& residual : contender.residuals) {
      selection.truth.push_back(residual.truth);
      selection.predicted.push_back(residual.predicted);
    }
    validation.Add(truth, contender.fitted.Predict(x));
  }

  TechniqueRow ToRow(const std::string& technique) const {
    return {
        technique, description, training.Measured(), selection.Measured(), validation.Measured(),
        false};
  }
};

std::vector<size_t> TableRows(const learn::Dataset& data, const std::vector<size_t>& rows) {
  std::vector<size_t> table_rows;
  for (const size_t row : rows) table_rows.push_back(data.table_rows[row]);
  return table_rows;
}

class BlockRunner {
 public:
  BlockRunner(const Prepared& prepared, const Context& context)
      : prepared_(prepared), context_(context) {}

  Result<ValidationBlock> Run(const Method& method, std::vector<std::string>& notes) {
    ValidationBlock block;
    block.method = method.label;
    block.splits = method.splits.size();
    for (const learn::Split& split : method.splits) {
      block.training_rows += split.train.size();
      block.validation_rows += split.test.size();
      auto done = RunSplit(method, split, notes);
      if (!done.ok()) return std::move(done).error().Wrap("validation by " + method.label);
    }
    for (const auto& [technique, score] : scores_)
      block.techniques.push_back(score.ToRow(technique));
    std::stable_sort(block.techniques.begin(), block.techniques.end(),
                     [](const TechniqueRow& a, const TechniqueRow& b) {
                       return a.selection.mape_percent.value_or(a.selection.rmse) <
                              b.selection.mape_percent.value_or(b.selection.rmse);
                     });
    block.chosen = chosen_.ToRow(chosen_name_);
    block.chosen.chosen = true;
    block.coverage_percent =
        100.0 * static_cast<double>(covered_) / static_cast<double>(block.validation_rows);
    return block;
  }

 private:
  base::Status RunSplit(const Method& method, const learn::Split& split,
                        std::vector<std::string>& notes) {
    const core::Table train_table = prepared_.table.Select(TableRows(prepared_.data, split.train));
    const core::Table test_table = prepared_.table.Select(TableRows(prepared_.data, split.test));
    RECKON_ASSIGN(const learn::Dataset train,
                  learn::BuildDataset(train_table, prepared_.dataset_options));
    learn::SearchOptions options = prepared_.search;
    if (method.extrapolate) {
      RECKON_ASSIGN(options.question.extrapolate, train.schema.FindInput(*method.extrapolate));
    }
    RECKON_ASSIGN(learn::SearchOutcome outcome,
                  learn::Search(train, options, context_.stop, context_.progress));
    for (const std::string& note : outcome.notes) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
    RECKON_ASSIGN(const learn::EncodedInputs inputs, learn::EncodeInputs(test_table, train.schema));
    Vector truth(static_cast<Eigen::Index>(split.test.size()));
    for (size_t i = 0; i < split.test.size(); ++i) {
      truth(static_cast<Eigen::Index>(i)) =
          prepared_.data.y(static_cast<Eigen::Index>(split.test[i]));
    }
    for (const learn::Contender& contender : outcome.contenders) {
      scores_[contender.fitted.candidate.technique].Add(contender, train, truth, inputs.x);
    }
    const learn::Contender& best = outcome.contenders.front();
    const std::string& name = best.fitted.candidate.technique;
    if (chosen_name_.empty()) chosen_name_ = name;
    if (chosen_name_ != name) chosen_name_ = "(differs by split)";
    chosen_.Add(best, train, truth, inputs.x);
    const learn::Model model = learn::MakeModel(train, options, std::move(outcome));
    CountCovered(model, inputs.x, truth);
    return {};
  }

  void CountCovered(const learn::Model& model, const numeric::Matrix& x, const Vector& truth) {
    const Vector predicted = model.fitted.Predict(x);
    for (Eigen::Index i = 0; i < truth.size(); ++i) {
      double lower = 0;
      double upper = 0;
      model.interval.Bounds(predicted(i), learn::InputDistance(x.row(i), model.schema), lower,
                            upper);
      if (lower <= truth(i) && truth(i) <= upper) ++covered_;
    }
  }

  const Prepared& prepared_;
  const Context& context_;
  std::map<std::string, Score> scores_;
  Score chosen_;
  std::string chosen_name_;
  size_t covered_ = 0;
};

}  // namespace

Result<ValidateReport> Validate(const ValidateRequest& request, const Context& context) {
  RECKON_ASSIGN(const Prepared prepared, Prepare(request.learn, context));
  RECKON_ASSIGN(const std::vector<Method> methods, Methods(request, prepared.data));
  ValidateReport report;
  report.target = prepared.data.schema.target;
  report.rows = prepared.data.rows();
  report.notes = prepared.notes;
  for (const Method& method : methods) {
    RECKON_ASSIGN(ValidationBlock block, BlockRunner(prepared, context).Run(method, report.notes));
    report.blocks.push_back(std::move(block));
  }
  return report;
}

}  // namespace reckon::app
