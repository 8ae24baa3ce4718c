// The generic law on a campaign's rows: parameters, scaling powers, penalties, errors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/explain.h"
#include "app/report/figure.h"
#include "app/report/law_fits.h"
#include "app/report/samples.h"

namespace reckon::app {

struct LawOptions {
  double holdout = 0.2;
  uint64_t seed = 1;
  size_t resamples = kDefaultResamples;  // of rows, for the intervals of parameters
};

// A model's error on the rows held out.
struct LawError {
  std::string model;
  std::optional<double> mape_percent;
  std::optional<double> rmse;  // in the target's unit
};

// The plain law's error on those rows held out that have one level of a category.
struct LawLevelError {
  std::string column;
  std::string level;
  size_t rows = 0;
  double mape_percent = 0;
};

// The law with one penalty: fitted to the training rows, measured on those held out.
struct PenaltyStep {
  std::string penalty;  // l1 or l2
  double lambda = 0;
  std::optional<double> mape_percent;
  std::optional<double> r2;
};

// How the time changes with a resource: as column^power.
struct LawPower {
  std::string column;
  double power = 0;
};

struct LawGroup {
  std::string name;  // the framework; empty: all rows
  size_t rows = 0;
  size_t held_out = 0;
  std::vector<std::string> inputs;
  std::string formula;
  std::vector<std::string> scaling;  // in words
  std::vector<ExplainedInterval> parameters;
  std::vector<LawPower> powers;
  std::vector<LawFit> fits;
  std::vector<LawError> errors;
  std::vector<LawLevelError> by_image;  // by the kind of images
  std::vector<PenaltyStep> path;
  std::vector<ReportFigure> figures;
};

struct LawSection {
  std::string target;
  size_t resamples = 0;
  std::vector<LawGroup> groups;
  std::vector<std::string> notes;
};

// Without groups where the law does not apply, as where nothing numeric was varied; the notes then
// say why.
base::Result<LawSection> MakeLaw(const CampaignSamples& samples, const LawOptions& options,
                                 const Context& context);
void AddLaw(const LawSection& section, Page& page);
base::Json ToJson(const LawSection& section);

}  // namespace reckon::app
