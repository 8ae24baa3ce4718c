#include "worker/replica.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/nn.h>
#include <torch/utils.h>

#include "worker/torch_errors.h"

namespace reckon::worker {
namespace {

using train::Layer;

// One layer of the network with its parameters.
struct TorchLayer {
  Layer layer;
  torch::Tensor weight;  // undefined when the layer has none
  torch::Tensor bias;
};

torch::Tensor Activate(train::Activation activation, const torch::Tensor& x) {
  switch (activation) {
    case train::Activation::kRelu:
      return torch::relu(x);
    case train::Activation::kTanh:
      return torch::tanh(x);
    case train::Activation::kSigmoid:
      return torch::sigmoid(x);
  }
  return x;
}

torch::Tensor Convolve(const TorchLayer& own, const torch::Tensor& x) {
  const Layer& layer = own.layer;
  if (layer.padding == train::Padding::kValid) {
    return torch::conv2d(x, own.weight, own.bias, layer.stride);
  }
  // The output is ceil(in / stride) wide: what is missing is added around, the odd one at the end,
  // as TensorFlow's "same" does.
  const auto missing = [&](int in, int out) {
    return std::max(0, (out - 1) * layer.stride + layer.kernel - in);
  };
  const int high = missing(layer.in.height, layer.out.height);
  const int wide = missing(layer.in.width, layer.out.width);
  if (high % 2 == 0 && wide % 2 == 0) {
    return torch::conv2d(x, own.weight, own.bias, layer.stride, {high / 2, wide / 2});
  }
  const auto padded =
      torch::constant_pad_nd(x, {wide / 2, wide - wide / 2, high / 2, high - high / 2});
  return torch::conv2d(padded, own.weight, own.bias, layer.stride);
}

torch::Tensor Forward(const TorchLayer& own, const torch::Tensor& x, bool training) {
  const Layer& layer = own.layer;
  switch (layer.kind) {
    case Layer::Kind::kConvolution:
      return Convolve(own, x);
    case Layer::Kind::kMaxPool:
      return torch::max_pool2d(x, layer.kernel);
    case Layer::Kind::kMeanPool:
      return torch::adaptive_avg_pool2d(x, {layer.out.height, layer.out.width});
    case Layer::Kind::kActivation:
      return Activate(layer.activation, x);
    case Layer::Kind::kDropout:
      return torch::dropout(x, layer.dropout, training);
    case Layer::Kind::kFlatten:
      return x.flatten(1);
    case Layer::Kind::kLinear:
      return torch::linear(x, own.weight, own.bias);
  }
  return x;
}

std::vector<int64_t> WeightShape(const Layer& layer) {
  if (layer.kind == Layer::Kind::kLinear) return {layer.out.channels, layer.in.channels};
  return {layer.out.channels, layer.in.channels, layer.kernel, layer.kernel};
}

// Tells the listener when autograd has put a parameter's gradient in its place.
class WhenAccumulated final : public torch::autograd::FunctionPostHook {
 public:
  explicit WhenAccumulated(std::function<void()> tell) : tell_(std::move(tell)) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list&) override {
    tell_();
    return outputs;
  }

 private:
  std::function<void()> tell_;
};

}  // namespace

struct Replica::State {
  train::ImageShape image;
  torch::ScalarType type = torch::kFloat32;
  uint64_t seed = 1;
  uint64_t stream = 0;
  bool has_dropout = false;
  size_t first_trained = 0;  // parameter, not layer
  std::vector<TorchLayer> layers;
  torch::Tensor parameters;
  torch::Tensor gradients;
  // Autograd keeps only weak references to these; with them go the hooks.
  std::vector<std::shared_ptr<torch::autograd::Node>> accumulators;
  GradientListener* listener = nullptr;  // during Backward

  void Build(const train::Network& network, const ReplicaOptions& options);
  void AddParameter(torch::Tensor& parameter, std::vector<int64_t> shape, size_t& offset,
                    bool trained);
  torch::Tensor Images(const train::Batch& batch) const;
  torch::Tensor Output(const train::Batch& batch, bool training) const;
};

void Replica::State::AddParameter(torch::Tensor& parameter, std::vector<int64_t> shape,
                                  size_t& offset, bool trained) {
  int64_t size = 1;
  for (const int64_t side : shape) size *= side;
  parameter = parameters.narrow(0, static_cast<int64_t>(offset), size).view(shape).detach();
  if (trained) {
    parameter.set_requires_grad(true);
    const size_t begin = offset - first_trained;
    parameter.mutable_grad() =
        gradients.narrow(0, static_cast<int64_t>(begin), size).view(shape).detach();
    const auto accumulator = torch::autograd::impl::grad_accumulator(parameter);
    accumulator->add_post_hook(
        std::make_unique<WhenAccumulated>([this, begin, end = begin + static_cast<size_t>(size)] {
          if (listener != nullptr) listener->Ready(begin, end);
        }));
    accumulators.push_back(accumulator);
  }
  offset += static_cast<size_t>(size);
}

void Replica::State::Build(const train::Network& network, const ReplicaOptions& options) {
  const auto as_type = torch::TensorOptions().dtype(type);
  parameters = torch::zeros({static_cast<int64_t>(network.parameters())}, as_type);
  const size_t first_layer = network.FirstTrained(options.fine_tune);
  for (size_t i = 0; i < first_layer; ++i) first_trained += network.layers[i].parameters();
  gradients = torch::zeros({static_cast<int64_t>(network.parameters() - first_trained)}, as_type);
  size_t offset = 0;
  torch::manual_seed(seed);
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    TorchLayer& own = layers.emplace_back(TorchLayer{layer, {}, {}});
    has_dropout = has_dropout || layer.kind == Layer::Kind::kDropout;
    if (layer.parameters() == 0) continue;
    const bool trained = i >= first_layer;
    const std::vector<int64_t> shape = WeightShape(layer);
    AddParameter(own.weight, shape, offset, trained);
    AddParameter(own.bias, {layer.out.channels}, offset, trained);
    const torch::NoGradGuard no_grad;
    // PyTorch's own beginning of such layers: uniform within 1 / sqrt(inputs).
    const auto inputs = static_cast<double>(own.weight.numel() / own.weight.size(0));
    const double bound = 1 / std::sqrt(inputs);
    own.weight.uniform_(-bound, bound);
    own.bias.uniform_(-bound, bound);
  }
}

torch::Tensor Replica::State::Images(const train::Batch& batch) const {
  // The batch outlives the step; torch only reads it.
  return torch::from_blob(
             const_cast<float*>(batch.pixels.data()),
             {static_cast<int64_t>(batch.size()), image.channels, image.height, image.width})
      .to(type);
}

torch::Tensor Replica::State::Output(const train::Batch& batch, bool training) const {
  torch::Tensor x = Images(batch);
  for (const TorchLayer& own : layers) {
    x = worker::Forward(own, x, training);
    // What the plain layers promise is what memory, forecasts and the next layer rely on.
    const train::ImageShape& out = own.layer.out;
    RECKON_CHECK(x.size(1) == out.channels &&
                 static_cast<size_t>(x.numel()) == batch.size() * out.pixels());
  }
  return x;
}

Replica::Replica(std::unique_ptr<State> state) : state_(std::move(state)) {}
Replica::~Replica() = default;

base::Result<std::unique_ptr<Replica>> Replica::Make(const train::Network& network,
                                                     const train::ImageShape& image,
                                                     const ReplicaOptions& options) {
  return CatchTorch(fmt::format("{} with {} parameters", network.name, network.parameters()),
                    [&]() -> base::Result<std::unique_ptr<Replica>> {
                      torch::set_num_threads(options.threads);
                      auto state = std::make_unique<State>();
                      state->image = image;
                      state->type = options.float64 ? torch::kFloat64 : torch::kFloat32;
                      state->seed = options.seed;
                      state->stream = options.stream;
                      state->Build(network, options);
                      return std::unique_ptr<Replica>(new Replica(std::move(state)));
                    });
}

namespace {

Reals View(const torch::Tensor& tensor) {
  return {tensor.data_ptr(), static_cast<size_t>(tensor.numel()),
          tensor.scalar_type() == torch::kFloat64};
}

}  // namespace

Reals Replica::parameters() const { return View(state_->parameters); }
Reals Replica::trained() const {
  return View(state_->parameters.narrow(0, static_cast<int64_t>(state_->first_trained),
                                        state_->gradients.numel()));
}
Reals Replica::gradients() const { return View(state_->gradients); }

void Replica::ZeroGradients() { state_->gradients.zero_(); }

base::Result<double> Replica::Backward(const train::Batch& batch, double scale, uint64_t step,
                                       GradientListener* listener) {
  return CatchTorch(
      fmt::format("training on a batch of {} images", batch.size()), [&]() -> base::Result<double> {
        // A run that goes on from a checkpoint drops what it would have dropped.
        if (state_->has_dropout) {
          torch::manual_seed((state_->seed * 1'000'003 + state_->stream) * 1'000'003 + step);
        }
        state_->gradients.zero_();
        const auto labels = torch::from_blob(const_cast<int64_t*>(batch.labels.data()),
                                             {static_cast<int64_t>(batch.size())}, torch::kInt64);
        const auto loss =
            torch::nll_loss(torch::log_softmax(state_->Output(batch, true), 1), labels);
        state_->listener = listener;
        (scale == 1 ? loss : loss * scale).backward();
        state_->listener = nullptr;
        return loss.item<double>();
      });
}

base::Result<std::vector<float>> Replica::Probabilities(const train::Batch& batch) {
  return CatchTorch(
      fmt::format("looking at {} images", batch.size()), [&]() -> base::Result<std::vector<float>> {
        const torch::NoGradGuard no_grad;
        const auto told =
            torch::softmax(state_->Output(batch, false), 1).to(torch::kFloat32).contiguous();
        const float* begin = told.data_ptr<float>();
        return std::vector<float>(begin, begin + told.numel());
      });
}

base::Result<size_t> Replica::CountCorrect(const train::Batch& batch) {
  return CatchTorch(
      fmt::format("validating on {} images", batch.size()), [&]() -> base::Result<size_t> {
        const torch::NoGradGuard no_grad;
        const auto labels = torch::from_blob(const_cast<int64_t*>(batch.labels.data()),
                                             {static_cast<int64_t>(batch.size())}, torch::kInt64);
        const auto told = state_->Output(batch, false).argmax(1);
        return static_cast<size_t>(told.eq(labels).sum().item<int64_t>());
      });
}

}  // namespace reckon::worker
