#include "app/runs/eta.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

namespace reckon::app {
namespace {

using base::Json;

constexpr double kNinety = 1.64;  // of a normal distribution, on either side
// What nobody has seen vary may vary all the same.
constexpr double kLeastSpread = 0.03;
constexpr double kSpreadOfProgress = 0.2;

struct EpochTimes {
  double mean = 0;
  double spread = 0;  // relative
  double last_ended_at = 0;
  size_t done = 0;
};

// When the last validation of an epoch was told.
double EndOfLast(const RunView& view) {
  double at = 0;
  for (const RankView& rank : view.ranks) {
    for (const auto& [number, epoch] : rank.epochs) at = std::max(at, epoch.accuracy_at);
  }
  return at;
}

std::optional<EpochTimes> TimesOf(const RunView& view) {
  std::vector<double> took;
  int64_t last = 0;
  for (const RunView::Epoch& epoch : view.Epochs()) {
    if (!(epoch.train_s > 0) || !epoch.accuracy) continue;
    took.push_back(epoch.train_s + epoch.validate_s);
    last = std::max(last, epoch.epoch);
  }
  if (took.empty()) return std::nullopt;
  EpochTimes times;
  // Of a training that went on from a checkpoint this is not how many it has told of.
  times.done = static_cast<size_t>(last + 1);
  for (const double one : took) times.mean += one / static_cast<double>(took.size());
  double square = 0;
  for (const double one : took) square += (one - times.mean) * (one - times.mean);
  const double freedom = std::max(1.0, static_cast<double>(took.size()) - 1);
  times.spread = std::max(kLeastSpread, std::sqrt(square / freedom) / times.mean);
  times.last_ended_at = EndOfLast(view);
  return times;
}

double AskedEpochs(const Json& job) {
  const auto trainer = job.find("trainer");
  if (trainer != job.end()) {
    return static_cast<double>(base::WholeAt(*trainer, "epochs").value_or(0));
  }
  const auto stop = job.find("early_stop");
  return stop == job.end() ? 0 : static_cast<double>(base::WholeAt(*stop, "epochs").value_or(0));
}

}  // namespace

std::optional<Eta> EtaOf(const Json& job, const RunView& view, double now) {
  if (view.state && core::IsFinal(*view.state)) return std::nullopt;
  const double asked = job.is_object() ? AskedEpochs(job) : 0;
  const auto times = TimesOf(view);
  if (!times || asked == 0) {
    const auto left = view.WorkersProgress(now).remaining_s;
    if (!left) return std::nullopt;
    return Eta{*left, *left * (1 - kSpreadOfProgress), *left * (1 + kSpreadOfProgress)};
  }
  const auto done = static_cast<double>(times->done);
  watch::Likely last{asked, asked, asked};
  const auto outlook = job.contains("early_stop") ? OutlookOf(job, view) : std::nullopt;
  if (!view.ending.empty()) {
    last = {done + 1, done, done + 1};
  } else if (outlook && outlook->epochs) {
    // It ends when that is sure enough, which is later than when it is likely.
    const auto within = [&](double epochs) {
      return std::clamp(epochs, std::min(done + 1, asked), asked);
    };
    last = {within(outlook->epochs->upper), within(outlook->epochs->median), asked};
  }
  Eta eta;
  eta.epoch_s = times->mean;
  const double in_epoch = std::max(0.0, now - times->last_ended_at);
  eta.epoch_left_s = std::max(0.0, times->mean - in_epoch);
  const auto seconds = [&](double epochs, double deviations) {
    const double left = std::max(0.0, epochs - done);
    const double sum = left * times->mean - std::min(in_epoch, times->mean);
    return std::max(0.0, sum + deviations * times->spread * times->mean * std::sqrt(left));
  };
  eta.remaining_s = seconds(last.median, 0);
  eta.lower_s = seconds(last.lower, -kNinety);
  eta.upper_s = seconds(last.upper, kNinety);
  return eta;
}

Json ToJson(const Eta& eta) {
  Json json{{"remaining_s", eta.remaining_s}, {"lower_s", eta.lower_s}, {"upper_s", eta.upper_s}};
  if (eta.epoch_s > 0) json["epoch_s"] = eta.epoch_s;
  return json;
}

}  // namespace reckon::app
