#include "learn/search/choose_blend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace reckon::learn {
namespace {

constexpr size_t kMostMembers = 12;
constexpr double kTooFarBehind = 2.5;  // times the best score
constexpr int kRounds = 30;
constexpr size_t kGreedyStart = 3;
// A member that was picked less often costs a model's size and speed more than it gives.
constexpr int kFewestPicks = 2;
constexpr size_t kPool = 60;  // candidates that greedy selection chooses from

std::vector<BlendPart> BestOfGroups(const std::vector<Scored>& scored) {
  std::vector<BlendPart> parts;
  std::set<size_t> groups;
  double total = 0;
  const double floor = std::max(scored.front().score, 1e-4);
  for (size_t i = 0; i < scored.size() && parts.size() < kMostMembers; ++i) {
    if (scored[i].score > kTooFarBehind * floor) break;
    if (!groups.insert(scored[i].trial).second) continue;
    const double weight = 1 / std::pow(std::max(scored[i].score, floor), 2);
    parts.push_back({i, weight});
    total += weight;
  }
  for (BlendPart& part : parts) part.weight /= total;
  return parts;
}

std::vector<BlendPart> Greedy(const std::vector<Scored>& scored, const SelectionRows& rows) {
  const size_t pool = std::min(kPool, scored.size());
  std::vector<Vector> logs;
  for (size_t i = 0; i < pool; ++i) logs.push_back(scored[i].predicted.array().log());
  const Vector truth = rows.truth.array().log();
  std::vector<int> picked(pool, 0);
  Vector sum = Vector::Zero(truth.size());
  int count = 0;
  for (size_t i = 0; i < std::min(kGreedyStart, pool); ++i) {
    sum += logs[i];
    ++picked[i];
    ++count;
  }
  for (int round = 0; round < kRounds; ++round) {
    size_t best = 0;
    double best_error = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < pool; ++i) {
      const double error = ((sum + logs[i]) / (count + 1) - truth).cwiseAbs().dot(rows.weight);
      if (error < best_error) {
        best_error = error;
        best = i;
      }
    }
    sum += logs[best];
    ++picked[best];
    ++count;
  }
  std::vector<BlendPart> parts;
  int kept = 0;
  for (size_t i = 0; i < pool; ++i) {
    if (picked[i] < kFewestPicks) continue;
    parts.push_back({i, static_cast<double>(picked[i])});
    kept += picked[i];
  }
  for (BlendPart& part : parts) part.weight /= kept;
  return parts;
}

}  // namespace

std::vector<BlendPart> ChooseBlend(const std::vector<Scored>& scored, const SelectionRows& rows,
                                   const Question& question) {
  return question.extrapolate ? BestOfGroups(scored) : Greedy(scored, rows);
}

Vector BlendPredictions(const std::vector<Scored>& scored, const std::vector<BlendPart>& parts) {
  Vector mean = Vector::Zero(scored.front().predicted.size());
  for (const BlendPart& part : parts) {
    mean += part.weight * scored[part.scored].predicted.array().log().matrix();
  }
  return mean.array().exp();
}

Vector BlendSpread(const std::vector<Scored>& scored, const std::vector<BlendPart>& parts) {
  const Vector mean = BlendPredictions(scored, parts).array().log();
  Vector squares = Vector::Zero(mean.size());
  for (const BlendPart& part : parts) {
    squares.array() +=
        part.weight * (scored[part.scored].predicted.array().log() - mean.array()).square();
  }
  return squares.cwiseSqrt();
}

}  // namespace reckon::learn
