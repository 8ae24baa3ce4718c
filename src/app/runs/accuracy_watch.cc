#include "app/runs/accuracy_watch.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "act/launch.h"

namespace reckon::app {
namespace {

using base::Json;

// By epoch, from 0: how many workers have told an accuracy.
std::map<int64_t, int64_t> Tellers(const RunView& view) {
  std::map<int64_t, int64_t> tellers;
  for (const RankView& rank : view.ranks) {
    if (rank.role != act::kWorkerRole) continue;
    for (const auto& [number, measures] : rank.epochs) {
      if (measures.metrics.contains("accuracy")) ++tellers[number];
    }
  }
  return tellers;
}

}  // namespace

std::vector<watch::EpochAccuracy> AccuraciesOf(const RunView& view, int64_t workers) {
  std::vector<watch::EpochAccuracy> seen;
  const std::map<int64_t, int64_t> tellers = Tellers(view);
  // Reports come late, of scripts the first worker alone may tell, and asynchronous workers may be
  // lost: an epoch is whole once as many have told as two epochs before, and old ones are anyhow.
  const auto whole = [&](int64_t epoch, int64_t told) {
    const auto earlier = tellers.find(epoch - 2);
    return told >= workers || (earlier != tellers.end() && told >= earlier->second) ||
           tellers.upper_bound(epoch + 1) != tellers.end();
  };
  for (const RunView::Epoch& epoch : view.Epochs()) {
    const auto told = tellers.find(epoch.epoch);
    if (!epoch.accuracy || told == tellers.end() || !whole(epoch.epoch, told->second)) continue;
    seen.push_back({static_cast<double>(epoch.epoch + 1), *epoch.accuracy});
  }
  return seen;
}

watch::StopWish StopWishOf(const core::EarlyStop& wish) {
  watch::StopWish stop;
  stop.target = wish.accuracy;
  stop.epochs = static_cast<double>(wish.epochs);
  stop.least_gain = wish.least_gain;
  stop.confidence = wish.confidence;
  return stop;
}

std::optional<AccuracyOutlook> OutlookOf(const Json& job, const RunView& view) {
  if (!job.is_object()) return std::nullopt;
  core::EarlyStop wish;
  if (const auto stop = job.find("early_stop"); stop != job.end()) {
    auto own = act::EarlyStopFromJson(*stop, "early_stop");
    if (!own.ok()) return std::nullopt;
    wish = *std::move(own);
  } else if (const auto trainer = job.find("trainer"); trainer != job.end()) {
    wish.epochs = static_cast<int64_t>(base::WholeAt(*trainer, "epochs").value_or(0));
  }
  const auto workers = static_cast<int64_t>(base::WholeAt(job, "workers").value_or(1));
  const std::vector<watch::EpochAccuracy> seen = AccuraciesOf(view, workers);
  if (wish.epochs == 0 || seen.empty()) return std::nullopt;
  const watch::StopReport report = watch::AdviseStop(seen, StopWishOf(wish));
  if (!report.epochs && !report.accuracy) return std::nullopt;
  return AccuracyOutlook{static_cast<double>(wish.epochs), seen.back(), wish.accuracy,
                         report.epochs, report.accuracy};
}

Json ToJson(const AccuracyOutlook& outlook) {
  const auto likely = [](const std::optional<watch::Likely>& value) {
    return value ? Json{{"median", value->median}, {"lower", value->lower}, {"upper", value->upper}}
                 : Json();
  };
  return {{"epochs_asked", outlook.asked},
          {"epochs_done", outlook.last.epoch},
          {"accuracy_now", outlook.last.accuracy},
          {"target", outlook.target ? Json(*outlook.target) : Json()},
          {"epochs_needed", likely(outlook.epochs)},
          {"accuracy_at_end", likely(outlook.accuracy)}};
}

std::optional<std::string> AccuracyWatch::Take(const Json& event) {
  const auto text = [&](const char* key) {
    const auto found = event.find(key);
    return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  constexpr std::array<std::string_view, 3> kTold{"accuracy", "validated", "validated_alone"};
  if (text("kind") != "metric" || text("role") != act::kWorkerRole || !event.contains("epoch") ||
      std::find(kTold.begin(), kTold.end(), text("name")) == kTold.end()) {
    return std::nullopt;
  }
  view_.Add(event);
  if (text("name") != "accuracy") return std::nullopt;
  const std::vector<watch::EpochAccuracy> seen = AccuraciesOf(view_, workers_);
  if (seen.size() <= looked_at_) return std::nullopt;
  looked_at_ = seen.size();
  if (seen.back().epoch >= wish_.epochs) return std::nullopt;  // it ends by itself
  const watch::StopReport report = watch::AdviseStop(seen, wish_);
  if (report.advice == watch::StopAdvice::kGoOn) return std::nullopt;
  return report.why;
}

}  // namespace reckon::app
