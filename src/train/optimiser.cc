#include "train/optimiser.h"

#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"

namespace reckon::train {

base::Result<OptimiserOptions::Kind> ParseOptimiser(const std::string& name) {
  if (name == "sgd") return OptimiserOptions::Kind::kSgd;
  if (name == "adam") return OptimiserOptions::Kind::kAdam;
  const std::vector<std::string> known{"sgd", "adam"};
  return base::BadInput(
             fmt::format("unknown optimizer '{}'{}", name, base::SuggestFrom(name, known)))
      .About("trainer.optimizer");
}

OptimiserOptions OneByOne(OptimiserOptions options, size_t workers) {
  const auto n = static_cast<double>(workers);
  if (options.kind == OptimiserOptions::Kind::kAdam) {
    // Adam moves by the rate whatever the gradient's size.
    options.rate /= n;
    options.beta1 = std::pow(options.beta1, 1 / n);
    options.beta2 = std::pow(options.beta2, 1 / n);
    return options;
  }
  const double momentum = std::pow(options.momentum, 1 / n);
  const double kept = options.momentum < 1 ? (1 - momentum) / (1 - options.momentum) : 1 / n;
  options.rate *= kept / n;
  options.momentum = momentum;
  return options;
}

template <typename Real>
BasicOptimiser<Real>::BasicOptimiser(const OptimiserOptions& options, size_t size)
    : options_(options) {
  const bool adam = options.kind == OptimiserOptions::Kind::kAdam;
  if (adam || options.momentum != 0) state_.first.resize(size);
  if (adam) state_.second.resize(size);
}

template <typename Real>
void BasicOptimiser<Real>::Apply(uint64_t step_number, size_t begin, std::span<const Real> gradient,
                                 std::span<Real> parameters) {
  RECKON_CHECK(gradient.size() == parameters.size() && step_number > 0);
  const auto decay = static_cast<Real>(options_.weight_decay);
  const auto rate = static_cast<Real>(options_.rate);
  const size_t count = gradient.size();
  if (options_.kind == OptimiserOptions::Kind::kSgd) {
    if (options_.momentum == 0) {
      for (size_t i = 0; i < count; ++i) {
        parameters[i] -= rate * (gradient[i] + decay * parameters[i]);
      }
      return;
    }
    const auto momentum = static_cast<Real>(options_.momentum);
    Real* velocity = state_.first.data() + begin;
    // The first step has no velocity yet, and takes the gradient for it, as 0 would give.
    for (size_t i = 0; i < count; ++i) {
      velocity[i] = momentum * velocity[i] + gradient[i] + decay * parameters[i];
      parameters[i] -= rate * velocity[i];
    }
    return;
  }
  // Kingma and Ba 2015, in PyTorch's order: sqrt(v) / sqrt(1 - b2^t) + epsilon.
  const auto steps = static_cast<double>(step_number);
  const auto beta1 = static_cast<Real>(options_.beta1);
  const auto beta2 = static_cast<Real>(options_.beta2);
  const auto step = static_cast<Real>(options_.rate / (1 - std::pow(options_.beta1, steps)));
  const auto root = static_cast<Real>(1 / std::sqrt(1 - std::pow(options_.beta2, steps)));
  const auto epsilon = static_cast<Real>(options_.epsilon);
  Real* mean = state_.first.data() + begin;
  Real* square = state_.second.data() + begin;
  for (size_t i = 0; i < count; ++i) {
    const Real g = gradient[i] + decay * parameters[i];
    mean[i] = beta1 * mean[i] + (1 - beta1) * g;
    square[i] = beta2 * square[i] + (1 - beta2) * g * g;
    parameters[i] -= step * mean[i] / (std::sqrt(square[i]) * root + epsilon);
  }
}

template <typename Real>
base::Status BasicOptimiser<Real>::Restore(State state) {
  if (state.first.size() != state_.first.size() || state.second.size() != state_.second.size()) {
    return base::Corrupt("the optimiser's state is of another size or kind");
  }
  state_ = std::move(state);
  return {};
}

template class BasicOptimiser<float>;
template class BasicOptimiser<double>;

}  // namespace reckon::train
