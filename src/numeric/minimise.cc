#include "numeric/minimise.h"

#include <algorithm>
#include <cmath>

namespace reckon::numeric {
namespace {

constexpr double kEnoughGain = 1e-4;  // of what the slope promises
constexpr double kFlatter = 0.9;      // times the slope at the start
constexpr int kMostTries = 15;

struct Point {
  Vector at;
  double value = 0;
  Vector gradient;
};

// A point along `move` that is lower by the weak Wolfe conditions: without the second of them the
// gradients would say nothing about the curvature. No further than `longest` times `move`. Whether
// there is one.
bool Search(const SmoothFunction& function, const Point& from, const Vector& move, double longest,
            Point& found) {
  const double slope = move.dot(from.gradient);
  double low = 0;
  double high = longest;
  double length = std::min(1.0, longest);
  bool bounded = false;
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    Point next{from.at + length * move, 0, Vector(move.size())};
    next.value = function(next.at, next.gradient);
    if (std::isfinite(next.value) && next.value <= from.value + kEnoughGain * length * slope) {
      low = length;
      found = std::move(next);
      if (found.gradient.dot(move) >= kFlatter * slope || length == longest) return true;
    } else {
      high = length;
      bounded = true;
    }
    if (low == 0) {
      length = 0.3 * high;
    } else {
      length = bounded ? (low + high) / 2 : std::min(2 * low, longest);
    }
  }
  return low > 0;
}

}  // namespace

Vector Minimise(const SmoothFunction& function, const Vector& start, int most_steps, double reach) {
  Point here{start, 0, Vector(start.size())};
  here.value = function(here.at, here.gradient);
  if (!std::isfinite(here.value)) return start;
  const Matrix unit = Matrix::Identity(start.size(), start.size());
  Matrix inverse_hessian = unit;
  bool fresh = true;  // nothing is known of the curvature yet
  for (int step = 0; step < most_steps; ++step) {
    Vector move = -inverse_hessian * here.gradient;
    if (!(move.dot(here.gradient) < 0)) {
      fresh = true;
      move = -here.gradient;
    }
    const double furthest = move.cwiseAbs().maxCoeff();
    if (furthest == 0) return here.at;
    Point next;
    if (!Search(function, here, move, reach / furthest, next)) {
      if (fresh) return here.at;
      inverse_hessian = unit;
      fresh = true;
      continue;
    }
    const Vector moved = next.at - here.at;
    const Vector change = next.gradient - here.gradient;
    const double curvature = moved.dot(change);
    if (curvature > 1e-12 * moved.norm() * change.norm()) {
      if (fresh) inverse_hessian = unit * (curvature / change.squaredNorm());
      fresh = false;
      const Vector projected = inverse_hessian * change;
      const double ratio = (1 + change.dot(projected) / curvature) / curvature;
      inverse_hessian +=
          ratio * moved * moved.transpose() -
          (projected * moved.transpose() + moved * projected.transpose()) / curvature;
    }
    const double gain = here.value - next.value;
    here = std::move(next);
    if (gain < 1e-6 * (1 + std::fabs(here.value))) break;
  }
  return here.at;
}

}  // namespace reckon::numeric
