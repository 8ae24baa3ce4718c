// reckon recommend: the cluster for a job, by what a campaign has measured of its kind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/manage/managed_json.h"
#include "base/json.h"
#include "base/result.h"
#include "decide/recommend/pareto.h"
#include "decide/recommend/spot.h"

namespace reckon::app {

struct RecommendRequest {
  std::string job;              // file
  std::optional<JobText> text;  // of the job, instead of a file
  std::string campaign;         // whose samples tell how long jobs take
  std::string model;            // instead of one that is fitted to them; empty: fit
  std::string catalogue;        // file; empty: the campaign's own prices
  std::string region;           // of the catalogue's types; empty: all
  std::optional<double> price;  // an hour, of every machine, instead
  std::optional<double> deadline_s;
  std::optional<double> budget;
  double confidence = 0.95;
  std::optional<size_t> most_workers;  // none: as many as were measured
  double startup_s = 0;                // of a cluster, paid for
  // To be reached, in place of the job's epochs; needed where something is free.
  std::optional<double> accuracy;
  bool free_batch = false;     // any that the campaign has measured, else the job's
  bool free_strategy = false;  // likewise
  bool spot = false;           // workers may also be spot machines, where they have a price
  decide::SpotTerms spot_terms;
  std::string plot;  // SVG; empty: none
  uint64_t seed = 1;
};

// A cluster with what is expected of it, times as on machines that are not dilated.
struct RecommendRow {
  std::string type;
  size_t workers = 0;
  double cpus_per_worker = 0;
  double servers = 0;
  std::string strategy;  // where it is free
  double batch = 0;      // of a worker; 0: the job has none
  double epochs = 0;     // expected until the accuracy; 0: the job's
  bool spot = false;
  double price_per_hour = 0;
  double seconds = 0;     // with start-up
  double seconds_at = 0;  // with the wished probability at most
  double cost = 0;
  double cost_at = 0;
  bool in_support = true;
  bool on_front = false;
  bool chosen = false;
  bool knee = false;
};

struct RecommendReport {
  std::string job;
  std::string campaign;
  std::string target;  // what the time is
  std::string technique;
  std::string prices;  // where they are from, and of when
  double confidence = 0;
  std::vector<RecommendRow> rows;  // all clusters
  std::vector<size_t> front;       // indices, by rising time
  size_t chosen = 0;
  std::string why;
  std::string measure;  // what one more measurement would be worth; empty: nothing
  std::vector<std::string> notes;
  std::string plot;
};

// kBadInput: a job or wishes that make no sense, a wish that no cluster fulfils (which comes
// nearest). kNotFound: no such campaign or model.
base::Result<RecommendReport> Recommend(const RecommendRequest& request, const Context& context);

base::Json ToJson(const RecommendReport& report);

}  // namespace reckon::app
