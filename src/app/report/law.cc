#include "app/report/law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "app/report/mean_lines.h"
#include "app/report/stages.h"
#include "app/shared_progress.h"
#include "app/validation_methods.h"
#include "base/text.h"
#include "learn/identify/parameters.h"
#include "learn/model.h"
#include "learn/regressors/generic.h"
#include "learn/regressors/law_predictor.h"
#include "learn/regressors/registry.h"
#include "numeric/stats.h"
#include "predict/formula_writer.h"
#include "predict/scaling_words.h"

namespace reckon::app {
namespace {

using base::Result;

constexpr const char* kLaw = "generic";

// The column that says whose software trained, where several did.
std::string FrameworkColumn(const core::Table& runs) {
  for (const core::Column& column : runs.columns) {
    const bool named = base::ToLower(column.name()).find("framework") != std::string::npos;
    if (named && column.kind() == core::ColumnKind::kCategory && Differs(runs, column.name())) {
      return column.name();
    }
  }
  return "";
}

std::map<std::string, core::Table> GroupsOf(const core::Table& runs, const std::string& by) {
  if (by.empty()) return {{"", runs}};
  std::map<std::string, std::vector<size_t>> rows;
  const core::Column& column = runs.columns[*runs.Find(by)];
  for (size_t row = 0; row < runs.row_count; ++row) rows[column.Text(row)].push_back(row);
  std::map<std::string, core::Table> groups;
  for (const auto& [level, own] : rows) groups[level] = runs.Select(own);
  return groups;
}

// What the trainer's knobs come to is no input of the law, which has the knobs.
void LeaveDerivedOut(core::Table& table) {
  const bool knobs = std::any_of(table.columns.begin(), table.columns.end(), [&](const auto& one) {
    return one.name().starts_with("knob_") && Differs(table, one.name());
  });
  if (!knobs) return;
  std::erase_if(table.columns, [](const core::Column& one) {
    return one.name() == "parameters" || one.name() == "multiply_adds" ||
           one.name() == "activations";
  });
}

// The law takes powers of numbers above 0, and can tell columns apart only that do not follow from
// each other.
core::Table LawTable(const core::Table& runs, const std::string& target,
                     std::vector<std::string>& notes) {
  core::Table table = ForLearning(runs, target);
  LeaveDerivedOut(table);
  std::vector<std::string> inputs = IndependentInputs(table);
  std::erase_if(inputs, [&](const std::string& name) {
    const std::vector<double> values = ValuesIn(table, name);
    if (values.empty() || values.front() > 0) return false;
    notes.push_back(fmt::format("{} is not always above 0: no part of the law", name));
    return true;
  });
  std::erase_if(table.columns, [&](const core::Column& column) {
    return column.name() != target &&
           std::find(inputs.begin(), inputs.end(), column.name()) == inputs.end();
  });
  return table;
}

struct Contest {
  const char* name;
  const char* technique;  // empty: all
  const char* penalty;
};

constexpr std::array<Contest, 6> kContests{{{"law", kLaw, ""},
                                            {"law with L1 penalty", kLaw, "l1"},
                                            {"law with L2 penalty", kLaw, "l2"},
                                            {"random forest", "forest", ""},
                                            {"support vector regression", "svr", ""},
                                            {"the best of all", "", ""}}};

class LawStudy {
 public:
  LawStudy(const LawOptions& options, const Context& context, SharedProgress& shared)
      : options_(options), context_(context), shared_(shared) {}

  // `table`: the law's columns; `all`: the same rows with all of them, for whatever is best.
  Result<LawGroup> Study(const core::Table& table, const core::Table& all,
                         const std::string& target) {
    MakeRequest(target, kLaw, "");
    RECKON_ASSIGN(const Prepared prepared, PrepareTable(request_, table, context_));
    group_.rows = prepared.data.rows();
    group_.inputs = prepared.data.schema.Names();
    RECKON_TRY(Parameters(prepared));
    RECKON_ASSIGN(group_.fits, FitLawTenTimes(prepared, options_.seed, context_.stop));
    ValidateRequest validate;
    validate.holdout = options_.holdout;
    validate.learn.seed = options_.seed;
    RECKON_ASSIGN(const std::vector<ValidationMethod> methods,
                  ValidationMethods(validate, prepared.data));
    group_.held_out = methods.front().splits.front().test.size();
    RECKON_TRY(Errors(table, all, target, methods));
    for (const char* penalty : {"l1", "l2"}) {
      RECKON_TRY(Path(prepared, methods.front().splits.front(), penalty));
    }
    PathFigures();
    return std::move(group_);
  }

 private:
  void MakeRequest(const std::string& target, const std::string& technique,
                   const std::string& penalty) {
    request_ = {};
    request_.target = target;
    if (!technique.empty()) request_.techniques = {technique};
    request_.penalty = penalty;
    request_.seed = options_.seed;
  }

  base::Status Parameters(const Prepared& prepared) {
    SharedProgress::Part part(shared_);
    RECKON_ASSIGN(learn::SearchOutcome outcome,
                  learn::Search(prepared.data, prepared.search, context_.stop, part));
    const learn::Model model = learn::MakeModel(prepared.data, prepared.search, std::move(outcome));
    group_.formula = predict::WriteFormula(model, predict::FormulaLanguage::kText);
    group_.scaling = predict::ScalingInWords(model);
    RECKON_ASSIGN(
        const std::vector<learn::ParameterInterval> intervals,
        learn::ParameterIntervals(
            model.fitted, prepared.data, model.roles, {},
            {.resamples = options_.resamples, .seed = options_.seed, .jobs = context_.jobs},
            context_.stop, part));
    for (const learn::ParameterInterval& one : intervals) {
      group_.parameters.push_back(
          {one.parameter.name, one.parameter.value, one.lower, one.upper, one.settled});
    }
    const learn::Formula formula = model.fitted.predictor->ToFormula();
    if (const auto* law = std::get_if<learn::PowerLawFormula>(&formula)) {
      for (const auto& resource : law->extrinsic) {
        group_.powers.push_back({model.schema.inputs[resource.column].name, resource.power});
      }
    }
    return {};
  }

  // Law, law with penalties, the paper's black boxes and whatever is best, on the same rows held
  // out.
  base::Status Errors(const core::Table& table, const core::Table& all, const std::string& target,
                      const std::vector<ValidationMethod>& methods) {
    for (const Contest& contest : kContests) {
      SharedProgress::Part part(shared_);
      const Context inside{context_.clock, context_.log,  part,
                           context_.stop,  context_.jobs, context_.db};
      const std::string technique = contest.technique;
      MakeRequest(target, technique, contest.penalty);
      RECKON_ASSIGN(const Prepared prepared,
                    PrepareTable(request_, technique.empty() ? all : table, inside));
      std::vector<std::string> notes;
      const auto blocks = RunSplits(prepared, methods, inside, notes);
      if (!blocks.ok()) {
        // Some want more rows than others.
        if (blocks.error().code() != base::ErrorCode::kBadInput) return blocks.error();
        group_.errors.push_back({contest.name, std::nullopt, std::nullopt});
        continue;
      }
      const ValidationBlock& block = blocks->front();
      std::string name = contest.name;
      if (technique.empty()) name += ": " + block.chosen.technique;
      const core::Metrics& measured = *block.chosen.validation;
      group_.errors.push_back({std::move(name), measured.mape_percent, measured.rmse});
      AddDots(block, contest.name);
      if (&contest == &kContests.front()) {
        ErrorsByImage(table, block.chosen_held_out, methods.front().splits.front().test);
      }
    }
    group_.figures.push_back(
        {PredictedAgainstMeasured("Predicted against measured", target, std::move(dots_)),
         "Rows held out.", "Generic law, Figs. 3 to 6.", group_.held_out});
    return {};
  }

  // `held_out`: of `rows`, one after the other.
  void ErrorsByImage(const core::Table& table, const Gathered& held_out,
                     const std::vector<size_t>& rows) {
    for (const char* name : {"image", "env_SHAPE"}) {
      const auto column = table.Find(name);
      if (!column || !Differs(table, name) || held_out.truth.size() != rows.size()) continue;
      std::map<std::string, std::vector<double>> errors;
      for (size_t i = 0; i < rows.size(); ++i) {
        errors[table.columns[*column].Text(rows[i])].push_back(
            100 * std::abs(held_out.predicted[i] / held_out.truth[i] - 1));
      }
      for (const auto& [level, own] : errors) {
        group_.by_image.push_back({name, level, own.size(), numeric::Mean(own)});
      }
    }
  }

  void AddDots(const ValidationBlock& block, const std::string& name) {
    const Gathered& held_out = block.held_out.at(block.chosen.technique);
    plot::Series series{name, {}};
    for (size_t row = 0; row < held_out.truth.size(); ++row) {
      series.points.push_back({held_out.truth[row], held_out.predicted[row]});
    }
    dots_.push_back(std::move(series));
  }

  base::Status Path(const Prepared& prepared, const learn::Split& split, const char* penalty) {
    SharedProgress::Part part(shared_);
    const learn::Dataset train = prepared.data.Subset(split.train);
    const learn::Dataset test = prepared.data.Subset(split.test);
    RECKON_ASSIGN(const learn::Roles roles, learn::FindRoles(train.schema, prepared.search.roles));
    RECKON_ASSIGN(const learn::Technique* law, learn::FindTechnique(kLaw));
    learn::Restrictions restrictions;
    RECKON_ASSIGN(restrictions.penalty, learn::ParsePenalty(penalty));
    for (const learn::CandidateGroup& group : law->Candidates(train, roles, {}, restrictions)) {
      RECKON_ASSIGN(const auto predictors, law->Fit({.data = train,
                                                     .roles = roles,
                                                     .rng = base::Rng(options_.seed),
                                                     .stop = context_.stop},
                                                    group));
      for (size_t i = 0; i < group.size(); ++i) {
        const core::Metrics measured = learn::Measure(test.y, predictors[i]->Predict(test.x));
        PenaltyStep step{penalty, group[i].settings.at(penalty), measured.mape_percent,
                         measured.r2};
        const learn::Formula formula = predictors[i]->ToFormula();
        for (const auto& parameter :
             learn::LawParameters(std::get<learn::PowerLawFormula>(formula), train.schema)) {
          values_[penalty][parameter.name].push_back({step.lambda, parameter.value});
        }
        group_.path.push_back(std::move(step));
      }
    }
    return {};
  }

  void PathFigures() {
    plot::Chart errors;
    errors.title = "Error by strength of penalty";
    errors.x_label = "lambda";
    errors.y_label = "R2 on the rows held out";
    for (const char* penalty : {"l1", "l2"}) {
      plot::Series line{penalty, {}};
      for (const PenaltyStep& step : group_.path) {
        if (step.penalty == penalty && step.r2) line.points.push_back({step.lambda, *step.r2});
      }
      if (!line.points.empty()) errors.lines.push_back(std::move(line));
    }
    if (errors.lines.empty()) return;
    errors.log_x = true;
    group_.figures.push_back({std::move(errors), "", "Generic law, Fig. 7.", 0});
    for (const char* penalty : {"l1", "l2"}) {
      for (const bool powers : {true, false}) PathFigure(penalty, powers);
    }
  }

  void PathFigure(const std::string& penalty, bool powers) {
    plot::Chart chart;
    chart.title = fmt::format("{} along the {} penalty",
                              powers ? "Powers" : "Factors and constants", penalty);
    chart.x_label = "lambda";
    chart.log_x = true;
    for (const auto& [name, points] : values_[penalty]) {
      if (name.starts_with("power of ") != powers) continue;
      chart.lines.push_back({powers ? name.substr(9) : name, points});
    }
    if (chart.lines.empty()) return;
    // Those that the penalty moves most are worth a line.
    const auto moved = [](const plot::Series& line) {
      double low = INFINITY;
      double high = -INFINITY;
      for (const plot::Point& point : line.points) {
        low = std::min(low, point.y);
        high = std::max(high, point.y);
      }
      return high - low;
    };
    std::stable_sort(chart.lines.begin(), chart.lines.end(),
                     [&](const auto& a, const auto& b) { return moved(a) > moved(b); });
    std::string caption;
    if (chart.lines.size() > kMostLines) {
      caption = fmt::format("The {} of {} that move most.", kMostLines, chart.lines.size());
      chart.lines.resize(kMostLines);
    }
    chart.y_label = powers ? "power" : "value";
    group_.figures.push_back({std::move(chart), caption, "Generic law, Fig. 8.", 0});
  }

  const LawOptions& options_;
  const Context& context_;
  SharedProgress& shared_;
  LearnRequest request_;
  LawGroup group_;
  std::vector<plot::Series> dots_;
  std::map<std::string, std::map<std::string, std::vector<plot::Point>>> values_;
};

}  // namespace

Result<LawSection> MakeLaw(const CampaignSamples& samples, const LawOptions& options,
                           const Context& context) {
  constexpr size_t kParts = 1 + kContests.size() + 2;  // parameters, contests, paths
  LawSection section;
  section.target = samples.target;
  section.resamples = options.resamples;
  const std::string framework = FrameworkColumn(samples.runs);
  const auto groups = GroupsOf(samples.runs, framework);
  SharedProgress shared(context.progress, "fitting the law", groups.size() * kParts);
  for (const auto& [name, runs] : groups) {
    std::vector<std::string> notes;
    const core::Table table = LawTable(runs, samples.target, notes);
    LawStudy study(options, context, shared);
    auto group = study.Study(table, ForLearning(runs, samples.target), samples.target);
    if (!group.ok()) {
      const base::ErrorCode code = group.error().code();
      if (code != base::ErrorCode::kBadInput && code != base::ErrorCode::kFailed) {
        return std::move(group).error();
      }
      notes.push_back(group.error().Describe());
    } else {
      group->name = name;
      section.groups.push_back(*std::move(group));
    }
    for (const std::string& note : notes) {
      section.notes.push_back(name.empty() ? note : name + ": " + note);
    }
  }
  return section;
}

}  // namespace reckon::app
