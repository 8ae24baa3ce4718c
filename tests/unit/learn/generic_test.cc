#include "learn/regressors/generic.h"

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "learn/regressors/generic_fit.h"
#include "learn/regressors/law_predictor.h"
#include "learn/regressors/registry.h"
#include "learn/search/fitted.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using support::MakeDataset;

const Technique& Generic() { return *FindTechnique("generic").value(); }

std::unique_ptr<Predictor> FitOne(const Dataset& data, std::map<std::string, double> settings = {},
                                  size_t repeats = 1, uint64_t seed = 1) {
  const Roles roles = FindRoles(data.schema, {}).value();
  const Candidate candidate{.technique = "generic", .settings = std::move(settings)};
  auto fitted = Generic().Fit({data, roles, base::Rng(seed), {}, repeats}, {candidate});
  return std::move(fitted.value()[0]);
}

const PowerLawFormula& LawOf(const Predictor& predictor) {
  return dynamic_cast<const LawPredictor&>(predictor).law();
}

double MeanError(const Predictor& predictor, const Dataset& data) {
  return (predictor.Predict(data.x) - data.y).cwiseAbs().mean();
}

// (2 filters^0.8 + 5 or 9 + 1, 4 or 2) * gpus^-0.74 * batch^0.3 + 3.5, with noise in percent.
core::Table LawTable(size_t rows, double noise, uint64_t seed) {
  base::Rng rng(seed);
  std::vector<double> filters(rows);
  std::vector<double> gpus(rows);
  std::vector<double> batch(rows);
  std::vector<double> padding(rows);
  std::vector<double> activation(rows);
  std::vector<double> y(rows);
  for (size_t i = 0; i < rows; ++i) {
    filters[i] = std::pow(2, 2 + static_cast<double>(rng.Below(6)));
    gpus[i] = static_cast<double>(1 + rng.Below(8));
    batch[i] = std::pow(2, 3 + static_cast<double>(rng.Below(5)));
    padding[i] = static_cast<double>(rng.Below(2));
    activation[i] = static_cast<double>(rng.Below(3));
    const double levels =
        (padding[i] == 0 ? 5 : 9) + (activation[i] == 0 ? 1 : (activation[i] == 1 ? 4 : 2));
    y[i] = (2 * std::pow(filters[i], 0.8) + levels) * std::pow(gpus[i], -0.74) *
               std::pow(batch[i], 0.3) +
           3.5;
    y[i] *= std::exp(noise / 100 * rng.Normal());
  }
  core::Table table =
      support::NumberTable({{"filters", filters}, {"gpus", gpus}, {"batch", batch}, {"y", y}});
  support::AddCategories(table, "padding", {"valid", "same"}, padding);
  support::AddCategories(table, "activation", {"relu", "tanh", "sigmoid"}, activation);
  return table;
}

TEST(GenericTest, FindsItsOwnLaw) {
  const Dataset data = MakeDataset(LawTable(300, 0, 1), "y");
  const auto predictor = FitOne(data);
  const PowerLawFormula& law = LawOf(*predictor);
  ASSERT_EQ(law.intrinsic.size(), 1U);
  ASSERT_EQ(law.extrinsic.size(), 2U);
  EXPECT_NEAR(law.intrinsic[0].factor, 2, 1e-3);
  EXPECT_NEAR(law.intrinsic[0].power, 0.8, 1e-4);
  EXPECT_NEAR(law.extrinsic[0].power, -0.74, 1e-4);
  EXPECT_NEAR(law.extrinsic[1].power, 0.3, 1e-4);
  EXPECT_NEAR(law.constant, 3.5, 1e-3);
  EXPECT_LT(MeanError(*predictor, data), 1e-4);
  // The smallest level of every category but the first is 0; differences are what was put in.
  ASSERT_EQ(law.levels.size(), 2U);
  EXPECT_NEAR(law.levels[0].constants[1] - law.levels[0].constants[0], 4, 1e-3);
  EXPECT_THAT(law.levels[1].constants,
              ::testing::ElementsAre(::testing::DoubleNear(0, 1e-3), ::testing::DoubleNear(3, 1e-3),
                                     ::testing::DoubleNear(1, 1e-3)));
}

TEST(GenericTest, EverySeedComesNearTheTruthThroughNoise) {
  const Dataset data = MakeDataset(LawTable(400, 3, 2), "y");
  double lowest = std::numeric_limits<double>::infinity();
  double highest = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const auto predictor = FitOne(data, {}, 1, seed);
    const PowerLawFormula& law = LawOf(*predictor);
    EXPECT_NEAR(law.extrinsic[0].power, -0.74, 0.03) << seed;
    EXPECT_NEAR(law.extrinsic[1].power, 0.3, 0.02) << seed;
    lowest = std::min(lowest, MeanError(*predictor, data));
    highest = std::max(highest, MeanError(*predictor, data));
  }
  EXPECT_LT(highest, 1.002 * lowest);
}

TEST(GenericTest, ThePowersOfScalingSurviveOutliers) {
  core::Table table = LawTable(300, 1, 3);
  Dataset data = MakeDataset(table, "y");
  for (Eigen::Index i = 0; i < data.y.size(); i += 20) data.y(i) *= 10;  // 5 % of the rows
  const auto predictor = FitOne(data);
  EXPECT_NEAR(LawOf(*predictor).extrinsic[0].power, -0.74, 0.03);
}

TEST(GenericTest, ParametersStayWithinTheirLimits) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    base::Rng rng(seed);
    std::vector<double> a(40);
    std::vector<double> gpus(40);
    std::vector<double> y(40);
    const double size = std::pow(10, static_cast<double>(rng.Below(9)) - 4);
    for (size_t i = 0; i < y.size(); ++i) {
      a[i] = std::exp(3 * rng.Normal());
      gpus[i] = static_cast<double>(1 + rng.Below(5));
      y[i] = size * std::exp(2 * rng.Normal());
    }
    const Dataset data =
        MakeDataset(support::NumberTable({{"a", a}, {"gpus", gpus}, {"y", y}}), "y");
    const auto predictor = FitOne(data);
    const PowerLawFormula& law = LawOf(*predictor);
    const double limit = LawLimit(data, ShapeOf(data.schema, FindRoles(data.schema, {}).value()));
    EXPECT_EQ(limit == 1000, data.y.maxCoeff() <= 1000);
    EXPECT_GE(law.intrinsic[0].factor, 0);
    EXPECT_LE(law.intrinsic[0].factor, limit);
    EXPECT_LE(std::fabs(law.intrinsic[0].power), 5);
    EXPECT_LE(std::fabs(law.extrinsic[0].power), 5);
    EXPECT_GE(law.constant, 0);
    EXPECT_LE(law.constant, limit);
    EXPECT_TRUE(predictor->Predict(data.x).allFinite()) << seed;
  }
}

TEST(GenericTest, PenaltiesShrinkParameters) {
  const Dataset data = MakeDataset(LawTable(300, 3, 4), "y");
  const auto size = [&](const Predictor& predictor, bool square) {
    double sum = 0;
    for (const LawParameter& parameter : LawParameters(LawOf(predictor), data.schema)) {
      if (parameter.name == "constant") continue;
      sum += square ? parameter.value * parameter.value : std::fabs(parameter.value);
    }
    return sum;
  };
  const auto plain = FitOne(data);
  for (const std::string kind : {"l1", "l2"}) {
    const bool square = kind == "l2";
    const auto some = FitOne(data, {{kind, 0.001}});
    const auto much = FitOne(data, {{kind, 0.1}});
    EXPECT_LT(size(*much, square), size(*some, square)) << kind;
    EXPECT_LT(size(*some, square), size(*plain, square)) << kind;
    EXPECT_GE(MeanError(*some, data), MeanError(*plain, data) * 0.999) << kind;
  }
}

TEST(GenericTest, PenaltiesShareOneSearchAndAgreeWithFitsOnTheirOwn) {
  const Dataset data = MakeDataset(LawTable(120, 3, 5), "y");
  const Roles roles = FindRoles(data.schema, {}).value();
  Restrictions restrictions;
  restrictions.penalty = ParsePenalty("l2").value();
  const auto groups = Generic().Candidates(data, roles, {}, restrictions);
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_GT(groups[0].size(), 3U);
  const auto together = Generic().Fit({data, roles, base::Rng(1)}, groups[0]).value();
  for (size_t i = 0; i < groups[0].size(); ++i) {
    const auto alone = Generic().Fit({data, roles, base::Rng(1)}, {groups[0][i]}).value();
    EXPECT_EQ(together[i]->Predict(data.x), alone[0]->Predict(data.x));
  }
}

TEST(GenericTest, ThinDataGiveNumbers) {
  const auto check = [](const core::Table& table) {
    const Dataset data = MakeDataset(table, "y");
    auto predictor = FitOne(data, {}, 2);
    for (const LawParameter& parameter : LawParameters(LawOf(*predictor), data.schema)) {
      EXPECT_TRUE(std::isfinite(parameter.value)) << parameter.name;
    }
    const Fitted fitted{{}, std::move(predictor), RangeOf(data.y)};
    EXPECT_TRUE(fitted.Predict(data.x).allFinite());
  };
  // Three rows; a column that does not vary; columns that say the same.
  check(support::NumberTable({{"workers", {1, 2, 4}}, {"y", {10, 6, 4}}}));
  check(support::NumberTable({{"workers", {1, 2, 4}}, {"size", {5, 5, 5}}, {"y", {10, 6, 4}}}));
  check(support::NumberTable({{"workers", {1, 2, 4, 8, 16, 32}},
                              {"cores", {2, 4, 8, 16, 32, 64}},
                              {"images", {3, 6, 12, 24, 48, 96}},
                              {"y", {10, 6, 4, 3, 2.5, 2.2}}}));
  check(support::NumberTable({{"workers", {1, 1e-300, 1e300}}, {"y", {1e-9, 6, 4e12}}}));
  core::Table categories = support::NumberTable({{"y", {1, 2, 3, 4}}});
  support::AddCategories(categories, "kind", {"a", "b"}, {0, 1, 0, 1});
  check(categories);
}

TEST(GenericTest, WithoutResourcesWhatIsConstantIsC) {
  std::vector<double> filters;
  std::vector<double> kind;
  std::vector<double> y;
  for (int i = 0; i < 40; ++i) {
    filters.push_back(1 + i % 9);
    kind.push_back(i % 2);
    y.push_back(2 * std::pow(filters.back(), 1.3) + (i % 2 == 0 ? 4 : 7));
  }
  core::Table table = support::NumberTable({{"filters", filters}, {"y", y}});
  support::AddCategories(table, "kind", {"a", "b"}, kind);
  const auto predictor = FitOne(MakeDataset(table, "y"));
  const PowerLawFormula& law = LawOf(*predictor);
  EXPECT_NEAR(law.intrinsic[0].power, 1.3, 1e-3);
  EXPECT_NEAR(law.constant, 4, 1e-2);
  EXPECT_NEAR(law.levels[0].constants[0], 0, 1e-9);
  EXPECT_NEAR(law.levels[0].constants[1], 3, 1e-2);
}

TEST(GenericTest, ALevelNeverSeenGetsTheMean) {
  const Dataset data = MakeDataset(LawTable(300, 0, 1), "y");
  const auto predictor = FitOne(data);
  Matrix rows = data.x.topRows(3);
  const auto padding = static_cast<Eigen::Index>(data.schema.FindInput("padding").value());
  rows.row(1) = rows.row(0);
  rows.row(2) = rows.row(0);
  rows(0, padding) = 0;
  rows(1, padding) = -1;
  rows(2, padding) = 1;
  const Vector predicted = predictor->Predict(rows);
  EXPECT_LT(predicted(0), predicted(1));
  EXPECT_LT(predicted(1), predicted(2));
}

TEST(GenericTest, RepeatsTellTheSpread) {
  const Dataset data = MakeDataset(LawTable(200, 3, 6), "y");
  const auto once = FitOne(data);
  EXPECT_EQ(LawOf(*once).spread.fits, 0U);
  const auto often = FitOne(data, {}, 5);
  const PowerLawFormula& law = LawOf(*often);
  EXPECT_EQ(law.spread.fits, 5U);
  const auto parameters = LawParameters(law, data.schema);
  ASSERT_EQ(law.spread.mean.size(), parameters.size());
  ASSERT_EQ(law.spread.deviation.size(), parameters.size());
  EXPECT_LE(MeanError(*often, data), MeanError(*once, data));
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name != "power of gpus") continue;
    EXPECT_NEAR(law.spread.mean[i], -0.74, 0.03);
    EXPECT_LT(law.spread.deviation[i], 0.01);
  }
}

TEST(GenericTest, AppliesWhereALawMakesSense) {
  const auto groups = [](const Dataset& data, Restrictions restrictions = {}) {
    return Generic().Candidates(data, FindRoles(data.schema, {}).value(), {}, restrictions);
  };
  const Dataset good = MakeDataset(LawTable(60, 1, 1), "y");
  EXPECT_EQ(groups(good).size(), 1U);
  EXPECT_TRUE(groups(good, {.scale = TargetScale::kLog}).empty());
  // Ten parameters.
  EXPECT_TRUE(groups(MakeDataset(LawTable(10, 1, 1), "y")).empty());
  EXPECT_EQ(groups(MakeDataset(LawTable(11, 1, 1), "y")).size(), 1U);
  Dataset zero = good;
  zero.schema.inputs[0].min = 0;
  EXPECT_TRUE(groups(zero).empty());
  Dataset negative = good;
  negative.y(3) = -1;
  EXPECT_TRUE(groups(negative).empty());
}

TEST(GenericTest, PenaltiesAreWordsWithANumber) {
  EXPECT_FALSE(ParsePenalty("")->has_value());
  EXPECT_FALSE(ParsePenalty("none")->has_value());
  EXPECT_FALSE((*ParsePenalty("l1"))->lambda.has_value());
  EXPECT_EQ((*ParsePenalty("l2=0.01"))->lambda, 0.01);
  for (const char* bad : {"l3", "l2=", "l2=x", "l2=0", "l1=-1", "2"}) {
    EXPECT_FALSE(ParsePenalty(bad).ok()) << bad;
  }
}

TEST(GenericTest, FilesKeepTheLaw) {
  const Dataset data = MakeDataset(LawTable(80, 3, 7), "y");
  for (const size_t repeats : {1, 3}) {
    const auto predictor = FitOne(data, {}, repeats);
    const base::Json json = predictor->ToJson(data.schema);
    const auto loaded = Generic().Load(json, data.schema);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ((*loaded)->Predict(data.x), predictor->Predict(data.x));
    EXPECT_EQ((*loaded)->ToJson(data.schema), json);
  }
}

TEST(GenericTest, DamagedLawsAreRefused) {
  const Dataset data = MakeDataset(LawTable(80, 3, 7), "y");
  const base::Json good = FitOne(data, {}, 2)->ToJson(data.schema);
  const auto refused = [&](const base::Json& json) {
    const auto loaded = Generic().Load(json, data.schema);
    return !loaded.ok() && loaded.error().code() == base::ErrorCode::kCorrupt;
  };
  ASSERT_FALSE(refused(good));
  EXPECT_TRUE(refused(base::Json()));
  EXPECT_TRUE(refused(base::Json::array()));
  // Every part taken away or replaced by something else, one at a time.
  const base::Json flat = good.flatten();
  for (const auto& [path, value] : flat.items()) {
    const base::Json::json_pointer pointer(path);
    for (const base::Json& wrong :
         {base::Json(), base::Json("x"), base::Json(-1e305), base::Json::object()}) {
      base::Json damaged = good;
      damaged[pointer] = wrong;
      EXPECT_TRUE(refused(damaged)) << path << " = " << wrong;
    }
  }
  for (const char* key : {"base", "constant", "intrinsic", "levels", "extrinsic"}) {
    base::Json damaged = good;
    damaged.erase(key);
    EXPECT_TRUE(refused(damaged)) << key;
  }
  base::Json twice = good;
  twice["extrinsic"].push_back(good["extrinsic"][0]);
  EXPECT_TRUE(refused(twice));
  base::Json steep = good;
  steep["extrinsic"][0]["power"] = 5.1;
  EXPECT_TRUE(refused(steep));
  base::Json level_short = good;
  level_short["levels"][0]["constants"].erase(0);
  EXPECT_TRUE(refused(level_short));
}

TEST(GenericTest, AnInterruptEndsTheFit) {
  const Dataset data = MakeDataset(LawTable(80, 3, 7), "y");
  const Roles roles = FindRoles(data.schema, {}).value();
  std::stop_source source;
  source.request_stop();
  const auto fitted =
      Generic().Fit({data, roles, base::Rng(1), {}, 1, source.get_token()}, {Candidate{}});
  ASSERT_FALSE(fitted.ok());
  EXPECT_EQ(fitted.error().code(), base::ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace reckon::learn
