// Which cluster: of all that could be rented, those that nobody beats in both time and cost, and
// the one that fits a wish with a stated probability.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "decide/recommend/log_normal.h"

namespace reckon::decide {

// A cluster that could be rented.
struct ClusterOption {
  std::string name;           // "4 x c4.xlarge", for messages
  double price_per_hour = 0;  // of all its machines, > 0
  LogNormal seconds;          // that the job takes once it runs
  double startup_s = 0;       // until it runs, paid for too

  LogNormal Cost() const { return seconds.Times(price_per_hour / 3600); }  // without start-up
  double StartupCost() const { return startup_s * price_per_hour / 3600; }
  double ExpectedSeconds() const { return startup_s + seconds.Expected(); }
  double ExpectedCost() const { return StartupCost() + Cost().Expected(); }
  // With probability p at most.
  double SecondsAt(double p) const { return startup_s + seconds.Quantile(p); }
  double CostAt(double p) const { return StartupCost() + Cost().Quantile(p); }
};

struct ClusterWish {
  std::optional<double> deadline_s;
  std::optional<double> budget;  // of the whole job
  double confidence = 0.95;      // that both are kept
};

struct WorthMeasuring {
  size_t option = 0;
  double saves = 0;  // expected, of one run: money, or seconds where the fastest is looked for
  double costs = 0;  // money that measuring it takes, expected
};

struct ClusterChoice {
  size_t chosen = 0;
  std::vector<size_t> front;  // by rising time: nobody is both faster and cheaper, as expected
  size_t knee = 0;            // where the front turns: more money buys little time beyond it
  std::string why;            // one sentence
  bool for_time = false;      // the fastest was looked for, else the cheapest
  std::optional<WorthMeasuring> measure;  // none: nothing should change the choice
};

// With a deadline: the cheapest that keeps it; with a budget alone: the fastest that keeps to it;
// with neither: the knee. Ties go to the cheaper, then to the first. kBadInput: no options, a price
// or a wish that makes no sense, or a wish that nobody fulfils: by how much, and which one comes
// nearest.
base::Result<ClusterChoice> ChooseCluster(std::span<const ClusterOption> options,
                                          const ClusterWish& wish);

}  // namespace reckon::decide
