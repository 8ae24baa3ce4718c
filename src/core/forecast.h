// Forecast and the record of a Model: what predict answers, and where the answer comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace reckon::core {

// The part of a forecast that one term of the model accounts for.
struct Contribution {
  std::string term;
  double amount = 0;
  // What the term itself is made of, when it is a model of its own: amounts that add up to that
  // model's forecast on its scale, "linear" (the target's unit) or "log".
  std::vector<Contribution> parts = {};
  std::string parts_scale = {};
};

struct Forecast {
  double predicted = 0;
  double lower = 0;  // of the interval at the model's level (90 % unless it says otherwise)
  double upper = 0;
  bool in_support = true;
  bool beyond = false;  // outside the measured range of a column, where another fit may reach
  // Why not in support, in words: "workers = 64 is above the measured 4..24".
  std::vector<std::string> outside;
};

// A fitted model as the store lists it; the model itself is the JSON document (docs/model-file.md).
struct ModelRecord {
  int64_t id = 0;
  std::string name;
  std::string technique;
  std::string target;
  std::string data_fingerprint;
  std::string document;
  base::WallTime created_at;
};

// A forecast that was given to somebody, kept to be held against what then happened.
struct ForecastRecord {
  int64_t id = 0;
  int64_t model_id = 0;
  std::string question;  // JSON object: column -> value
  Forecast forecast;
  base::WallTime created_at;
  std::optional<int64_t> run_id = {};  // that it was given for
  std::optional<double> actual = {};   // what that run took, once it is known
};

// One that was given for a run which has finished since.
struct FinishedForecast {
  ForecastRecord record;
  std::string model;   // its name
  std::string target;  // what was forecast: a column of the samples of runs
  std::string run_name;
  base::WallTime finished_at;
};

}  // namespace reckon::core
