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
constexpr double kNearTheBest = 1.15;
constexpr int kRounds = 30;
constexpr size_t kGreedyStart = 3;
// A member that was picked less often costs a model's size and speed more than it gives.
constexpr int kFewestPicks = 2;
constexpr size_t kPool = 60;  // candidates that greedy selection chooses from

// The best candidates of different groups, best first. Each technique whose best comes near the
// best of all has one of the seats, even where there are many good candidates of another one.
std::vector<size_t> Seated(const std::vector<Scored>& scored, double floor) {
  std::vector<size_t> seated;
  std::vector<size_t> others;
  std::set<size_t> groups;
  std::set<const Technique*> techniques;
  for (size_t i = 0; i < scored.size() && scored[i].score <= kTooFarBehind * floor; ++i) {
    if (!groups.insert(scored[i].trial).second) continue;
    const bool its_best = techniques.insert(scored[i].technique).second;
    const bool near = scored[i].score <= kNearTheBest * floor;
    (its_best && near && seated.size() < kMostMembers ? seated : others).push_back(i);
  }
  others.resize(std::min(others.size(), kMostMembers - seated.size()));
  seated.insert(seated.end(), others.begin(), others.end());
  std::sort(seated.begin(), seated.end());
  return seated;
}

// Candidates of one technique are alike, and some techniques have many: together they weigh as much
// as the root of their number.
std::vector<BlendPart> BestOfGroups(const std::vector<Scored>& scored) {
  const double floor = std::max(scored.front().score, 1e-4);
  std::vector<BlendPart> parts;
  std::map<const Technique*, size_t> alike;
  for (const size_t i : Seated(scored, floor)) {
    parts.push_back({i, 1 / std::pow(std::max(scored[i].score, floor), 2)});
    ++alike[scored[i].technique];
  }
  double total = 0;
  for (BlendPart& part : parts) {
    part.weight /= std::sqrt(static_cast<double>(alike[scored[part.scored].technique]));
    total += part.weight;
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
