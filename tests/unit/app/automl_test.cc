// From a campaign to candidates, splits and a folder of results.
#include "app/automl/automl.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>

#include "app/automl/campaign_data.h"
#include "app/automl/campaign_splits.h"
#include "app/automl/candidate_grid.h"
#include "app/predict.h"
#include "base/file.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/base/fake_clock.h"

namespace reckon::app {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class AutomlTest : public ::testing::Test {
 protected:
  AutomlTest() {
    std::string text = "cores,size,time\n";
    for (const int size : {10, 20, 40, 80}) {
      for (const int cores : {1, 2, 4, 8, 16}) {
        text += std::to_string(cores) + "," + std::to_string(size) + "," +
                std::to_string(3 + 10.0 * size / cores + 0.2 * cores) + "\n";
      }
    }
    std::ofstream(folder_ / "runs.csv") << text;
  }

  Context MakeContext(size_t jobs = 2) {
    return {clock_, log_, progress_, stop_.get_token(), jobs, folder_ / "reckon.db"};
  }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  std::string Configure(const std::string& general, const std::string& techniques) {
    return Write("conf.ini", "[General]\ny = 'time'\n" + general +
                                 "[DataPreparation]\ninput_path = 'runs.csv'\n"
                                 "inverse = ['cores']\nproduct_max_degree = 2\n" +
                                 techniques);
  }

  Campaign ReadFile(const std::string& file) {
    Configuration configuration =
        Configuration::Parse(base::ReadFile(file).value(), "conf.ini").value();
    return ReadCampaign(configuration).value();
  }

  base::Result<CandidateGrid> Grid(const std::string& general, const std::string& techniques) {
    const std::string file = Configure(general, techniques);
    const Campaign campaign = ReadFile(file);
    std::vector<std::string> warnings;
    const Prepared prepared = PrepareCampaign(campaign, file, MakeContext(), warnings).value();
    return MakeCandidates(campaign, CampaignFeatures(campaign, prepared.data).value(),
                          prepared.data, base::Rng(1));
  }

  support::TempFolder folder_;
  base::FakeClock clock_;
  base::Logger log_{base::LogLevel::kOff};
  base::NoProgress progress_;
  std::stop_source stop_;
};

const std::string kFolds = "hp_selection = KFold\nfolds = 3\nvalidation = KFold\n";

TEST_F(AutomlTest, MakesEveryCombinationOfAGrid) {
  const CandidateGrid grid =
      Grid(kFolds +
               "techniques = ['LRRidge', 'XGBoost', 'DecisionTree', 'RandomForest', 'SVR',"
               " 'NNLS', 'Stepwise']\n",
           "[LRRidge]\nalpha = [0.1, 1.0]\n[XGBoost]\nn_estimators = [10, 20]\nmax_depth = [2, 3]\n"
           "learning_rate = [0.1]\n[DecisionTree]\ncriterion = ['absolute_error']\n"
           "max_depth = [None]\nmax_features = ['auto', 'sqrt']\nmin_samples_split = [1.0]\n"
           "[RandomForest]\nn_estimators = [5]\n[SVR]\nkernel = ['rbf', 'linear']\nC = [2]\n"
           "gamma = [1e-7]\n[NNLS]\nfit_intercept = [True, False]\n[Stepwise]\np_to_add = [0.02]\n")
          .value();
  std::map<std::string, std::vector<NamedCandidate>> by;
  for (const NamedCandidate& named : grid.candidates) by[named.label].push_back(named);
  ASSERT_EQ(by["LRRidge"].size(), 2);
  // Ours is a penalty of the mean over 20 rows.
  EXPECT_DOUBLE_EQ(by["LRRidge"][0].candidate.settings.at("alpha"), 0.1 / 20);
  EXPECT_EQ(by["LRRidge"][0].hyperparameters, "alpha=0.1");
  EXPECT_TRUE(by["LRRidge"][0].candidate.features.inverse);
  EXPECT_EQ(by["LRRidge"][0].candidate.features.degree, 2);
  ASSERT_EQ(by["XGBoost"].size(), 4);
  EXPECT_EQ(by["XGBoost"][0].candidate.settings.at("gamma"), 0.25);
  EXPECT_EQ(by["XGBoost"][0].candidate.settings.at("rate"), 0.1);
  ASSERT_EQ(by["DecisionTree"].size(), 2);
  EXPECT_EQ(by["DecisionTree"][0].candidate.words.at("criterion"), "mae");
  EXPECT_EQ(by["DecisionTree"][0].candidate.words.at("max_features"), "all");
  EXPECT_LT(by["DecisionTree"][0].candidate.settings.at("min_split"), 1);
  EXPECT_EQ(by["RandomForest"][0].candidate.settings.at("trees"), 5);
  ASSERT_EQ(by["SVR"].size(), 2);
  EXPECT_EQ(by["SVR"][0].candidate.settings.at("gaussian"), 1);
  EXPECT_EQ(by["SVR"][0].candidate.settings.at("gamma"), 1e-7);
  EXPECT_EQ(by["NNLS"].size(), 2);
  EXPECT_EQ(by["Stepwise"][0].candidate.settings.at("p_to_add"), 0.02);
  size_t grouped = 0;
  for (const learn::CandidateGroup& group : grid.groups) grouped += group.size();
  EXPECT_EQ(grouped, grid.candidates.size());
}

TEST_F(AutomlTest, DrawsAsManyCandidatesAsEvaluations) {
  const std::string general = kFolds +
                              "techniques = ['LRRidge']\nhyperparameter_tuning = Hyperopt\n"
                              "hyperopt_max_evals = 12\n";
  const CandidateGrid grid = Grid(general, "[LRRidge]\nalpha = ['loguniform(0.01,10)']\n").value();
  ASSERT_EQ(grid.candidates.size(), 12);
  std::set<double> alphas;
  for (const NamedCandidate& named : grid.candidates) {
    const double alpha = 20 * named.candidate.settings.at("alpha");
    EXPECT_GE(alpha, 0.01);
    EXPECT_LE(alpha, 10.0001);
    alphas.insert(alpha);
  }
  EXPECT_EQ(alphas.size(), 12);
  EXPECT_LT(*alphas.begin(), 0.02);
}

TEST_F(AutomlTest, LeavesOutWhatThereIsNothingLike) {
  const CandidateGrid grid =
      Grid(kFolds + "techniques = ['LRRidge', 'NeuralNetwork', 'SVR']\n",
           "[LRRidge]\nalpha = [1]\nfancy = [2]\n[SVR]\nkernel = ['poly', 'linear']\n")
          .value();
  EXPECT_THAT(grid.warnings, Contains(HasSubstr("'NeuralNetwork' is not available")));
  EXPECT_THAT(grid.warnings, Contains(HasSubstr("[SVR] kernel: 'poly' is not available")));
  EXPECT_THAT(grid.warnings, Contains(HasSubstr("[LRRidge] fancy is not known")));
  EXPECT_EQ(grid.candidates.size(), 2);
  // Also where a prior draws it.
  const CandidateGrid drawn =
      Grid(kFolds +
               "techniques = ['SVR']\nhyperparameter_tuning = Hyperopt\n"
               "hyperopt_max_evals = 8\n",
           "[SVR]\nC = ['uniform(1,2)']\nkernel = ['choice(poly,linear)']\n")
          .value();
  EXPECT_THAT(drawn.warnings,
              ::testing::ElementsAre(HasSubstr("[SVR] kernel: 'poly' is not available")));
  EXPECT_EQ(drawn.candidates.size(), 4);
}

TEST_F(AutomlTest, RefusesWrongHyperparameters) {
  const auto problem = [&](const std::string& technique, const std::string& section) {
    const auto grid = Grid(kFolds + "techniques = ['" + technique + "']\n", section);
    return grid.ok() ? std::string("none") : grid.error().Describe();
  };
  EXPECT_THAT(problem("LRRidge", "[LRRidge]\nalpha = ['much']\n"),
              HasSubstr("[LRRidge] alpha: expected a number from 0 on, found 'much'"));
  EXPECT_THAT(problem("LRRidge", "[LRRidge]\nalpha = ['uniform(0,1)']\n"),
              HasSubstr("needs hyperparameter_tuning = Hyperopt"));
  EXPECT_THAT(problem("XGBoost", "[XGBoost]\nn_estimators = [0]\n"), HasSubstr("whole number"));
  EXPECT_THAT(problem("DecisionTree", "[DecisionTree]\ncriterion = ['gini']\n"),
              HasSubstr("'mse'"));
  EXPECT_THAT(problem("LRRigde", ""), HasSubstr("did you mean 'LRRidge'?"));
  EXPECT_THAT(problem("Dummy", ""), HasSubstr("none of them is available"));
  EXPECT_THAT(problem("XGBoost",
                      "[XGBoost]\nn_estimators = [1,2,3,4,5,6,7,8,9,10]\n"
                      "max_depth = [1,2,3,4,5,6,7,8,9,10]\n"
                      "gamma = [1,2,3,4,5,6,7,8,9,10]\n"
                      "learning_rate = [1,2,3,4,5,6,7,8,9,10]\n"
                      "reg_lambda = [1,2,3,4,5,6,7,8,9,10]\n"
                      "min_child_weight = [1,2]\n"),
              HasSubstr("more than 100000 candidates"));
}

class AutomlSplits : public AutomlTest {
 protected:
  ValidationMethod Method(const std::string& general) {
    const std::string file =
        Configure("techniques = ['LRRidge']\nhp_selection = KFold\nfolds = 4\n" + general, "");
    const Campaign campaign = ReadFile(file);
    warnings_.clear();
    prepared_ = PrepareCampaign(campaign, file, MakeContext(), warnings_).value();
    return CampaignMethod(campaign, prepared_, base::Rng(1), warnings_).value();
  }
  // Values of a column (0: cores, 1: size) in rows.
  std::set<double> Values(const std::vector<size_t>& rows, Eigen::Index column) {
    std::set<double> values;
    for (const size_t row : rows) {
      values.insert(prepared_.data.x(static_cast<Eigen::Index>(row), column));
    }
    return values;
  }
  Prepared prepared_;
  std::vector<std::string> warnings_;
};

TEST_F(AutomlSplits, HoldOutTheRowsThatWereAskedFor) {
  EXPECT_EQ(Method("validation = HoldOut\nhold_out_ratio = 0.25\n").splits[0].test.size(), 5);
  EXPECT_EQ(Method("validation = KFold\n").splits.size(), 4);
  const ValidationMethod beyond =
      Method("validation = Extrapolation\nextrapolation_columns = {'cores': 8, 'size': 40}\n");
  EXPECT_EQ(Values(beyond.splits[0].train, 0), (std::set<double>{1, 2, 4, 8}));
  EXPECT_EQ(Values(beyond.splits[0].train, 1), (std::set<double>{10, 20, 40}));
  EXPECT_EQ(beyond.splits[0].test.size(), 8);
}

TEST_F(AutomlSplits, NeverHoldOutTheEndPointsOfInterpolation) {
  const ValidationMethod every =
      Method("validation = Interpolation\ninterpolation_columns = {'cores': 2}\n");
  EXPECT_EQ(Values(every.splits[0].test, 0), (std::set<double>{4}));
  const ValidationMethod all =
      Method("validation = Interpolation\ninterpolation_columns = {'cores': 1}\n");
  EXPECT_EQ(Values(all.splits[0].test, 0), (std::set<double>{2, 4, 8}));
  const ValidationMethod listed =
      Method("validation = Interpolation\ninterpolation_columns = {'cores': [1, 4]}\n");
  EXPECT_EQ(Values(listed.splits[0].test, 0), (std::set<double>{4}));
  EXPECT_THAT(warnings_, Contains(HasSubstr("cores = 1 is an end point")));
}

TEST_F(AutomlTest, ChoosesBySelectionAndWritesModelsThatPredict) {
  AutomlRequest request;
  request.configuration = Configure(
      "techniques = ['LRRidge', 'DecisionTree']\nhp_selection = KFold\nfolds = 4\n"
      "validation = HoldOut\nhold_out_ratio = 0.2\nrun_num = 2\ngenerate_plots = True\n",
      "[LRRidge]\nalpha = [0.001, 100.0]\n[DecisionTree]\nmax_depth = [2, 4]\n");
  request.out = folder_ / "out";
  const AutomlReport report = Automl(request, MakeContext()).value();
  ASSERT_EQ(report.runs.size(), 2);
  for (const AutomlRun& run : report.runs) {
    ASSERT_EQ(run.techniques.size(), 2);
    EXPECT_TRUE(run.techniques[0].best);
    EXPECT_LE(*run.techniques[0].selection.mape_percent, *run.techniques[1].selection.mape_percent);
    EXPECT_EQ(run.validation_rows, 4);
  }
  EXPECT_EQ(report.models[0].label, "LRRidge");
  EXPECT_EQ(report.models[0].hyperparameters, "alpha=0.001");
  for (const char* file : {"best.json", "LRRidge.json", "DecisionTree.json", "results.txt",
                           "results.csv", "results.json", "LRRidge.svg", "LRRidge.txt",
                           "configuration_file.ini", "preprocessed.csv"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / file)) << file;
    EXPECT_THAT(report.files, Contains(std::string(file)));
  }
  EXPECT_THAT(base::ReadFile(folder_ / "out" / "results.txt").value(),
              HasSubstr("LRRidge      [MAPE]: (Training 0."));
  // Without the answer's column.
  PredictRequest predict;
  predict.model = folder_ / "out" / "best.json";
  predict.set = {"cores=4", "size=40"};
  EXPECT_NEAR(Predict(predict, MakeContext()).value().forecasts[0].predicted, 103.8, 2);
}

TEST_F(AutomlTest, KeepsTheFolderFreeWhenItCannotFinish) {
  AutomlRequest request;
  request.configuration = Configure(kFolds + "techniques = ['LRRidge']\n", "");
  request.out = folder_ / "out";
  stop_.request_stop();
  EXPECT_EQ(Automl(request, MakeContext()).error().code(), base::ErrorCode::kInterrupted);
  EXPECT_FALSE(std::filesystem::exists(request.out));
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    ++files;
  }
  EXPECT_EQ(files, 2);  // the table and the configuration
}

TEST_F(AutomlTest, RefusesAFolderWithSomethingInIt) {
  std::filesystem::create_directory(folder_ / "out");
  AutomlRequest request;
  request.configuration = Configure(kFolds + "techniques = ['LRRidge']\n", "");
  request.out = folder_ / "out";
  EXPECT_TRUE(Automl(request, MakeContext()).ok());  // an empty one will do
  EXPECT_EQ(Automl(request, MakeContext()).error().code(), base::ErrorCode::kBadInput);
}

}  // namespace
}  // namespace reckon::app
