#include "app/replay.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "app/outputs.h"
#include "app/replay_chart.h"
#include "app/replay_grid.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "decide/design/design.h"
#include "decide/design/expected_error.h"
#include "tables/writer.h"

namespace reckon::app {
namespace {

using base::Result;

constexpr size_t kLeastPoints = 5;  // to fit anything
constexpr double kFitAgain = 1.1;   // times as many points as at the last fit
constexpr double kNearly = 1.05;

base::Status CheckFiles(const ReplayRequest& request, const Context& context) {
  const std::string extension = std::filesystem::path(request.plot).extension().string();
  if (!request.plot.empty() && !extension.empty() && extension != ".svg") {
    return base::BadInput(fmt::format(
        "--plot {}: pictures are SVG; expected a name that ends in .svg", request.plot));
  }
  return CheckOutputs({{"--out", request.out}, {"--plot", request.plot}},
                      {{"--replay", request.data.file}}, context);
}

// A campaign on the grid.
class Campaign {
 public:
  Campaign(const ReplayGrid& grid, const ReplayRequest& request, const Budget& limits,
           const decide::DesignOptions& options, const Context& context, ReplayReport& report)
      : grid_(grid),
        request_(request),
        limits_(limits),
        context_(context),
        report_(report),
        design_(decide::MakeDesign(options)),
        problem_{.candidates = grid.candidates,
                 .price_per_hour = grid.prices,
                 .measured = {},
                 .excluded = {},
                 .repeats = grid.MostRepeats()},
        kernels_(base::Rng(options.seed)),
        times_(grid.points.size()) {}

  base::Status Run() {
    const size_t fewest = std::min(kLeastPoints, grid_.points.size());
    size_t fit_at = fewest;
    while (report_.ended.empty()) {
      if (context_.stop.stop_requested()) {
        return base::Error(base::ErrorCode::kInterrupted, "interrupted");
      }
      RECKON_TRY(MeasureNext());
      const bool last = !report_.ended.empty();
      if (!rows_.empty() &&
          (last ? rows_.size() != fitted_at_ : points_ >= fewest && rows_.size() >= fit_at)) {
        RECKON_TRY(Forecast());
        fit_at = std::max(rows_.size() + 1,
                          static_cast<size_t>(kFitAgain * static_cast<double>(rows_.size())));
      }
    }
    return {};
  }

  size_t points() const { return points_; }
  const std::vector<size_t>& rows() const { return rows_; }

 private:
  // Measures a point once more, or ends the campaign.
  base::Status MeasureNext() {
    if (limits_.time_s) problem_.time_left_s = *limits_.time_s - report_.time_s;
    if (limits_.cost) problem_.cost_left = *limits_.cost - report_.cost;
    RECKON_ASSIGN(const std::optional<decide::DesignChoice> choice, design_->Next(problem_));
    if (!choice) {
      report_.ended = rows_.size() == grid_.data.rows() ? "everything is measured"
                                                        : "nothing else should fit into the budget";
      return {};
    }
    const ReplayGrid::Point& point = grid_.points[choice->row];
    const size_t repeat = times_[choice->row];
    const double took_s = point.took_s[repeat];
    const double cost = point.costs[repeat];
    // What turns out too long is cut and lost.
    if (Exceeds(took_s, cost)) {
      report_.ended = "the budget was spent in the middle of a measurement, which is lost";
      const double time_left = limits_.time_s ? *limits_.time_s - report_.time_s : INFINITY;
      const double cost_left = limits_.cost ? *limits_.cost - report_.cost : INFINITY;
      const double part = std::min({1.0, time_left / took_s, cost > 0 ? cost_left / cost : 1.0});
      report_.time_s += part * took_s;
      report_.cost += part * cost;
      return {};
    }
    problem_.measured.push_back({choice->row, point.targets[repeat], took_s});
    rows_.push_back(point.rows[repeat]);
    if (repeat == 0) ++points_;
    ++times_[choice->row];
    if (times_[choice->row] == point.rows.size() && point.rows.size() < problem_.repeats) {
      problem_.excluded.push_back(choice->row);  // others have more repeats
    }
    report_.time_s += took_s;
    report_.cost += cost;
    context_.progress.Advance(1);
    return {};
  }

  bool Exceeds(double more_s, double more_cost) const {
    return (limits_.time_s && report_.time_s + more_s > *limits_.time_s) ||
           (limits_.cost && report_.cost + more_cost > *limits_.cost);
  }

  base::Status Forecast() {
    auto forecast = ForecastFrom(grid_, rows_, request_.seed, context_);
    if (!forecast.ok()) {
      // The first few points may be too much alike to learn from.
      if (forecast.error().code() == base::ErrorCode::kBadInput) return {};
      return std::move(forecast).error();
    }
    fitted_at_ = rows_.size();
    ReplayStep step{.points = points_,
                    .measurements = rows_.size(),
                    .time_s = report_.time_s,
                    .cost = report_.cost};
    step.model = forecast->technique;
    step.left_out_percent = forecast->selection_percent;
    std::vector<size_t> others;
    for (size_t i = 0; i < times_.size(); ++i) {
      if (times_[i] == 0) others.push_back(i);
    }
    step.error_percent = step.left_out_percent;
    if (!others.empty()) {
      step.unmeasured_percent = ErrorPercent(grid_, forecast->predicted, others);
      const double share =
          static_cast<double>(grid_.RowsOf(others).size()) / static_cast<double>(grid_.data.rows());
      step.error_percent += share * (*step.unmeasured_percent - step.left_out_percent);
    }
    RECKON_ASSIGN(const auto expected, decide::EstimateError(problem_, kernels_));
    if (expected) {
      step.expected_percent = decide::ExpectedPercent(*expected, forecast->selection_percent);
      if (report_.ended.empty() && limits_.error_percent &&
          *step.expected_percent <= *limits_.error_percent) {
        report_.ended = fmt::format("forecasts should be within {} %",
                                    base::FormatNumber(*limits_.error_percent));
      }
    }
    report_.steps.push_back(std::move(step));
    return {};
  }

  const ReplayGrid& grid_;
  const ReplayRequest& request_;
  const Budget& limits_;
  const Context& context_;
  ReplayReport& report_;
  std::unique_ptr<decide::Design> design_;
  decide::DesignProblem problem_;
  decide::KernelCache kernels_;
  std::vector<size_t> times_;  // that each point was measured
  size_t points_ = 0;          // measured at least once
  std::vector<size_t> rows_;   // of the table, in the order of their measurement
  size_t fitted_at_ = 0;       // number of rows
};

std::optional<size_t> FirstWithin(const std::vector<ReplayStep>& steps, double percent) {
  const auto within = [&](size_t i) {
    return steps[i].unmeasured_percent.value_or(steps[i].error_percent) <= percent;
  };
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    if (within(i) && within(i + 1)) return i;
  }
  return std::nullopt;
}

}  // namespace

Result<ReplayReport> Replay(const ReplayRequest& request, const Context& context) {
  decide::DesignOptions options{.seed = request.seed};
  RECKON_ASSIGN(options.kind, decide::ParseDesignKind(request.design));
  RECKON_ASSIGN(options.criterion, decide::ParseCriterion(request.criterion));
  RECKON_ASSIGN(const Budget limits, ReadBudget(request.budget));
  if (limits.cost && request.price.empty()) {
    return base::BadInput("--max-cost needs prices; name their column with --price");
  }
  RECKON_TRY(CheckFiles(request, context));
  RECKON_ASSIGN(const ReplayGrid grid, LoadGrid(request, context));
  ReplayReport report;
  report.source = grid.table.source;
  report.target = request.target;
  report.design = decide::DesignKindName(options.kind);
  if (options.kind == decide::DesignKind::kOptimal)
    report.criterion = base::ToLower(request.criterion);
  report.priced = !request.price.empty();
  report.points = grid.points.size();
  report.rows = grid.data.rows();
  report.grid_time_s = grid.TotalTime();
  report.grid_cost = grid.TotalCost();
  report.notes = grid.data.notes;
  RECKON_ASSIGN(report.grid_error_percent, CrossValidatedPercent(grid, request.seed, context));

  context.progress.Begin("measuring", grid.data.rows());
  Campaign campaign(grid, request, limits, options, context, report);
  const base::Status ran = campaign.Run();
  context.progress.End();
  RECKON_TRY(ran);
  report.measured_points = campaign.points();
  report.measurements = campaign.rows().size();
  if (report.measured_points == 0) {
    return base::BadInput(
        fmt::format("{}: no point could be measured within the budget; the shortest takes {}",
                    grid.table.source, base::FormatDuration(grid.ShortestTime())));
  }
  if (report.steps.empty()) {
    report.notes.push_back("what was measured is too little to fit a model to");
  }
  report.reached = FirstWithin(report.steps, report.grid_error_percent);
  report.nearly_reached = FirstWithin(report.steps, kNearly * report.grid_error_percent);

  std::vector<base::AtomicFile> files;
  if (!request.out.empty()) {
    RECKON_ASSIGN(base::AtomicFile file, base::AtomicFile::Create(request.out));
    RECKON_TRY(tables::AppendTable(grid.table.Select(campaign.rows()),
                                   tables::DelimiterFor(request.out), file));
    RECKON_TRY(file.Finish());
    files.push_back(std::move(file));
    report.out = request.out;
  }
  if (!request.plot.empty()) {
    RECKON_ASSIGN(base::AtomicFile file, base::AtomicFile::Create(request.plot));
    RECKON_TRY(file.Append(DrawReplay(report)));
    RECKON_TRY(file.Finish());
    files.push_back(std::move(file));
    report.plot = request.plot;
  }
  for (base::AtomicFile& file : files) RECKON_TRY(file.Commit());
  return report;
}

}  // namespace reckon::app
