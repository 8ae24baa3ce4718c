#include "train/memory_estimate.h"

#include <algorithm>

namespace reckon::train {
namespace {

constexpr double kMostBytes = 64.0 * (uint64_t{1} << 40);
// libtorch and what it stands on, as far as a small training touches it. Its code, as much again,
// is there once for all workers of a machine.
constexpr double kLibraryBytes = 100e6;
// Batches of the prefetcher: one trained on, two ready, one being made.
constexpr double kBatches = 4;

// In doubles: products of what a job may ask for do not fit into 64 bits.
uint64_t InBytes(double bytes) { return static_cast<uint64_t>(std::min(bytes, kMostBytes)); }

double Pixels(const ImageShape& shape) { return static_cast<double>(shape.pixels()); }

}  // namespace

uint64_t WorkerMemory(const core::TrainerJob& job, const Network& network, const ImageShape& image,
                      const MemoryNeed& need) {
  const double width = job.float64 ? sizeof(double) : sizeof(float);
  const auto batch = static_cast<double>(need.batch);
  double activations = 0;
  double widest = Pixels(image);  // of two layers that follow each other
  for (const Layer& layer : network.layers) {
    activations += Pixels(layer.out);
    widest = std::max(widest, Pixels(layer.in) + Pixels(layer.out));
  }
  const double waiting = Pixels(image) * kBatches * sizeof(float);
  // The activations of every layer stay until their gradients are there.
  const double training = batch * (activations * 2 * width + waiting + Pixels(image) * width);
  const double validated = static_cast<double>(std::min(need.validation_images, kValidationBatch));
  const double validating = validated * (widest * width + waiting);
  // With gradients and the optimiser's state.
  const double parameters = static_cast<double>(network.parameters()) * 4 * width;
  // Every worker holds all images, and the order of an epoch twice while it deals it out.
  const double data =
      static_cast<double>(need.images + need.validation_images) * (Pixels(image) + 1) +
      static_cast<double>(need.rows) * 2 * sizeof(uint32_t);
  return InBytes(kLibraryBytes + std::max(training, validating) + parameters + data);
}

uint64_t ServersMemory(const core::TrainerJob& job, const Network& network,
                       const MemoryNeed& need) {
  if (job.strategy == core::Strategy::kAllReduce) return 0;
  // Parameters, the optimiser's two states and what they are summed in; a gradient of every worker
  // on its way in; and a copy of the first three while a checkpoint is written.
  const double copies = 7 + static_cast<double>(need.workers);
  return InBytes(static_cast<double>(network.parameters()) * copies * sizeof(float));
}

}  // namespace reckon::train
