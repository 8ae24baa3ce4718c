#include "app/campaigns/standing.h"

#include <algorithm>
#include <cmath>

#include "numeric/stats.h"

namespace reckon::app {
std::vector<size_t> FarOff(const std::vector<double>& values) {
  constexpr size_t kFewest = 4;
  constexpr double kFar = 3.5;             // Iglewicz and Hoaglin 1993
  constexpr double kNormal = 1.4826;       // median deviation to standard deviation
  constexpr double kNotWorthAWord = 0.05;  // of the median
  std::vector<size_t> far;
  if (values.size() < kFewest) return far;
  const double median = numeric::Median(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - median));
  const double spread = kNormal * numeric::Median(deviations);
  for (size_t i = 0; i < values.size(); ++i) {
    const double off = std::abs(values[i] - median);
    if (off > kFar * spread && off > kNotWorthAWord * std::abs(median)) far.push_back(i);
  }
  return far;
}

Standing StandingOf(const std::vector<Attempt>& attempts) {
  Standing standing;
  std::vector<double> good;
  std::vector<int64_t> runs;
  std::vector<double> disturbed;
  for (const Attempt& attempt : attempts) {
    if (attempt.outcome == Outcome::kMeasured) {
      good.push_back(attempt.value);
      runs.push_back(attempt.run);
    }
    if (attempt.outcome == Outcome::kNoisy) disturbed.push_back(attempt.value);
    if (attempt.outcome == Outcome::kFailed) ++standing.failed;
  }
  standing.measured = good.size();
  standing.disturbed = disturbed.size();
  for (const size_t index : FarOff(good)) standing.outliers.push_back(runs[index]);
  const std::vector<double>& values = good.empty() ? disturbed : good;
  if (values.empty()) return standing;
  double sum = 0;
  for (const double value : values) sum += value;
  const auto count = static_cast<double>(values.size());
  const double mean = sum / count;
  standing.mean = mean;
  if (values.size() < 2) return standing;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  standing.error_of_mean = std::sqrt(squares / (count - 1) / count) / mean;
  return standing;
}

bool WantsMore(const Standing& standing, const spec::CampaignFile& file, bool again) {
  const size_t more = again ? 1 : 0;
  const size_t least = static_cast<size_t>(file.least_repeats) + more;
  const size_t most = static_cast<size_t>(file.most_repeats) + more;
  if (standing.failed >= static_cast<size_t>(file.attempts)) return false;
  if (standing.measured >= most) return false;
  // A machine that never is quiet gives what it can: disturbed ones then count as repeats.
  const auto retries = static_cast<size_t>(file.retries);
  const size_t forgiven = standing.disturbed > retries ? standing.disturbed - retries : 0;
  const size_t counted = standing.measured + forgiven;
  if (counted < least) return true;
  if (counted >= most) return false;
  return standing.error_of_mean.value_or(1) > file.within;
}

}  // namespace reckon::app
