// The networks of the built-in trainer as plain values: which layers, how large. Known before any
// worker starts, without the library that computes them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/data/image_set.h"

namespace reckon::train {

enum class Activation { kRelu, kTanh, kSigmoid };
enum class Padding { kValid, kSame };

struct Layer {
  enum class Kind {
    kConvolution,  // kernel x kernel, moved by stride
    kMaxPool,      // kernel x kernel, moved by kernel
    kMeanPool,     // to height x width, whatever comes in
    kActivation,
    kDropout,
    kFlatten,
    kLinear,
  };
  Kind kind = Kind::kFlatten;
  ImageShape in;  // a flat vector is {n, 1, 1}
  ImageShape out;
  int kernel = 0;
  int stride = 1;
  Padding padding = Padding::kValid;
  Activation activation = Activation::kRelu;
  double dropout = 0;

  size_t parameters() const;
  // Of one image on its way forward; what pools and activations compute is not counted.
  double multiply_adds() const;
  // Numbers that convolutions and linear layers give for one image: what is written and read.
  double activations() const;
  bool operator==(const Layer&) const = default;
};

struct Network {
  std::string name;
  std::map<std::string, std::string> knobs;  // all it has, as it was built
  std::vector<Layer> layers;

  size_t parameters() const;
  double multiply_adds() const;
  double activations() const;
  // The last `count` layers that have parameters are trained, the others stay what the base model
  // gives; 0: all are trained. Index of the first layer that is trained.
  size_t FirstTrained(size_t count) const;
};

// "lenet5", "cnn-small", "cnn-large", "mlp".
std::vector<std::string> NetworkNames();

// `knobs` as written in a job: lenet5 has kernel, pool, activation, filters, padding, stride and
// dropout (paper on generic performance models of deep learning, Table 2; filters is the first
// convolution's count, the second has twice as many), mlp has hidden ("512,256") and activation;
// all have dropout. A kernel or pool larger than what is left of the image is cut to that.
// kBadInput: unknown network or knob, a value out of range.
base::Result<Network> BuildNetwork(const std::string& name,
                                   const std::map<std::string, std::string>& knobs,
                                   const ImageShape& image, int classes);

}  // namespace reckon::train
