// A network with its parameters and gradients in this process. Torch stays behind this header.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "train/data/prefetch.h"
#include "train/nets/network.h"
#include "worker/reals.h"

namespace reckon::worker {

struct ReplicaOptions {
  bool float64 = false;
  uint64_t seed = 1;     // of the first parameters, and of what dropout drops
  uint64_t stream = 0;   // replicas of other streams drop other things
  size_t fine_tune = 0;  // layers with parameters, from the last, that are trained; 0: all
  int threads = 1;       // that compute
};

// Hears of gradients while the backward pass still runs.
class GradientListener {
 public:
  virtual ~GradientListener() = default;
  // The gradients [begin, end) of the trained parameters will not change any more in this step.
  virtual void Ready(size_t begin, size_t end) = 0;
};

// All parameters lie one after the other in one piece of memory, in the order of layers, and so do
// the gradients of those that are trained: exchanges and optimisers work on whole ranges, without
// copies. For one thread.
class Replica {
 public:
  // kFailed when there is no memory for it.
  static base::Result<std::unique_ptr<Replica>> Make(const train::Network& network,
                                                     const train::ImageShape& image,
                                                     const ReplicaOptions& options);
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  Reals parameters() const;  // all
  Reals trained() const;     // those that are trained: the last ones
  Reals gradients() const;   // as many as trained()

  // Sets the gradients to those of `scale` times the batch's mean loss, and returns the mean loss.
  // `step` decides, with the seed, what dropout drops. kFailed: no memory for so large a batch.
  base::Result<double> Backward(const train::Batch& batch, double scale, uint64_t step,
                                GradientListener* listener);
  void ZeroGradients();
  // How likely each class is, image after image; labels are not looked at.
  base::Result<std::vector<float>> Probabilities(const train::Batch& batch);
  // How many labels of the batch it tells right.
  base::Result<size_t> CountCorrect(const train::Batch& batch);

 private:
  struct State;
  explicit Replica(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace reckon::worker
