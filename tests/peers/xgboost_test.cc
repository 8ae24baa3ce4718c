// Our xgboost against the library itself: the same parameters (those of the published grid), the
// same predictions. The library computes gains as floats; where two are equal to seven digits it
// may choose another split, which these data do not come across.
#include <cmath>

#include <gmock/gmock.h>
#include <xgboost/c_api.h>

#include "learn/regressors/registry.h"
#include "learn/search/presets.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

// Continuous columns: where two splits are equally good, rounding would choose.
struct Sample {
  std::vector<std::vector<double>> columns;
  std::vector<double> y;
};

Sample Draw(size_t rows, size_t columns, uint64_t seed) {
  base::Rng rng(seed);
  Sample sample;
  sample.columns.assign(columns, std::vector<double>(rows));
  for (auto& column : sample.columns) {
    // What a float holds exactly, since the library computes with floats.
    for (double& cell : column) cell = static_cast<float>(1 + 40 * rng.Uniform());
  }
  for (size_t i = 0; i < rows; ++i) {
    const double law = 100 / sample.columns[0][i] + sample.columns[1 % columns][i];
    sample.y.push_back(static_cast<float>(law * std::exp(0.1 * rng.Normal())));
  }
  return sample;
}

core::Table ToTable(const Sample& sample) {
  std::vector<std::pair<std::string, std::vector<double>>> columns;
  for (size_t j = 0; j < sample.columns.size(); ++j) {
    columns.emplace_back("c" + std::to_string(j), sample.columns[j]);
  }
  columns.emplace_back("y", sample.y);
  return support::NumberTable(columns);
}

class Library {
 public:
  explicit Library(const Sample& sample) {
    const size_t rows = sample.y.size();
    std::vector<float> cells;
    for (size_t i = 0; i < rows; ++i) {
      for (const auto& column : sample.columns) cells.push_back(static_cast<float>(column[i]));
    }
    Check(XGDMatrixCreateFromMat(cells.data(), rows, sample.columns.size(), NAN, &data_));
    const std::vector<float> labels(sample.y.begin(), sample.y.end());
    Check(XGDMatrixSetFloatInfo(data_, "label", labels.data(), rows));
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { XGDMatrixFree(data_); }

  std::vector<float> TrainAndPredict(const std::map<std::string, double>& settings,
                                     const Library& asked) const {
    BoosterHandle booster = nullptr;
    Check(XGBoosterCreate(&data_, 1, &booster));
    Set(booster, "tree_method", "exact");
    Set(booster, "nthread", "1");
    Set(booster, "objective", "reg:squarederror");
    Set(booster, "base_score", "0.5");
    Set(booster, "learning_rate", std::to_string(settings.at("rate")));
    for (const char* name : {"max_depth", "min_child_weight", "gamma", "lambda"}) {
      const double value = settings.at(name);
      const bool whole = value == std::floor(value);
      Set(booster, name, whole ? std::to_string(static_cast<int>(value)) : std::to_string(value));
    }
    for (int i = 0; i < static_cast<int>(settings.at("trees")); ++i) {
      Check(XGBoosterUpdateOneIter(booster, i, data_));
    }
    bst_ulong count = 0;
    const float* values = nullptr;
    Check(XGBoosterPredict(booster, asked.data_, 0, 0, 0, &count, &values));
    std::vector<float> predicted(values, values + count);
    XGBoosterFree(booster);
    return predicted;
  }

 private:
  static void Check(int code) { ASSERT_EQ(code, 0) << XGBGetLastError(); }
  static void Set(BoosterHandle booster, const char* name, const std::string& value) {
    Check(XGBoosterSetParam(booster, name, value.c_str()));
  }

  DMatrixHandle data_ = nullptr;
};

TEST(XgboostTest, PredictsWhatTheLibraryPredicts) {
  const Technique& technique = *FindTechnique("xgboost").value();
  int compared = 0;
  for (const size_t rows : {40, 300}) {
    const Sample sample = Draw(rows, 4, rows);
    const Sample asked = Draw(200, 4, 999);
    const Library library(sample);
    const Library asked_library(asked);
    const Dataset data = support::MakeDataset(ToTable(sample), "y");
    const Dataset asked_data = support::MakeDataset(ToTable(asked), "y");
    const Preset preset = FindPreset("ray-paper", data).value();
    for (const CandidateGroup& group : preset.groups) {
      if (group.front().technique != technique.name()) continue;
      for (Candidate candidate : group) {
        candidate.features = {};
        const auto fitted = technique.Fit({data, {}, base::Rng(1)}, {candidate}).value();
        const Vector ours = fitted.front()->Predict(asked_data.x);
        const std::vector<float> theirs =
            library.TrainAndPredict(candidate.settings, asked_library);
        ASSERT_EQ(theirs.size(), static_cast<size_t>(ours.size()));
        for (Eigen::Index i = 0; i < ours.size(); ++i) {
          const double their = theirs[static_cast<size_t>(i)];
          EXPECT_NEAR(ours(i), their, 1e-4 * std::fabs(their))
              << candidate.Describe() << ", rows " << rows << ", row " << i;
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(compared, 2 * 72 * 200);
}

}  // namespace
}  // namespace reckon::learn
