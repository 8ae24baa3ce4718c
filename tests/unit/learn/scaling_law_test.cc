// Laws of the library: each finds its own coefficients and goes on beyond the range.
#include <cmath>
#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "learn/laws/law_library.h"
#include "learn/model.h"
#include "learn/model_file.h"
#include "learn/regressors/registry.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using support::MakeDataset;
using support::NamedColumn;
using ::testing::HasSubstr;

using Row = std::map<std::string, double>;
using Truth = std::function<double(const Row&)>;

// All combinations of the columns' values that `keep` keeps, with y = truth.
Dataset Grid(const std::vector<NamedColumn>& axes, const Truth& truth,
             const std::function<bool(const Row&)>& keep = {},
             const std::vector<std::string>& machines = {}) {
  std::vector<NamedColumn> columns;
  for (const NamedColumn& axis : axes) columns.push_back({axis.first, {}});
  columns.push_back({"y", {}});
  std::vector<double> machine;
  size_t count = 1;
  for (const NamedColumn& axis : axes) count *= axis.second.size();
  for (size_t i = 0; i < count; ++i) {
    Row row;
    size_t rest = i;
    for (const auto& [name, values] : axes) {
      row[name] = values[rest % values.size()];
      rest /= values.size();
    }
    if (keep && !keep(row)) continue;
    for (NamedColumn& column : columns) {
      column.second.push_back(column.first == "y" ? truth(row) : row[column.first]);
    }
    if (!machines.empty()) machine.push_back(row["type"]);
  }
  std::erase_if(columns, [](const NamedColumn& column) { return column.first == "type"; });
  core::Table table = support::NumberTable(columns);
  if (!machines.empty()) support::AddCategories(table, "machine_type", machines, machine);
  return MakeDataset(table, "y");
}

Model FitLawBy(const std::string& technique, const Dataset& data,
               std::optional<size_t> extrapolate = std::nullopt, const RoleNames& roles = {}) {
  SearchOptions options;
  options.techniques = {technique};
  options.question.extrapolate = extrapolate;
  options.roles = roles;
  base::NoProgress progress;
  return MakeModel(data, options, Search(data, options, {}, progress).value());
}

double At(const Model& model, const std::vector<double>& cells) {
  Matrix x(1, static_cast<Eigen::Index>(cells.size()));
  for (size_t j = 0; j < cells.size(); ++j) x(0, static_cast<Eigen::Index>(j)) = cells[j];
  return model.fitted.Predict(x)(0);
}

ScalingLaw LawOf(const Model& model) {
  return std::get<ScalingLawFormula>(model.fitted.predictor->ToFormula());
}

double Coefficient(const Model& model, const std::string& parameter) {
  for (const LawTerm& term : LawOf(model).terms) {
    if (term.parameter == parameter) return term.coefficient;
  }
  ADD_FAILURE() << "no parameter " << parameter;
  return 0;
}

// |a / b - 1|.
double Off(double a, double b) { return std::fabs(a / b - 1); }

const std::vector<double> kCounts{1, 2, 3, 4, 6, 8};

TEST(ScalingLawTest, AmdahlFindsTheSerialPart) {
  const Truth truth = [](const Row& r) { return 20 + 300 / r.at("workers"); };
  const Model model = FitLawBy("amdahl", Grid({{"workers", kCounts}}, truth), 0);
  EXPECT_NEAR(Coefficient(model, "serial"), 20, 0.02);
  EXPECT_NEAR(Coefficient(model, "parallel"), 300, 0.3);
  EXPECT_LT(Off(At(model, {64}), 20 + 300.0 / 64), 0.01);
}

double UslTime(double n) { return 100 * (1 + 0.04 * (n - 1) + 0.002 * n * (n - 1)) / n; }

TEST(ScalingLawTest, UslFindsContentionAndCoherenceAndTurnsUp) {
  const Truth truth = [](const Row& r) { return UslTime(r.at("workers")); };
  const Model model = FitLawBy("usl", Grid({{"workers", {1, 2, 4, 6, 8, 12, 16}}}, truth), 0);
  const double t1 = Coefficient(model, "T1");
  EXPECT_NEAR(t1, 100, 0.1);
  EXPECT_NEAR(Coefficient(model, "T1*sigma") / t1, 0.04, 0.001);
  EXPECT_NEAR(Coefficient(model, "T1*kappa") / t1, 0.002, 0.0001);
  EXPECT_LT(Off(At(model, {64}), UslTime(64)), 0.01);
}

TEST(ScalingLawTest, UslStandsNoiseAndAnOutlier) {
  base::Rng rng(5);
  int row = 0;
  const Truth truth = [&](const Row& r) {
    const double noisy = UslTime(r.at("workers")) * std::exp(0.03 * rng.Normal());
    return ++row == 9 ? 4 * noisy : noisy;
  };
  const Model model = FitLawBy(
      "usl", Grid({{"workers", {1, 2, 4, 6, 8, 12, 16, 24}}, {"run", {1, 2, 3, 4}}}, truth), 0);
  EXPECT_LT(Off(At(model, {48, 2}), UslTime(48)), 0.15);
}

double PolluxTime(double nodes, double k, double b) {
  const double grad = 0.05 + 0.004 * b;
  if (k == 1) return grad;
  const double sync =
      nodes > 1 ? 0.2 + 0.01 * std::max(k - 2, 0.0) : 0.04 + 0.005 * std::max(k - 2, 0.0);
  return std::pow(std::pow(grad, 2.5) + std::pow(sync, 2.5), 1 / 2.5);
}

bool Possible(const Row& r) {
  const double nodes = r.at("nodes");
  return r.at("gpus") >= nodes && r.at("gpus") <= 4 * nodes;
}

TEST(ScalingLawTest, PolluxTellsNodesApartAndOverlaps) {
  const Truth truth = [](const Row& r) {
    return PolluxTime(r.at("nodes"), r.at("gpus"), r.at("local_bsz"));
  };
  const Dataset data = Grid({{"nodes", {1, 2, 3, 4}},
                             {"gpus", {1, 2, 3, 4, 6, 8, 12, 16}},
                             {"local_bsz", {16, 32, 64, 128}}},
                            truth, Possible);
  const Model model = FitLawBy("pollux", data, 1);
  EXPECT_NEAR(Coefficient(model, "beta_compute"), 0.004, 1e-4);
  EXPECT_NEAR(Coefficient(model, "alpha_across"), 0.2, 0.005);
  EXPECT_NEAR(Coefficient(model, "beta_within"), 0.005, 5e-4);
  EXPECT_NEAR(LawOf(model).overlap, 2.5, 0.1);
  EXPECT_LT(Off(At(model, {16, 64, 64}), PolluxTime(16, 64, 64)), 0.02);
}

TEST(ScalingLawTest, PolluxFreezesWhatNobodyMeasured) {
  const Truth truth = [](const Row& r) { return PolluxTime(1, r.at("gpus"), r.at("local_bsz")); };
  const Dataset data =
      Grid({{"nodes", {1}}, {"gpus", {1, 2, 3, 4, 6, 8}}, {"local_bsz", {16, 32, 64, 128}}}, truth);
  const Model model = FitLawBy("pollux", data, 1);
  for (const LawTerm& term : LawOf(model).terms) {
    EXPECT_EQ(term.frozen, term.parameter.ends_with("_across")) << term.parameter;
  }
  EXPECT_EQ(Coefficient(model, "beta_across"), Coefficient(model, "beta_within"));
  EXPECT_GT(Coefficient(model, "beta_across"), 0);
}

TEST(ScalingLawTest, PolluxReadsTheTimeOfAPassAndASharedBatch) {
  // Steps over the data: size / batch; each worker computes its share of the batch.
  const auto time = [](double k, double b, double s) {
    return s / b * (0.02 + 0.003 * b / k + (k > 1 ? 0.05 + 0.004 * std::max(k - 2, 0.0) : 0));
  };
  const Truth truth = [&](const Row& r) {
    return time(r.at("workers"), r.at("batch"), r.at("images"));
  };
  const Dataset data = Grid(
      {{"workers", {1, 2, 3, 4, 6, 8}}, {"batch", {64, 128, 256}}, {"images", {1e4, 4e4}}}, truth);
  const Model model = FitLawBy("pollux", data, 0);
  EXPECT_LT(Off(At(model, {32, 128, 8e4}), time(32, 128, 8e4)), 0.03);
}

TEST(ScalingLawTest, OptimusWeighsWorkersAgainstServers) {
  const auto time = [](double w, double p) {
    return 0.9 / w + 0.05 + 0.03 * w / p + 0.004 * w + 0.002 * p;
  };
  const Truth truth = [&](const Row& r) { return time(r.at("workers"), r.at("num_ps")); };
  const Dataset data = Grid({{"workers", {1, 2, 3, 4, 6, 8}}, {"num_ps", {1, 2, 4, 8}}}, truth);
  const Model model = FitLawBy("optimus", data, 0);
  EXPECT_NEAR(Coefficient(model, "theta2"), 0.03, 1e-4);
  EXPECT_LT(Off(At(model, {24, 4}), time(24, 4)), 0.01);
}

TEST(ScalingLawTest, OptimusAlsoKnowsAsynchronousWorkers) {
  const auto time = [](double w, double p) {
    return (0.9 + 0.2 * w / p + 0.01 * w + 0.02 * p) / w;
  };
  const Truth truth = [&](const Row& r) { return time(r.at("workers"), r.at("num_ps")); };
  const Dataset data = Grid({{"workers", {1, 2, 3, 4, 6, 8}}, {"num_ps", {1, 2, 4, 8}}}, truth);
  const Model model = FitLawBy("optimus", data, 0);
  EXPECT_EQ(model.fitted.candidate.settings.at("async"), 1);
  EXPECT_LT(Off(At(model, {24, 4}), time(24, 4)), 0.01);
}

TEST(ScalingLawTest, ServersSaturate) {
  // A pass over a fixed amount of work: 10 / n until bytes / B = 1.6.
  const auto time = [](double n, double bytes) {
    return std::pow(std::pow(10 / n, 6) + std::pow(bytes / 100, 6), 1.0 / 6);
  };
  const Truth truth = [&](const Row& r) { return time(r.at("workers"), r.at("gradient_mb")); };
  const Dataset data =
      Grid({{"workers", {1, 2, 3, 4, 6, 8, 12}}, {"gradient_mb", {80, 160, 320}}}, truth);
  const Model model = FitLawBy("ps", data, 0);
  EXPECT_NEAR(Coefficient(model, "1/B"), 0.01, 1e-4);
  EXPECT_LT(Off(At(model, {64, 160}), 1.6), 0.02);
  EXPECT_LT(Off(At(model, {64, 640}), 6.4), 0.02);
}

TEST(ScalingLawTest, RingFindsBandwidthAndLatency) {
  const auto time = [](double n, double bytes) {
    return 0.3 + 2 * (n - 1) / n * bytes / 500 + 2 * (n - 1) * 0.002;
  };
  const Truth truth = [&](const Row& r) { return time(r.at("workers"), r.at("model_mb")); };
  const Dataset data = Grid({{"workers", kCounts}, {"model_mb", {50, 100, 400}}}, truth);
  const Model model = FitLawBy("ring", data, 0);
  EXPECT_NEAR(Coefficient(model, "1/B"), 1 / 500.0, 1e-5);
  EXPECT_NEAR(Coefficient(model, "latency"), 0.002, 1e-5);
  EXPECT_LT(Off(At(model, {64, 200}), time(64, 200)), 0.01);
}

TEST(ScalingLawTest, StepsTellsImagesStepsAndTheStartApart) {
  const auto time = [](double w, double b, double s, double flops, double threads) {
    const double images = s / w;
    return images * 2e-4 * flops / threads + images / b * (0.03 + 0.02 * (w - 1)) + 5;
  };
  const Truth truth = [&](const Row& r) {
    return time(r.at("workers"), r.at("batch"), r.at("images"), r.at("flops"), r.at("threads"));
  };
  const Dataset data = Grid({{"workers", {1, 2, 3, 4}},
                             {"batch", {32, 64, 128}},
                             {"images", {3000, 6000}},
                             {"flops", {1, 4}},
                             {"threads", {1, 2}}},
                            truth);
  for (const size_t beyond : {0U, 2U}) {
    const Model model = FitLawBy("steps", data, beyond);
    EXPECT_NEAR(Coefficient(model, "image_work_threads"), 2e-4, 1e-5);
    EXPECT_NEAR(Coefficient(model, "once"), 5, 0.2);
    EXPECT_EQ(model.fitted.candidate.settings.at("shared"), 0);
    EXPECT_LT(Off(At(model, {16, 64, 12000, 2, 1}), time(16, 64, 12000, 2, 1)), 0.03);
    EXPECT_LT(Off(At(model, {2, 64, 96000, 2, 2}), time(2, 64, 96000, 2, 2)), 0.03);
  }
  // All workers share a batch: steps do not become fewer with them.
  const Truth shared = [](const Row& r) {
    return r.at("images") * (0.002 / r.at("workers") + 0.1 / r.at("batch")) + 1;
  };
  const Dataset pass =
      Grid({{"workers", {1, 2, 3, 4}}, {"batch", {32, 64, 128}}, {"images", {3000, 6000}}}, shared);
  const Model model = FitLawBy("steps", pass, 0);
  EXPECT_EQ(model.fitted.candidate.settings.at("shared"), 1);
  EXPECT_LT(Off(At(model, {16, 64, 6000}), 6000 * (0.002 / 16 + 0.1 / 64) + 1), 0.03);
}

TEST(ScalingLawTest, PmnfFindsTheTermsOfOneColumn) {
  const auto time = [](double n) { return 4 + 0.5 * n * std::log2(n); };
  const Truth truth = [&](const Row& r) { return time(r.at("p")); };
  const Model model = FitLawBy("pmnf", Grid({{"p", {2, 4, 8, 16, 32, 64}}}, truth), 0);
  EXPECT_LT(Off(At(model, {1024}), time(1024)), 0.01);
  const ScalingLaw law = LawOf(model);
  ASSERT_EQ(law.terms.size(), 2);
  EXPECT_EQ(law.terms[1].factors.size(), 2);
}

TEST(ScalingLawTest, PmnfFallsUnderStrongScaling) {
  const auto time = [](double w, double s) { return 3 + 2 * s / w + 0.1 * std::pow(w, 0.5); };
  const Truth truth = [&](const Row& r) { return time(r.at("workers"), r.at("size")); };
  const Dataset data =
      Grid({{"workers", {1, 2, 4, 8, 16, 32}}, {"size", {10, 20, 40, 80, 160}}}, truth);
  const Model model = FitLawBy("pmnf", data, 0);
  EXPECT_LT(Off(At(model, {128, 160}), time(128, 160)), 0.02);
}

TEST(ScalingLawTest, ColumnsWithoutAPlaceInTheLawScaleTheWhole) {
  const std::vector<double> factor{1, 1.7, 0.4};
  const auto time = [&](double n, double layers, double type) {
    return (5 + 60 / n) * std::pow(layers, 0.8) * factor[static_cast<size_t>(type)];
  };
  const Truth truth = [&](const Row& r) {
    return time(r.at("workers"), r.at("layers"), r.at("type"));
  };
  const Dataset data = Grid({{"workers", kCounts}, {"layers", {10, 20, 50}}, {"type", {0, 1, 2}}},
                            truth, {}, {"slow", "slower", "fast"});
  const Model model = FitLawBy("amdahl", data, 0);
  EXPECT_LT(Off(At(model, {32, 100, 2}), time(32, 100, 2)), 0.02);
  EXPECT_LT(Off(At(model, {1, 10, 1}), time(1, 10, 1)), 0.02);
}

TEST(ScalingLawTest, AMachineMeasuredWithOneWorkerTakesTheShapeOfTheOthers) {
  const Truth truth = [](const Row& r) {
    return UslTime(r.at("workers")) * (r.at("type") == 0 ? 1 : 0.35);
  };
  const Dataset data =
      Grid({{"workers", {1, 2, 3, 4, 6, 8, 12, 16}}, {"type", {0, 1}}}, truth,
           [](const Row& r) { return r.at("type") == 0 || r.at("workers") == 1; }, {"a", "b"});
  for (const char* technique : {"usl", "pmnf", "ring"}) {
    const Model model = FitLawBy(technique, data);
    for (const double n : {2.0, 8.0, 16.0, 24.0}) {
      EXPECT_LT(Off(At(model, {n, 1}), 0.35 * UslTime(n)), 0.05) << technique << " at " << n;
    }
  }
}

TEST(ScalingLawTest, MachinesWithEnoughCountsHaveTheirOwnExchange) {
  // The second type computes twice as fast, but exchanges no faster.
  const auto time = [](double n, double type) {
    return (type == 0 ? 80 : 40) / n + 2 * (n - 1) * 0.5 + 2;
  };
  const Truth truth = [&](const Row& r) { return time(r.at("workers"), r.at("type")); };
  const Dataset data =
      Grid({{"workers", {1, 2, 3, 4, 6, 8}}, {"type", {0, 1}}}, truth, {}, {"a", "b"});
  const Model model = FitLawBy("ring", data);
  EXPECT_EQ(model.fitted.candidate.settings.at("apart"), 1);
  const ScalingLaw law = LawOf(model);
  ASSERT_EQ(law.exchange.size(), 2);
  EXPECT_GT(law.exchange[1], law.exchange[0]);
  for (const double n : {5.0, 12.0}) {
    for (const double type : {0.0, 1.0}) EXPECT_LT(Off(At(model, {n, type}), time(n, type)), 0.05);
  }
  // A level never seen gets something in between.
  EXPECT_GT(At(model, {4, -1}), 0.9 * time(4, 1));
  EXPECT_LT(At(model, {4, -1}), 1.1 * time(4, 0));
}

TEST(ScalingLawTest, LittleDataIsEnoughAndConstantColumnsDoNotMatter) {
  const Dataset data = MakeDataset(
      support::NumberTable({{"workers", {1, 2, 4}}, {"batch", {32, 32, 32}}, {"y", {10, 6, 4}}}),
      "y");
  for (const char* technique : {"amdahl", "usl", "ps", "ring", "pmnf"}) {
    const Model model = FitLawBy(technique, data);
    for (const double n : {1.0, 3.0, 1e6, 1e300}) {
      const double predicted = At(model, {n, 32});
      EXPECT_TRUE(std::isfinite(predicted) && predicted > 0) << technique;
    }
  }
}

TEST(ScalingLawTest, LawsAreOfferedOnlyWhereTheirColumnsVary) {
  const Dataset data = Grid({{"workers", kCounts}, {"colour", {1, 2}}},
                            [](const Row& r) { return 1 + 9 / r.at("workers"); });
  const Roles roles = FindRoles(data.schema, {}).value();
  std::vector<std::string> offered;
  for (const LawDescription& law : LawLibrary()) {
    const Technique* technique = FindTechnique(law.name).value();
    if (!technique->Candidates(data, roles, {}, {}).empty()) offered.emplace_back(law.name);
    Restrictions linear;
    linear.scale = TargetScale::kLinear;
    EXPECT_TRUE(technique->Candidates(data, roles, {}, linear).empty());
  }
  EXPECT_THAT(offered, ::testing::ElementsAre("amdahl", "usl", "ps", "ring", "pmnf"));
  // What the user says makes the others apply.
  SearchOptions options;
  options.techniques = {"optimus"};
  base::NoProgress progress;
  const auto refused = Search(data, options, {}, progress);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().Describe(), HasSubstr("--servers"));
  options.roles.servers = "colour";
  EXPECT_TRUE(Search(data, options, {}, progress).ok());
}

TEST(ScalingLawTest, OnlyLawsThatKnowMoreThanWorkersTakePartUnasked) {
  const auto names = [](const Question& question) {
    std::vector<std::string> found;
    for (const LawDescription& law : LawLibrary()) {
      if (FindTechnique(law.name).value()->TakesPart(question)) found.emplace_back(law.name);
    }
    return found;
  };
  Question beyond;
  beyond.extrapolate = 0;
  EXPECT_THAT(names(beyond), ::testing::ElementsAre("pollux", "optimus", "steps"));
  EXPECT_THAT(names({}), ::testing::ElementsAre("steps"));
}

TEST(ScalingLawTest, ReadsBackToTheLastBitAndRefusesDamage) {
  const Dataset data =
      Grid({{"workers", kCounts}, {"batch", {8, 16, 32}}, {"type", {0, 1}}},
           [](const Row& r) {
             return (r.at("type") == 0 ? 3 : 1) * (1 + r.at("batch")) + 0.3 * r.at("workers");
           },
           {}, {"a", "b"});
  const Model model = FitLawBy("pollux", data);
  const Model again = ModelFromText(ModelToText(model), "m").value();
  EXPECT_EQ(again.fitted.Predict(data.x), model.fitted.Predict(data.x));

  const Technique* technique = FindTechnique("pollux").value();
  const base::Json good = model.fitted.predictor->ToJson(model.schema);
  ASSERT_TRUE(technique->Load(good, model.schema).ok());
  const auto refused = [&](const char* pointer, const base::Json& value) {
    base::Json broken = good;
    broken[base::Json::json_pointer(pointer)] = value;
    const auto loaded = technique->Load(broken, model.schema);
    return !loaded.ok() && loaded.error().code() == base::ErrorCode::kCorrupt;
  };
  EXPECT_TRUE(refused("/law", "usl"));
  EXPECT_TRUE(refused("/overlap", 0.5));
  EXPECT_TRUE(refused("/overlap", 11));
  EXPECT_TRUE(refused("/terms", base::Json::array()));
  EXPECT_TRUE(refused("/terms/0/coefficient", -1));
  EXPECT_TRUE(refused("/terms/0/scale", 0));
  EXPECT_TRUE(refused("/terms/0/part", "rest"));
  EXPECT_TRUE(refused("/terms/0/frozen", "no"));
  EXPECT_TRUE(refused("/terms/1/factors/0/form", "cubic"));
  EXPECT_TRUE(refused("/terms/1/factors/0/column", "nowhere"));
  EXPECT_TRUE(refused("/terms/1/factors/0/column", "machine_type"));
  EXPECT_TRUE(refused("/terms/1/factors/0/number", 1e12));
  EXPECT_TRUE(refused("/weights", base::Json::array({1, 2, 3, 4, 5, 6, 7, 8, 9})));
  EXPECT_TRUE(refused("/machine", {{"column", "machine_type"}, {"exchange", {1, 0}}}));
  EXPECT_TRUE(refused("/machine", {{"column", "machine_type"}, {"exchange", {1}}}));
  EXPECT_TRUE(refused("/machine", {{"column", "workers"}, {"exchange", {1, 1}}}));
  EXPECT_EQ(technique->Load(base::Json::array(), model.schema).error().code(),
            base::ErrorCode::kCorrupt);
}

// Half of the layouts take longer, which the law has no word for.
Dataset WithLayouts() {
  return Grid({{"workers", {1, 2, 3, 4}},
               {"batch", {32, 64}},
               {"images", {3000, 6000}},
               {"layout", {1, 2, 3, 4, 5}}},
              [](const Row& r) {
                const double time =
                    r.at("images") / r.at("workers") * (0.002 + 0.05 / r.at("batch"));
                return (time + 3) * (std::fmod(r.at("layout"), 2) == 0 ? 1.6 : 1);
              });
}

TEST(ScalingLawTest, WhatCorrectsALawIsKeptAndReadBack) {
  const Dataset data = WithLayouts();
  const Technique* technique = FindTechnique("steps").value();
  const Roles roles = FindRoles(data.schema, {}).value();
  const CandidateGroup group = technique->Candidates(data, roles, {}, {}).front();
  const auto fits = technique->Fit({data, roles, base::Rng(1)}, group).value();
  ASSERT_EQ(fits.size(), group.size());
  const auto error = [&](size_t i) {
    return (fits[i]->Predict(data.x) - data.y.array().log().matrix()).cwiseAbs().mean();
  };
  bool trees = false;
  bool process = false;
  for (size_t i = 0; i < fits.size(); ++i) {
    const auto formula = std::get<ScalingLawFormula>(fits[i]->ToFormula());
    const bool corrected = formula.correction.trees + formula.correction.centres > 0;
    if (corrected) {
      EXPECT_LT(error(i), 0.2 * error(0)) << i;
    }
    trees = trees || formula.correction.trees > 0;
    process = process || formula.correction.centres > 0;
    const base::Json json = fits[i]->ToJson(data.schema);
    EXPECT_EQ(json.contains("residual"), corrected);
    EXPECT_EQ(technique->Load(json, data.schema).value()->Predict(data.x),
              fits[i]->Predict(data.x));
  }
  EXPECT_TRUE(trees && process);

  base::Json good = fits.back()->ToJson(data.schema);
  const auto refused = [&](const base::Json& broken) {
    const auto loaded = technique->Load(broken, data.schema);
    return !loaded.ok() && loaded.error().code() == base::ErrorCode::kCorrupt;
  };
  const base::Json range = good["ranges"][0];
  for (const base::Json& ranges : {base::Json::array(), base::Json::array({range, range, range}),
                                   base::Json(3), base::Json::array({range, range, range, {2, 1}}),
                                   base::Json::array({range, range, range, {"a", "b"}}),
                                   base::Json::array({range, range, range, 1})}) {
    base::Json broken = good;
    broken["ranges"] = ranges;
    EXPECT_TRUE(refused(broken)) << ranges;
  }
  base::Json broken = good;
  broken.erase("ranges");
  EXPECT_TRUE(refused(broken));
  broken = good;
  broken["residual"] = 7;
  EXPECT_TRUE(refused(broken));
}

TEST(ScalingLawTest, StepsNeedsNoVaryingBatchOrData) {
  const Dataset data = Grid({{"workers", {1, 2, 3, 4, 6}}, {"batch", {64}}, {"images", {6400}}},
                            [](const Row& r) { return 64 / r.at("workers") + 4; });
  const Model model = FitLawBy("steps", data, 0);
  EXPECT_LT(Off(At(model, {16, 64, 6400}), 8), 0.05);
  // Twice the images; whether the fixed part grows with them no row tells.
  EXPECT_GT(At(model, {4, 64, 12800}), 35.9);
  EXPECT_LT(At(model, {4, 64, 12800}), 40.1);
}

}  // namespace
}  // namespace reckon::learn
