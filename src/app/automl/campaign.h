// What a configuration of aMLLibrary asks for, in our words.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/automl/configuration.h"

namespace reckon::app {

// A hyperparameter with the values to try; with Hyperopt, a text may be a prior.
struct Hyperparameter {
  std::string name;
  std::vector<Literal> values;
  std::string place;  // for messages: "conf.ini, line 20, [XGBoost] gamma"
};

// A technique by the name that configurations use, with what its section says.
struct TechniqueSection {
  std::string label;
  std::vector<Hyperparameter> hyperparameters;
};

enum class Validation { kAll, kHoldOut, kKFold, kInterpolation, kExtrapolation };

// Columns that a form is made of.
struct ColumnChoice {
  bool all = false;  // [*]
  std::vector<std::string> names;

  bool IsAny() const { return all || !names.empty(); }
};

// Every `step`-th value of a column, or the values given.
struct InterpolationColumn {
  std::string name;
  size_t step = 0;
  std::vector<double> values;
};

struct DataPreparation {
  std::string input_path;
  std::vector<std::pair<std::string, std::string>> rename;  // old name, new name
  std::optional<std::vector<std::string>> use_columns;
  std::vector<std::string> skip_columns;
  std::vector<std::pair<std::string, double>> skip_rows;  // those above the bound
  ColumnChoice inverse;
  ColumnChoice log;
  int degree = 1;
  bool interactions_only = false;
  bool ernest = false;
};

struct FeatureSelection {
  enum class Method { kNone, kForward, kImportance };
  Method method = Method::kNone;
  size_t most_features = 0;  // 0: no limit
  double tolerance = 0.95;   // kImportance: share of the gain to reach
};

struct Campaign {
  size_t runs = 1;
  std::string target;
  std::vector<TechniqueSection> techniques;
  std::optional<double> selection_share;  // candidates compared on a hold-out; otherwise on folds
  size_t folds = 5;
  Validation validation = Validation::kAll;
  double hold_out_ratio = 0.2;
  std::vector<std::pair<std::string, double>> extrapolation;  // held out: above the bound
  std::vector<InterpolationColumn> interpolation;
  std::optional<size_t> evaluations;  // Hyperopt
  bool plots = false;
  DataPreparation preparation;
  FeatureSelection selection;
  std::vector<std::string> warnings;  // what is done otherwise, or not at all
};

// kBadInput for whatever is wrong or missing; unknown options become warnings.
base::Result<Campaign> ReadCampaign(Configuration& configuration);

// [DataPreparation] and [FeatureSelection], for ReadCampaign.
base::Status ReadPreparation(Configuration& configuration, Campaign& campaign);
base::Status ReadSelection(Configuration& configuration, Campaign& campaign);

// {'column': bound} with numbers as values.
base::Result<std::vector<std::pair<std::string, double>>> ReadBounds(Configuration& configuration,
                                                                     const std::string& section,
                                                                     const std::string& name);

}  // namespace reckon::app
