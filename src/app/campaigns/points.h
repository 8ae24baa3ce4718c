// The points of a campaign: every job that it is to measure.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "spec/campaign_file.h"
#include "spec/job_file.h"

namespace reckon::app {

struct CampaignPoint {
  // The same for the same job in the same place, whatever else the campaign's file says: a point
  // that was measured stays measured when others are added to the file.
  std::string key;
  std::string block;
  std::vector<std::pair<std::string, std::string>> values;  // key and value, as varied
  spec::JobFile file;
  std::string engine;         // "local", "lab:quad/h0,h1"
  std::string pool;           // empty: none
  double price_per_hour = 0;  // of all its hosts
  std::string problem;        // why it cannot be measured; empty: it can, as far as is known
};

// "workers=2 batch=64".
std::string ValuesText(const CampaignPoint& point);

// Of what was varied, what the samples' other columns do not tell: apps beside the training, and
// the environment of a job with a trainer.
std::map<std::string, std::string> UntoldValues(const CampaignPoint& point);

// All points in the order of the file: of a grid every combination, of a random design as many as
// it has trials, drawn from its seed. None twice. kBadInput: a value that no job has, with its
// line, or more points than a program should make.
base::Result<std::vector<CampaignPoint>> PointsOf(const spec::CampaignFile& file);

}  // namespace reckon::app
