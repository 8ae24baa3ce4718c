#include "app/campaigns/next_point.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "app/campaigns/candidates.h"
#include "app/campaigns/standing.h"
#include "base/rng.h"
#include "base/units.h"
#include "decide/design/design.h"
#include "decide/design/expected_error.h"
#include "decide/design/kernel_cache.h"

namespace reckon::app {
namespace {

std::string AllMeasured(const CampaignReport& report) {
  const bool all = std::all_of(report.points.begin(), report.points.end(),
                               [](const PointReport& point) { return point.state == "measured"; });
  return all ? "everything is measured" : "everything is measured that can be";
}

// The points as a problem of design, and how good forecasts should be by now.
class DesignView {
 public:
  // `repeated`: points that are measured may be measured again.
  DesignView(const spec::CampaignFile& file, bool repeated, const std::vector<PointReport>& points,
             const std::vector<base::Json>& plans)
      : file_(file),
        repeated_(repeated),
        candidates_(CandidatesOf(points, plans)),
        kernels_(base::Rng(file.seed)) {
    // Runs are paid for by the time of what the lab stands for, and take their own.
    const double dilation = file.lab ? file.lab->dilation : 1;
    for (const PointReport& point : points) {
      prices_.push_back(point.point.price_per_hour / dilation);
    }
    if (std::any_of(prices_.begin(), prices_.end(), [](double price) { return price <= 0; })) {
      prices_.clear();
    }
  }

  decide::DesignProblem Problem(const CampaignReport& report) const {
    decide::DesignProblem problem{.candidates = candidates_,
                                  .price_per_hour = prices_,
                                  .measured = {},
                                  .excluded = {},
                                  .repeats = static_cast<size_t>(file_.most_repeats)};
    struct Made {
      int64_t run;
      decide::Measurement measurement;
    };
    std::vector<Made> made;
    for (size_t i = 0; i < report.points.size(); ++i) {
      const PointReport& point = report.points[i];
      if (!MayBeMeasured(point)) problem.excluded.push_back(i);
      // As for the mean: disturbed ones where there are no others.
      const bool quiet = StandingOf(point.attempts).measured > 0;
      const Outcome counted = quiet ? Outcome::kMeasured : Outcome::kNoisy;
      for (const Attempt& attempt : point.attempts) {
        if (attempt.outcome != counted) continue;
        made.push_back({attempt.run, {i, attempt.value, attempt.seconds}});
      }
    }
    std::sort(made.begin(), made.end(), [](const Made& a, const Made& b) { return a.run < b.run; });
    for (const Made& one : made) problem.measured.push_back(one.measurement);
    if (file_.max_time_s) problem.time_left_s = *file_.max_time_s - report.seconds;
    if (file_.max_cost && !prices_.empty()) problem.cost_left = *file_.max_cost - report.cost;
    return problem;
  }

  // Whether forecasts are as good as the file wants; says so in `why`.
  base::Result<bool> GoodEnough(const CampaignReport& report, std::string& why) {
    if (!file_.until_error || candidates_.columns.empty()) return false;
    const decide::DesignProblem problem = Problem(report);
    RECKON_ASSIGN(const auto expected, decide::EstimateError(problem, kernels_));
    if (!expected) return false;
    const double percent = decide::ExpectedPercent(*expected, expected->left_out_percent);
    if (percent > 100 * *file_.until_error) return false;
    why = fmt::format("forecasts should be within {} %", base::FormatNumber(percent));
    return true;
  }

  bool HasInputs() const { return !candidates_.columns.empty(); }

 private:
  bool MayBeMeasured(const PointReport& point) const {
    if (WantsRun(point)) return true;
    // Not without end on a machine that is never quiet.
    return repeated_ && point.state == "measured" &&
           StandingOf(point.attempts).disturbed <= static_cast<size_t>(file_.retries);
  }

  const spec::CampaignFile& file_;
  const bool repeated_;
  const core::Table candidates_;
  std::vector<double> prices_;
  decide::KernelCache kernels_;
};

// Every point in turn, and again for every repeat: what changes in the machine over hours then
// meets all points alike.
class InTurn final : public NextPoint {
 public:
  InTurn(const spec::CampaignFile& file, DesignView view, size_t points)
      : view_(std::move(view)), order_(points) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    if (file.shuffle) base::Rng(file.seed).Fork(kOrderStream).Shuffle(std::span(order_));
  }

  base::Result<std::optional<size_t>> Choose(const CampaignReport& report) override {
    RECKON_ASSIGN(const bool enough, view_.GoodEnough(report, why_));
    std::optional<size_t> best;
    size_t fewest = 0;
    for (const size_t index : order_) {
      const PointReport& point = report.points[index];
      if (enough || !WantsRun(point)) continue;
      const Standing standing = StandingOf(point.attempts);
      const size_t tried = standing.measured + standing.disturbed + standing.failed;
      if (best && tried >= fewest) continue;
      best = index;
      fewest = tried;
    }
    if (!best && !enough) why_ = AllMeasured(report);
    return best;
  }
  std::string why_ended() const override { return why_; }

 private:
  static constexpr uint64_t kOrderStream = 1'000'003;
  DesignView view_;
  std::vector<size_t> order_;
  std::string why_;
};

// The point that makes forecasts surest for its price; one that was disturbed or failed again
// first. Points are measured once, and again where the design does not believe what it sees.
class Optimal final : public NextPoint {
 public:
  Optimal(const spec::CampaignFile& file, DesignView view, decide::Criterion criterion)
      : view_(std::move(view)),
        design_(decide::MakeDesign({decide::DesignKind::kOptimal, criterion, file.seed})) {}

  base::Result<std::optional<size_t>> Choose(const CampaignReport& report) override {
    for (size_t i = 0; i < report.points.size(); ++i) {
      if (WantsRun(report.points[i]) && !report.points[i].attempts.empty()) return std::optional(i);
    }
    RECKON_ASSIGN(const bool enough, view_.GoodEnough(report, why_));
    if (enough) return std::optional<size_t>();
    RECKON_ASSIGN(const auto choice, design_->Next(view_.Problem(report)));
    const bool open = std::any_of(report.points.begin(), report.points.end(), WantsRun);
    // Once every point was measured only doubts remain.
    if (choice && (open || choice->again)) return std::optional(choice->row);
    why_ = open ? "nothing else should fit into the budget" : AllMeasured(report);
    return std::optional<size_t>();
  }
  std::string why_ended() const override { return why_; }

 private:
  DesignView view_;
  std::unique_ptr<decide::Design> design_;
  std::string why_;
};

}  // namespace

bool WantsRun(const PointReport& point) {
  return point.state == "waiting" || point.state == "measuring";
}

base::Result<std::unique_ptr<NextPoint>> MakeNextPoint(const spec::CampaignFile& file,
                                                       const std::vector<PointReport>& points,
                                                       const std::vector<base::Json>& plans) {
  RECKON_ASSIGN(const decide::DesignKind kind, decide::ParseDesignKind(file.design));
  RECKON_ASSIGN(const decide::Criterion criterion, decide::ParseCriterion(file.criterion));
  const bool optimal = kind == decide::DesignKind::kOptimal;
  DesignView view(file, optimal, points, plans);
  if (optimal && view.HasInputs()) {
    return std::unique_ptr<NextPoint>(std::make_unique<Optimal>(file, std::move(view), criterion));
  }
  return std::unique_ptr<NextPoint>(std::make_unique<InTurn>(file, std::move(view), points.size()));
}

}  // namespace reckon::app
