// Errors of forecasts by stage of the training and way of validation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/campaigns/repeat_noise.h"
#include "app/report/figure.h"
#include "app/report/samples.h"

namespace reckon::app {

// How forecasts are put to the test; as the options of `validate`.
struct ReportValidation {
  double holdout = 0.2;
  std::vector<std::string> interpolate;  // empty: by the values that were measured
  std::vector<std::string> extrapolate;
  uint64_t seed = 1;
};

// The chosen model of one stage, put to the test in one way.
struct StageCell {
  std::optional<double> mape_percent;
  std::string technique;
  size_t training_rows = 0;
  size_t validation_rows = 0;
  double coverage_percent = 0;
  std::string problem;  // why there is no error; empty: there is one
};

struct StageMethod {
  std::string way;     // hold-out, interpolation or extrapolation
  std::string column;  // empty of a hold-out
  std::string label;
  std::vector<StageCell> cells;  // in the order of the stages
};

struct ReportStage {
  std::string column;  // "fit_s"
  size_t rows = 0;
  RepeatNoise noise;
};

struct StagesSection {
  std::vector<ReportStage> stages;
  std::vector<StageMethod> methods;
  std::vector<ReportFigure> figures;
  std::vector<std::string> notes;
};

// Without stages where no stage has rows enough; the notes then say why. kBadInput: a validation
// that was asked for cannot be.
base::Result<StagesSection> MakeStages(const CampaignSamples& samples,
                                       const ReportValidation& validation, const Context& context);
void AddStages(const StagesSection& section, Page& page);
base::Json ToJson(const StagesSection& section);

// Truth across, prediction up, and where both are equal.
plot::Chart PredictedAgainstMeasured(const std::string& title, const std::string& target,
                                     std::vector<plot::Series> dots);

}  // namespace reckon::app
