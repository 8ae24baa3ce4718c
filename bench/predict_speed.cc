// How long one forecast takes, and how many rows a second one core forecasts, for every technique.
//
//   predict_speed [PYTHON]      /usr/bin/python3 unless told, for scikit-learn's side
//
// 400 rows of a scaling law with 5 columns, one of them a category; each technique's best candidate
// by the search, and the blends that the search makes of all, inside the range and for workers
// beyond it. A question is answered whole: encoded inputs in, forecast with its interval out.
// Beside it what scikit-learn takes for its own models on the same table (bench/predict_peers.py).
// Run it on an idle machine.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "base/progress.h"
#include "base/text.h"
#include "learn/dataset.h"
#include "learn/model.h"
#include "learn/regressors/registry.h"

namespace {

using namespace reckon;
using Clock = std::chrono::steady_clock;

constexpr Eigen::Index kBatch = 200000;
constexpr double kSeconds = 0.4;  // of measuring each figure

core::Table MakeTable() {
  base::Rng rng(20260301);
  std::vector<std::vector<double>> cells(6);
  for (int i = 0; i < 400; ++i) {
    const double workers = std::pow(2, static_cast<double>(rng.Below(6)));
    const double images = 1000 * static_cast<double>(1 + rng.Below(8));
    const double batch = std::pow(2, 4 + static_cast<double>(rng.Below(4)));
    const double cores = static_cast<double>(1 + rng.Below(4));
    const auto machine = static_cast<double>(rng.Below(3));
    const double time = 5 + images / (workers * std::pow(cores, 0.7)) * (1 + machine) * 0.01 +
                        0.3 * workers + 0.5 * std::log2(workers) * images / batch * 0.01;
    const std::vector<double> row{workers, images,  batch,
                                  cores,   machine, time * std::exp(0.03 * rng.Normal())};
    for (size_t j = 0; j < row.size(); ++j) cells[j].push_back(row[j]);
  }
  core::Table table;
  table.source = "bench";
  table.row_count = cells[0].size();
  const std::vector<std::string> names{"workers", "images", "batch", "cores"};
  for (size_t j = 0; j < names.size(); ++j) {
    table.columns.push_back(core::Column::Numbers(names[j], core::NumberVector::Of(cells[j])));
  }
  table.columns.push_back(
      core::Column::Categories("machine", {"a", "b", "c"}, core::NumberVector::Of(cells[4])));
  table.columns.push_back(core::Column::Numbers("time_s", core::NumberVector::Of(cells[5])));
  return table;
}

// Seconds of one call, by as many calls as fit into kSeconds.
template <typename F>
double SecondsOf(F call) {
  call();
  int calls = 0;
  const auto begin = Clock::now();
  double passed = 0;
  while (passed < kSeconds) {
    call();
    ++calls;
    passed = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return passed / calls;
}

double g_sink = 0;  // keeps results alive

void Measure(const std::string& technique, const learn::Dataset& data, bool beyond = false) {
  learn::SearchOptions options;
  if (beyond) options.question.extrapolate = 0;
  if (technique != "blend") options.techniques = {technique};
  options.jobs = 2;
  base::NoProgress progress;
  auto outcome = learn::Search(data, options, {}, progress);
  if (!outcome.ok()) {
    fmt::print("{:10} {}\n", technique, outcome.error().Describe());
    return;
  }
  const learn::Model model = learn::MakeModel(data, options, std::move(*outcome));
  learn::Matrix one = data.x.row(17);
  const double single = SecondsOf([&] {
    one(0, 0) = beyond ? (one(0, 0) == 64 ? 96 : 64) : (one(0, 0) == 4 ? 8 : 4);
    learn::Vector spread;
    const double predicted = model.fitted.PredictWithSpread(one, spread)(0);
    const learn::Doubt doubt{learn::InputDistance(one.row(0), model.schema), spread(0)};
    double lower = 0;
    double upper = 0;
    model.interval.Bounds(predicted, doubt, lower, upper);
    g_sink += upper;
  });
  learn::Matrix many(kBatch, data.x.cols());
  for (Eigen::Index i = 0; i < kBatch; ++i) many.row(i) = data.x.row(i % data.x.rows());
  const double batch = SecondsOf([&] { g_sink += model.fitted.Predict(many).sum(); });
  fmt::print("{:10} {:10.2f} {:14.2f}   {}\n", technique, single * 1e6, kBatch / batch / 1e6,
             model.fitted.candidate.Describe());
}

}  // namespace

int main(int argc, char** argv) {
  const core::Table table = MakeTable();
  const auto data = learn::BuildDataset(table, {.target = "time_s", .ignore = {}});
  fmt::print("{:10} {:>10} {:>14}   {}\n", "technique", "one row us", "batch M rows/s",
             "candidate");
  for (const std::string& technique : learn::TechniqueNames()) Measure(technique, *data);
  fmt::print("forecasts beyond the measured workers\n");
  for (const char* technique : {"powers", "blend"}) Measure(technique, *data, true);
  const std::string python = argc > 1 ? argv[1] : "/usr/bin/python3";
  std::fflush(stdout);
  if (std::system(fmt::format("{} {}", python, BENCH_DIR "/predict_peers.py").c_str()) != 0) {
    fmt::print("no peers: {} has no scikit-learn\n", python);
  }
  return g_sink == 0.123 ? 1 : 0;
}
