// Data that breaks naive learners: every technique gives a sensible model or a clear refusal, and
// no forecast is ever NaN or infinite, near or far.
#include <cmath>

#include <gmock/gmock.h>

#include "base/progress.h"
#include "learn/model.h"
#include "learn/model_file.h"
#include "learn/regressors/registry.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using ::testing::HasSubstr;

struct Trouble {
  std::string name;
  core::Table table;
  double most_mape;  // of the default search's model on its own training rows, percent
};

// Every technique on 200 levels takes minutes under a sanitizer; 40 levels walk the same code.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr size_t kLevels = 40;
#else
constexpr size_t kLevels = 200;
#endif

std::vector<double> Cells(size_t rows, const std::function<double(size_t)>& cell) {
  std::vector<double> cells;
  for (size_t i = 0; i < rows; ++i) cells.push_back(cell(i));
  return cells;
}

std::vector<Trouble> Troubles() {
  std::vector<Trouble> troubles;
  const auto numbers = [&](std::string name, const std::vector<support::NamedColumn>& columns,
                           double most_mape) {
    troubles.push_back({std::move(name), support::NumberTable(columns), most_mape});
  };
  const auto workers = [](size_t i) { return std::pow(2.0, static_cast<double>(i % 6)); };
  base::Rng rng(7);

  numbers("three rows", {{"workers", {1, 2, 4}}, {"y", {100, 52, 29}}}, 30);
  numbers("constant columns",
          {{"workers", Cells(12, workers)},
           {"cores", Cells(12, [](size_t) { return 4.0; })},
           {"zero", Cells(12, [](size_t) { return 0.0; })},
           {"y", Cells(12, [&](size_t i) { return 5 + 100 / workers(i); })}},
          5);
  numbers("collinear columns",
          {{"workers", Cells(18, workers)},
           {"cores", Cells(18, [&](size_t i) { return 4 * workers(i); })},
           {"cores_again", Cells(18, [&](size_t i) { return 4 * workers(i) + 1; })},
           {"y", Cells(18, [&](size_t i) { return 5 + 100 / workers(i); })}},
          5);
  numbers(
      "five orders of magnitude",
      {{"workers", Cells(60, workers)},
       {"size", Cells(60, [](size_t i) { return std::pow(10.0, static_cast<double>(i / 12)); })},
       {"y", Cells(60,
                   [&](size_t i) {
                     return std::pow(10.0, static_cast<double>(i / 12)) / workers(i) *
                            (1 + 0.02 * static_cast<double>(i % 5));
                   })}},
      20);
  numbers("outliers",
          {{"workers", Cells(60, workers)},
           {"y", Cells(60,
                       [&](size_t i) {
                         const double y = (5 + 100 / workers(i)) * std::exp(0.02 * rng.Normal());
                         return i % 20 == 7 ? 30 * y : y;
                       })}},
          80);
  numbers("repeats only",
          {{"workers", Cells(40, [](size_t i) { return i < 20 ? 2.0 : 8.0; })},
           {"y", Cells(40, [&](size_t i) { return (i < 20 ? 50.0 : 15.0) + rng.Uniform(); })}},
          5);
  numbers("zero and negative targets",
          {{"workers", Cells(20, workers)},
           {"y", Cells(20, [](size_t i) { return static_cast<double>(i % 5) - 1; })}},
          1e9);
  numbers("a negative target that no cut leaves out",
          {{"workers", Cells(24, workers)},
           {"y", Cells(24, [&](size_t i) { return i % 6 == 0 ? -8 : 4 + workers(i) / 4; })}},
          1e9);
  numbers("huge and tiny inputs",
          {{"bytes", Cells(24, [](size_t i) { return 1e18 * static_cast<double>(1 + i % 6); })},
           {"rate", Cells(24, [](size_t i) { return 1e-18 * static_cast<double>(1 + i / 6); })},
           {"y", Cells(24, [](size_t i) { return static_cast<double>(1 + i % 6); })}},
          30);

  numbers(
      "passes over huge data with repeats",
      {{"workers", Cells(48, workers)},
       {"batch", Cells(48, [](size_t i) { return i % 4 < 2 ? 1.0 : 1e6; })},
       {"images", Cells(48, [](size_t i) { return i < 24 ? 1e9 : 1e15; })},
       {"zero", Cells(48, [](size_t i) { return static_cast<double>(i % 2); })},
       {"y", Cells(48, [&](size_t i) { return (i < 24 ? 1.0 : 1e6) * (3 + 40 / workers(i)); })}},
      30);

  const auto level = [](size_t i) { return static_cast<double>(i % kLevels); };
  core::Table levels = support::NumberTable({{"workers", Cells(2 * kLevels, workers)}});
  std::vector<std::string> names;
  for (size_t i = 0; i < kLevels; ++i) names.push_back("job" + std::to_string(i));
  support::AddCategories(levels, "job", names, Cells(2 * kLevels, level));
  levels.columns.push_back(
      core::Column::Numbers("y", core::NumberVector::Of(Cells(2 * kLevels, [&](size_t i) {
                              return (5 + 100 / workers(i)) * (1 + level(i) / 50);
                            }))));
  troubles.push_back({"many levels", std::move(levels), 15});
  return troubles;
}

// The training rows, and rows far outside: everything times 1000, over 1000, and unseen levels.
Matrix Questions(const Dataset& data) {
  const Eigen::Index rows = std::min<Eigen::Index>(data.x.rows(), 20);
  Matrix asked(3 * rows, data.x.cols());
  asked.topRows(rows) = data.x.topRows(rows);
  asked.middleRows(rows, rows) = 1000 * data.x.topRows(rows);
  asked.bottomRows(rows) = data.x.topRows(rows) / 1000;
  for (size_t j = 0; j < data.schema.inputs.size(); ++j) {
    if (data.schema.inputs[j].kind != core::ColumnKind::kCategory) continue;
    asked.col(static_cast<Eigen::Index>(j)).tail(2 * rows).setConstant(-1);
  }
  return asked;
}

bool OneOf(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What a technique cannot do with some table. Everything else gives a model.
bool MayRefuse(const std::string& technique, const Trouble& trouble) {
  const bool positive = support::MakeDataset(trouble.table, "y").y.minCoeff() > 0;
  const bool counts_workers = trouble.table.columns.front().name() == "workers";
  const bool wide = trouble.name == "many levels";
  if (technique == "powers") return !positive || wide;
  if (technique == "gp") return wide;
  if (technique == "ernest") return !counts_workers;
  const bool passes = trouble.name.starts_with("passes");  // with zeros in a column
  if (technique == "generic") return !positive || wide || passes || trouble.name == "three rows";
  if (technique == "pmnf") return !positive || wide || trouble.name == "repeats only";
  if (OneOf(technique, {"amdahl", "usl", "ring"})) return !counts_workers || !positive || wide;
  if (OneOf(technique, {"pollux", "steps"})) return !passes;
  return OneOf(technique, {"optimus", "ps"});  // servers are not in the tables
}

void ExpectSane(const Trouble& trouble, const SearchOptions& options, bool default_search) {
  const Dataset data = support::MakeDataset(trouble.table, "y");
  base::NoProgress progress;
  auto outcome = Search(data, options, {}, progress);
  const std::string what =
      trouble.name + ", " + (default_search ? "default" : options.techniques.front());
  if (!outcome.ok()) {
    EXPECT_TRUE(!default_search && MayRefuse(options.techniques.front(), trouble))
        << what << ": " << outcome.error().Describe();
    EXPECT_THAT(outcome.error().message(), HasSubstr("does not apply here; it needs")) << what;
    return;
  }
  const Matrix asked = Questions(data);
  for (const Contender& contender : outcome->contenders) {
    const Vector predicted = contender.fitted.Predict(asked);
    EXPECT_TRUE(predicted.allFinite()) << what;
    EXPECT_TRUE(data.y.minCoeff() <= 0 || predicted.minCoeff() > 0) << what;
  }
  if (default_search) {
    EXPECT_LT(outcome->contenders.front().training.mape_percent.value_or(0), trouble.most_mape)
        << what;
  }
  const Model model = MakeModel(data, options, std::move(*outcome));
  const Bounds bounds = model.PredictBounds(asked);
  EXPECT_TRUE(bounds.lower.allFinite() && bounds.upper.allFinite()) << what;
  EXPECT_TRUE((bounds.lower.array() <= bounds.predicted.array()).all()) << what;
  EXPECT_TRUE((bounds.upper.array() >= bounds.predicted.array()).all()) << what;
  const auto again = ModelFromText(ModelToText(model), "m");
  EXPECT_TRUE(again.ok()) << what << ": " << again.error().Describe();
}

TEST(DegenerateTest, TheDefaultSearchGivesASensibleModel) {
  for (const Trouble& trouble : Troubles()) {
    ExpectSane(trouble, {}, true);
    SearchOptions outside;
    outside.question.extrapolate = 0;
    outside.jobs = 2;
    ExpectSane(trouble, outside, true);
  }
}

TEST(DegenerateTest, EveryTechniqueGivesAModelOrARefusal) {
  for (const Trouble& trouble : Troubles()) {
    for (const std::string& technique : TechniqueNames()) {
      if (technique == "blend") continue;  // the default
      SearchOptions options;
      options.techniques = {technique};
      options.jobs = 2;
      ExpectSane(trouble, options, false);
    }
  }
}

}  // namespace
}  // namespace reckon::learn
