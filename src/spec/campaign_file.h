// CAMPAIGN.yaml: what a profiling campaign is to measure. docs/profiling.md has every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/lab.h"
#include "spec/yaml.h"

namespace reckon::spec {

// Numbers that random designs draw from.
struct FactorRange {
  double from = 0;
  double to = 0;
  bool logarithmic = false;
  bool whole = false;
};

// What is varied: one key of the job (or "pool"), or several that change together.
struct Factor {
  std::vector<std::string> keys;
  std::vector<std::vector<Yaml>> levels;  // each with a value for each key
  std::optional<FactorRange> range;       // instead of levels
  Yaml place;                             // where it was written
};

// A part of the campaign: a job, values that hold for all of the part, and what is varied.
struct CampaignBlock {
  std::string name;  // may be empty
  Yaml job;
  std::filesystem::path job_path;  // gives the job its folder
  std::vector<std::pair<std::string, Yaml>> set;
  std::vector<Factor> factors;
};

// Hosts of the lab that are alike.
struct Pool {
  std::string name;
  std::vector<std::string> hosts;  // names, or beginnings that end with '*'
  double price_per_hour = 0;       // of each host
};

struct CampaignFile {
  std::string name;
  std::optional<core::Lab> lab;  // none: on this machine itself
  std::vector<Pool> pools;
  std::string design = "grid";  // grid, random or optimal
  std::string criterion = "a";  // of optimal: a or d
  int64_t trials = 100;         // of random, or candidates of optimal, where there are ranges
  int64_t least_repeats = 1;
  int64_t most_repeats = 1;
  int64_t again = 0;     // so many points, drawn, once more than the others
  double within = 0.03;  // repeats end when the mean's standard error is below this share of it
  uint64_t seed = 1;
  bool shuffle = true;
  std::string target = "training_loop_s";
  std::optional<double> max_time_s;
  std::optional<double> max_cost;
  std::optional<double> until_error;  // share
  // Shares of the machine's processors beyond which a measurement is disturbed.
  double most_foreign = 0.1;
  double most_steal = 0.05;
  double most_pace = 0.15;  // how much slower than usual processors may be
  int64_t retries = 3;      // of disturbed measurements of a point
  int64_t attempts = 2;     // failures after which a point is given up
  std::vector<CampaignBlock> blocks;
  Yaml yaml;
};

base::Result<CampaignFile> ReadCampaignFile(const std::filesystem::path& path);

}  // namespace reckon::spec
