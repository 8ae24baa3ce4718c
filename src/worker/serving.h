// A trained network that answers what images show.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/nets/network.h"
#include "worker/replica.h"

namespace reckon::worker {

// Thread-safe.
class Predictor {
 public:
  // kNotFound, kCorrupt: no model of ours; kBadInput: of images of other sizes than we know.
  static base::Result<std::unique_ptr<Predictor>> Load(const std::filesystem::path& model,
                                                       int threads);

  const std::string& network() const { return network_; }
  size_t pixels() const { return shape_.pixels(); }  // of an image
  size_t classes() const { return classes_; }
  // Images one after the other; how likely each class is, image after image. kBadInput: half an
  // image.
  base::Result<std::vector<float>> Predict(std::span<const uint8_t> images);

 private:
  Predictor() = default;

  std::string network_;
  train::ImageShape shape_;
  size_t classes_ = 0;
  std::mutex mutex_;  // guards the replica
  std::unique_ptr<Replica> replica_;
};

// Serves until `stop`: POST /predict, a body of pixels (application/octet-stream) or {"images":
// [[0, 255, ...], ...]}, answered by {"predictions": [{"label", "probability", "probabilities"}]};
// GET /healthz. Address and token come from the environment (see the program's help).
base::Status ServeModel(const std::filesystem::path& model, const std::stop_token& stop);

}  // namespace reckon::worker
