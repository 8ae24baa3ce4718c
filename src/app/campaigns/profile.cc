#include "app/campaigns/profile.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <span>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/local/run_folder.h"
#include "app/campaigns/campaign_lab.h"
#include "app/campaigns/next_point.h"
#include "app/campaigns/run_progress.h"
#include "app/campaigns/standing.h"
#include "app/data.h"
#include "app/runs/describe.h"
#include "app/runs/machine.h"
#include "app/runs/run_files.h"
#include "app/runs/runs.h"
#include "app/runs/stop_pass.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "base/units.h"
#include "decide/design/design.h"
#include "numeric/stats.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using spec::CampaignFile;

Result<CampaignFile> ReadFile(const CampaignRequest& request) {
  RECKON_ASSIGN(CampaignFile file, spec::ReadCampaignFile(request.file));
  if (!request.design.empty()) file.design = request.design;
  if (!request.criterion.empty()) file.criterion = request.criterion;
  RECKON_TRY(decide::ParseDesignKind(file.design));
  RECKON_TRY(decide::ParseCriterion(file.criterion));
  RECKON_ASSIGN(const Budget budget, ReadBudget(request.budget));
  if (budget.time_s) file.max_time_s = budget.time_s;
  if (budget.cost) file.max_cost = budget.cost;
  if (budget.error_percent) file.until_error = *budget.error_percent / 100;
  if (request.repeats) {
    file.least_repeats = file.most_repeats = static_cast<int64_t>(*request.repeats);
    file.again = 0;
  }
  if (file.design == decide::DesignKindName(decide::DesignKind::kOptimal)) {
    // It asks for repeats itself, where it does not believe what it sees.
    file.least_repeats = 1;
    file.again = 0;
    file.within = std::numeric_limits<double>::infinity();
  }
  if (request.once) {
    file.least_repeats = file.most_repeats = file.attempts = 1;
    file.again = 0;
  }
  for (const auto& [key, limit] :
       {std::pair("limits.time", file.max_time_s), std::pair("limits.cost", file.max_cost),
        std::pair("limits.error", file.until_error)}) {
    if (limit && *limit <= 0) return file.yaml.At(key).Wrong("more than nothing");
  }
  const bool priced = std::any_of(file.pools.begin(), file.pools.end(),
                                  [](const spec::Pool& pool) { return pool.price_per_hour > 0; });
  if (file.max_cost && !priced) {
    return base::BadInput("a limit of cost needs prices; give the campaign's pools some");
  }
  return file;
}

// As the store keeps it, for whoever reports on it later.
base::Json DocumentOf(const CampaignFile& file, const CampaignRequest& request,
                      const std::vector<CampaignPoint>& points) {
  base::Json document{{"file", request.file},
                      {"design", file.design},
                      {"target", file.target},
                      {"seed", file.seed},
                      {"repeats", {file.least_repeats, file.most_repeats}},
                      {"points", points.size()}};
  base::Json varied = base::Json::array();
  for (const spec::CampaignBlock& block : file.blocks) {
    for (const spec::Factor& factor : block.factors) {
      for (const std::string& key : factor.keys) {
        if (std::find(varied.begin(), varied.end(), base::Json(key)) == varied.end()) {
          varied.push_back(key);
        }
      }
    }
  }
  document["vary"] = varied;
  document["machine"] = {{"cpus", MachineCpus()}, {"memory_bytes", MachineMemory()}};
  if (file.lab) {
    document["lab"] = {{"name", file.lab->name}, {"dilation", file.lab->dilation}};
    for (const core::LabHost& host : file.lab->hosts) {
      document["lab"]["hosts"].push_back({{"name", host.name},
                                          {"cpus", host.cpus},
                                          {"memory_bytes", host.memory_bytes},
                                          {"bandwidth_bit_s", host.bandwidth_bit_s}});
    }
  }
  for (const spec::Pool& pool : file.pools) {
    document["pools"].push_back({{"name", pool.name},
                                 {"price_per_hour", pool.price_per_hour},
                                 {"hosts", pool.hosts.size()}});
  }
  return document;
}

std::filesystem::path CampaignFolder(const Context& context, const std::string& name) {
  return context.db.RunsFolder() / "campaigns" / name;
}

class CampaignAtWork {
 public:
  CampaignAtWork(CampaignFile file, const NextPointMaker& maker, const CampaignRequest& request,
                 const Context& context, const OnAttempt& on_attempt)
      : file_(std::move(file)),
        maker_(maker),
        request_(request),
        context_(context),
        on_attempt_(on_attempt) {}

  Result<CampaignReport> Run() {
    RECKON_ASSIGN(std::vector<CampaignPoint> points, PointsOf(file_));
    const std::filesystem::path folder = CampaignFolder(context_, file_.name);
    RECKON_ASSIGN(store_, OpenStore(context_, true));
    if (!context_.db.KeepsRunsBeside()) RECKON_TRY(ClaimRunsFolder(context_.db));
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      return Error(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()));
    }
    auto lock = act::RunLock::Take(act::RunFolder(folder));
    if (!lock.ok()) {
      if (lock.error().code() != ErrorCode::kUnavailable) return std::move(lock).error();
      return std::move(lock).error().Wrap(
          fmt::format("campaign '{}' is under way already", file_.name));
    }
    document_ = DocumentOf(file_, request_, points);
    RECKON_TRY(CheckSameLab());
    RECKON_TRY(SaveDocument());
    report_.target = file_.target;
    if (file_.lab) RECKON_TRY(RaiseLab(*file_.lab, folder / "made-lab", context_));
    base::Status done = Measure(std::move(points));
    if (file_.lab && !request_.keep_lab) {
      // What was measured is told all the same.
      if (const auto lowered = LowerLab(*file_.lab, folder / "made-lab"); !lowered.ok()) {
        context_.log.Error("the lab stays: " + lowered.error().Describe());
      }
    }
    if (!done.ok()) return std::move(done).error();
    return std::move(report_);
  }

 private:
  // Points are told by their jobs and their lab's name: with another lab of that name the times of
  // the earlier one would stand for its.
  base::Status CheckSameLab() {
    const auto earlier = store_->FindCampaign(file_.name);
    if (!earlier.ok()) {
      return earlier.error().code() == ErrorCode::kNotFound ? base::Status() : earlier.error();
    }
    RECKON_ASSIGN(const base::Json document,
                  base::ParseJson(earlier->document, "document of a campaign"));
    // All that it ever had, not the last one alone.
    base::Json labs = document.value("labs", base::Json::array());
    const base::Json last = document.value("lab", base::Json::object());
    if (last.contains("hosts") && std::find(labs.begin(), labs.end(), last) == labs.end()) {
      labs.push_back(last);
    }
    document_["labs"] = labs;
    const base::Json is = document_.value("lab", base::Json::object());
    const bool changed = std::any_of(labs.begin(), labs.end(), [&](const base::Json& was) {
      return was.value("name", "") == is.value("name", "") && was != is;
    });
    if (!changed) return {};
    return base::BadInput(
        fmt::format("campaign '{}' was measured in another lab '{}'; give the "
                    "campaign or its lab another name",
                    file_.name, file_.lab->name));
  }

  base::Status SaveDocument() {
    RECKON_ASSIGN(report_.campaign,
                  store_->SaveCampaign(file_.name, base::DumpJsonLine(document_)));
    return {};
  }

  base::Status Measure(std::vector<CampaignPoint> points) {
    RECKON_ASSIGN(History history, AwaitHistory());
    RECKON_TRY(CheckPoints(std::move(points)));
    RECKON_TRY(SaveDocument());
    TakeHistory(std::move(history));
    RECKON_ASSIGN(const std::unique_ptr<NextPoint> next, maker_(file_, report_.points, plans_));
    for (;;) {
      if (context_.stop.stop_requested()) {
        report_.interrupted = true;
        report_.ended = "it was interrupted; the same command goes on";
        return {};
      }
      RECKON_ASSIGN(const std::optional<size_t> chosen, next->Choose(report_));
      if (!chosen) {
        report_.ended = next->why_ended();
        return {};
      }
      if (OverBudget(report_.points[*chosen])) return {};
      RECKON_TRY(MeasurePoint(*chosen));
    }
  }

  // A point that cannot be is said to be so; one alone does not end the campaign.
  base::Status CheckPoints(std::vector<CampaignPoint> points) {
    std::map<std::string, std::vector<std::string>> problems;  // points by reason
    size_t possible = 0;
    Describer describer;
    const bool asks = std::any_of(points.begin(), points.end(), [](const CampaignPoint& point) {
      return !point.file.job.describe.empty();
    });
    if (asks) context_.progress.Begin("asking what is known of jobs", points.size());
    for (CampaignPoint& point : points) {
      const base::Status described = describer.Describe(point.file, context_.stop);
      auto plan = described.ok() ? PlanJob(point.file, point.engine)
                                 : Result<base::Json>(described.error());
      if (asks) context_.progress.Advance(1);
      if (!plan.ok()) {
        if (plan.error().code() == ErrorCode::kInterrupted) return plan.error();
        point.problem = plan.error().Describe();
        problems[point.problem].push_back(ValuesText(point));
        plans_.emplace_back();
      } else {
        ++possible;
        plans_.push_back(*std::move(plan));
      }
      PointReport report;
      report.point = std::move(point);
      report_.points.push_back(std::move(report));
    }
    if (asks) context_.progress.End();
    DrawAgain();
    for (PointReport& point : report_.points) Judge(point);
    document_["impossible"] = report_.points.size() - possible;
    if (possible > 0) return {};
    std::string text = fmt::format("no point of campaign '{}' can be measured", file_.name);
    for (const auto& [reason, met] : problems) {
      text += fmt::format("\n{}: {}", base::FirstOf(met, kPointsToName), reason);
    }
    return base::BadInput(text);
  }

  // The points whose second runs tell how far two runs of the same job are apart.
  void DrawAgain() {
    std::vector<size_t> order;
    for (size_t i = 0; i < report_.points.size(); ++i) {
      if (report_.points[i].point.problem.empty()) order.push_back(i);
    }
    base::Rng(file_.seed).Fork(kAgainStream).Shuffle(std::span(order));
    order.resize(std::min(order.size(), static_cast<size_t>(file_.again)));
    for (const size_t index : order) report_.points[index].again = true;
  }

  // What went on while nobody looked is waited for: it measures for us, and has the memory that
  // points are planned with.
  Result<History> AwaitHistory() {
    RECKON_ASSIGN(History history, LoadHistory(*store_, report_.campaign, file_.target, context_));
    while (!history.at_work.empty() && !context_.stop.stop_requested()) {
      for (const int64_t run : history.at_work) RECKON_TRY(Follow(run));
      // One that was killed before its supervisor lived counts as planned for a while.
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      RECKON_ASSIGN(history, LoadHistory(*store_, report_.campaign, file_.target, context_));
    }
    return history;
  }

  void TakeHistory(History history) {
    for (PointReport& point : report_.points) {
      point.attempts = std::move(history.by_point[point.point.key]);
      history.by_point.erase(point.point.key);
      for (const Attempt& attempt : point.attempts) Count(attempt, point.point.price_per_hour);
      Judge(point);
    }
    // Points that the file had once have taken time and money too.
    for (const auto& [key, attempts] : history.by_point) {
      for (const Attempt& attempt : attempts) Count(attempt, attempt.price_per_hour);
    }
  }

  base::Status MeasurePoint(size_t index) {
    PointReport& point = report_.points[index];
    Purpose purpose;
    purpose.campaign_id = report_.campaign.id;
    purpose.point = point.point.key;
    purpose.pool = point.point.pool;
    purpose.price_per_hour = point.point.price_per_hour;
    purpose.varied = UntoldValues(point.point);
    purpose.most_foreign = file_.most_foreign;
    purpose.most_steal = file_.most_steal;
    if (const auto usual = UsualPaceUs()) purpose.most_pace_us = *usual * (1 + file_.most_pace);
    StopPass stop(context_.stop);
    auto started = StartJob(point.point.file, point.point.engine, "", purpose, stop, context_);
    if (!started.ok()) {
      const ErrorCode code = started.error().code();
      if (code == ErrorCode::kInterrupted) return {};
      // A disk or store that fails, fails for all.
      if (code == ErrorCode::kIo) return started.error();
      const bool may_pass = code == ErrorCode::kUnavailable || code == ErrorCode::kFailed;
      if (may_pass) {
        return Take(point, {0, Outcome::kFailed, 0, 0, started.error().Describe()});
      }
      point.point.problem = started.error().Describe();
      Judge(point);
      return {};
    }
    RECKON_ASSIGN(const RunReport report, Follow(started->run.id));
    RECKON_ASSIGN(Attempt attempt, AttemptOf(report, file_.target));
    if (attempt.outcome == Outcome::kVoid && !context_.stop.stop_requested()) {
      // Nobody stopped it: one whose supervisor dies every time must not be tried for ever.
      attempt.outcome = Outcome::kFailed;
    }
    return Take(point, std::move(attempt));
  }

  base::Status Take(PointReport& point, Attempt attempt) {
    point.attempts.push_back(attempt);
    Count(attempt, point.point.price_per_hour);
    Judge(point);
    if (on_attempt_) on_attempt_(report_, point, attempt);
    return {};
  }

  // The median over all runs, once there are some.
  std::optional<double> UsualPaceUs() const {
    std::vector<double> paces;
    for (const PointReport& point : report_.points) {
      for (const Attempt& attempt : point.attempts) {
        if (attempt.pace_us > 0) paces.push_back(attempt.pace_us);
      }
    }
    if (paces.size() < kRunsToKnowThePace) return std::nullopt;
    return numeric::Median(paces);
  }

  Result<RunReport> Follow(int64_t run) {
    RunProgress progress(context_.progress, report_, file_);
    const Context inside{context_.clock, context_.log,  progress,
                         context_.stop,  context_.jobs, context_.db};
    return FollowRun(run, inside);
  }

  void Count(const Attempt& attempt, double price_per_hour) {
    report_.seconds += attempt.seconds;
    report_.cost += attempt.seconds / Dilation() / 3600 * price_per_hour;
    if (attempt.outcome == Outcome::kMeasured || attempt.outcome == Outcome::kNoisy) {
      ++report_.runs;
      measured_s_ += attempt.seconds;
    }
  }

  void Judge(PointReport& point) {
    const Standing standing = StandingOf(point.attempts);
    point.mean = standing.mean;
    point.error_of_mean = standing.error_of_mean;
    point.outliers = standing.outliers;
    point.problem = point.point.problem;
    if (!point.problem.empty()) {
      point.state = "impossible";
    } else if (standing.failed >= static_cast<size_t>(file_.attempts)) {
      point.state = "failed";
      for (const Attempt& attempt : point.attempts) {
        if (attempt.outcome == Outcome::kFailed) point.problem = attempt.reason;
      }
    } else if (!WantsMore(standing, file_, point.again)) {
      point.state = "measured";
    } else {
      point.state = standing.mean ? "measuring" : "waiting";
    }
  }

  bool OverBudget(const PointReport& point) {
    const double each = measured_s_ / std::max(1.0, static_cast<double>(report_.runs));
    if (file_.max_time_s && report_.seconds + each > *file_.max_time_s) {
      report_.ended = fmt::format("the time of {} is up", base::FormatDuration(*file_.max_time_s));
      return true;
    }
    const double price = each / Dilation() / 3600 * point.point.price_per_hour;
    if (file_.max_cost && report_.cost + price > *file_.max_cost) {
      report_.ended = fmt::format("the budget of {} is spent", base::FormatNumber(*file_.max_cost));
      return true;
    }
    return false;
  }

  double Dilation() const { return file_.lab ? file_.lab->dilation : 1; }

  static constexpr uint64_t kAgainStream = 1'000'004;
  static constexpr size_t kPointsToName = 5;
  static constexpr size_t kRunsToKnowThePace = 8;
  const CampaignFile file_;
  const NextPointMaker& maker_;
  const CampaignRequest& request_;
  const Context& context_;
  const OnAttempt& on_attempt_;
  std::unique_ptr<store::Store> store_;
  base::Json document_;
  std::vector<base::Json> plans_;  // of the points; null for impossible ones
  double measured_s_ = 0;          // of runs that measured something
  CampaignReport report_;
};

}  // namespace

Result<CampaignReport> ProfileBy(const NextPointMaker& maker, const CampaignRequest& request,
                                 const Context& context, const OnAttempt& on_attempt) {
  RECKON_ASSIGN(CampaignFile file, ReadFile(request));
  return CampaignAtWork(std::move(file), maker, request, context, on_attempt).Run();
}

Result<CampaignReport> Profile(const CampaignRequest& request, const Context& context,
                               const OnAttempt& on_attempt) {
  return ProfileBy(MakeNextPoint, request, context, on_attempt);
}

}  // namespace reckon::app
