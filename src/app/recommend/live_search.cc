#include "app/recommend/live_search.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/campaigns/candidates.h"
#include "app/campaigns/next_point.h"
#include "app/campaigns/standing.h"
#include "app/runs/run_samples.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Result;

// What all machines have together: the search makes it from its parts, and would count it twice.
constexpr const char* kTotal = "cpus";

// The points that can be, as configurations to search among.
struct SearchSpace {
  std::vector<size_t> points;  // of every row
  double dilation = 1;
  bool of_an_epoch = false;  // what is measured
  std::unique_ptr<decide::ConfigurationSearch> search;
};

Result<SearchSpace> SpaceOf(const spec::CampaignFile& file, const std::vector<PointReport>& points,
                            const std::vector<base::Json>& plans,
                            const decide::SearchOptions& options) {
  SearchSpace space;
  if (file.lab) space.dilation = file.lab->dilation;
  RECKON_TRY(CheckTimesTheJob(file.target));
  space.of_an_epoch = IsOfAnEpoch(file.target);
  std::vector<PointReport> possible;
  std::vector<base::Json> their_plans;
  std::vector<double> prices;
  for (size_t i = 0; i < points.size(); ++i) {
    if (plans[i].is_null()) continue;
    const double price = points[i].point.price_per_hour;
    if (!(price > 0)) {
      return base::BadInput(
          fmt::format("{}: no price; a search for the cheapest needs one for every pool",
                      ValuesText(points[i].point)));
    }
    space.points.push_back(i);
    possible.push_back(points[i]);
    their_plans.push_back(plans[i]);
    prices.push_back(price);
  }
  core::Table configurations = CandidatesOf(possible, their_plans);
  std::erase_if(configurations.columns,
                [](const core::Column& column) { return column.name() == kTotal; });
  if (configurations.columns.empty()) {
    return base::BadInput(
        fmt::format("campaign '{}' has nothing to choose among; vary the pool "
                    "or the number of workers",
                    file.name));
  }
  space.search =
      std::make_unique<decide::ConfigurationSearch>(configurations, std::move(prices), options);
  return space;
}

// How many times what was measured makes the job: a mean of epochs is one of them.
double TimesOf(const SearchSpace& space, const PointReport& point) {
  const auto& trainer = point.point.file.job.trainer;
  return space.of_an_epoch && trainer ? static_cast<double>(trainer->epochs) : 1;
}

// The trials so far, in the order in which they were made: means of what was measured, and the
// whole time of what failed, since success would have taken longer.
std::vector<decide::Trial> TrialsOf(const SearchSpace& space,
                                    const std::vector<PointReport>& points) {
  std::map<int64_t, decide::Trial> by_run;
  for (size_t row = 0; row < space.points.size(); ++row) {
    const PointReport& point = points[space.points[row]];
    if (point.attempts.empty()) continue;
    const Standing standing = StandingOf(point.attempts);
    if (standing.mean) {
      by_run[point.attempts.back().run] = {
          row, *standing.mean * TimesOf(space, point) / space.dilation, true};
      continue;
    }
    for (const Attempt& attempt : point.attempts) {
      if (attempt.outcome != Outcome::kFailed || !(attempt.seconds > 0)) continue;
      by_run[attempt.run] = {row, attempt.seconds / space.dilation, false};
      break;
    }
  }
  std::vector<decide::Trial> trials;
  for (const auto& [run, trial] : by_run) trials.push_back(trial);
  return trials;
}

class Cheapest final : public NextPoint {
 public:
  Cheapest(const SearchSpace& space, const spec::CampaignFile& file, size_t probes,
           std::map<size_t, double>& gains)
      : space_(space), file_(file), probes_(probes), gains_(gains) {}

  Result<std::optional<size_t>> Choose(const CampaignReport& report) override {
    // One that was disturbed is measured again first.
    for (const size_t i : space_.points) {
      const PointReport& point = report.points[i];
      if (WantsRun(point) && !point.attempts.empty()) return std::optional(i);
    }
    const std::vector<decide::Trial> trials = TrialsOf(space_, report.points);
    if (trials.size() >= probes_) {
      why_ = fmt::format("{} were tried", base::Count(trials.size(), "configuration"));
      return std::optional<size_t>();
    }
    std::optional<double> left;
    if (file_.max_cost) left = *file_.max_cost - report.cost;
    // Those whose runs could not begin leave no time to learn from, and are not begun again.
    std::vector<size_t> over;
    for (size_t row = 0; row < space_.points.size(); ++row) {
      if (!WantsRun(report.points[space_.points[row]])) over.push_back(row);
    }
    decide::SearchEnd why{};
    RECKON_ASSIGN(const auto next, space_.search->Next(trials, left, over, &why));
    if (!next) {
      why_ = decide::Describe(why);
      return std::optional<size_t>();
    }
    gains_[next->row] = next->expected_gain;
    return std::optional(space_.points[next->row]);
  }
  std::string why_ended() const override { return why_; }

 private:
  const SearchSpace& space_;
  const spec::CampaignFile& file_;
  const size_t probes_;
  std::map<size_t, double>& gains_;
  std::string why_;
};

Result<std::optional<SearchReport>> ReportOf(const SearchSpace& space,
                                             const CampaignReport& campaign,
                                             const std::map<size_t, double>& gains) {
  const std::vector<decide::Trial> trials = TrialsOf(space, campaign.points);
  if (trials.empty()) return std::optional<SearchReport>();
  SearchReport report;
  report.source = campaign.campaign.name;
  for (const size_t i : space.points) report.texts.push_back(ValuesText(campaign.points[i].point));
  for (const decide::Trial& trial : trials) {
    const auto gain = gains.find(trial.row);
    report.tried.push_back({trial.row, trial.seconds, space.search->CostOf(trial), trial.ok,
                            gain == gains.end() ? 0 : gain->second});
  }
  report.spent = campaign.cost;
  report.ended = campaign.ended;
  RECKON_ASSIGN(report.chosen, space.search->Recommend(trials));
  return std::optional(std::move(report));
}

}  // namespace

Result<LiveSearchReport> LiveSearch(const LiveSearchRequest& request, const Context& context,
                                    const OnAttempt& on_attempt) {
  CampaignRequest campaign;
  campaign.file = request.file;
  campaign.budget = request.budget;
  campaign.once = true;
  campaign.keep_lab = request.keep_lab;
  SearchSpace space;
  std::map<size_t, double> gains;
  const NextPointMaker maker =
      [&](const spec::CampaignFile& file, const std::vector<PointReport>& points,
          const std::vector<base::Json>& plans) -> Result<std::unique_ptr<NextPoint>> {
    RECKON_ASSIGN(space, SpaceOf(file, points, plans, {request.seed, request.runs}));
    return std::unique_ptr<NextPoint>(
        std::make_unique<Cheapest>(space, file, request.probes, gains));
  };
  LiveSearchReport report;
  RECKON_ASSIGN(report.campaign, ProfileBy(maker, campaign, context, on_attempt));
  if (space.search) {
    RECKON_ASSIGN(report.search, ReportOf(space, report.campaign, gains));
  }
  return report;
}

base::Json ToJson(const LiveSearchReport& report) {
  base::Json json = report.search ? ToJson(*report.search) : base::Json::object();
  json["campaign"] = ToJson(report.campaign);
  return json;
}

}  // namespace reckon::app
