#include "train/nets/network.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::train {
namespace {

using Kind = Layer::Kind;
using Knobs = std::map<std::string, std::string>;

constexpr int kMostFilters = 1024;
constexpr int kMostHidden = 65536;
// A layer's for one image: they are counted in int.
constexpr size_t kMostNumbers = std::numeric_limits<int>::max();

// Reads knobs and remembers which it was asked for, so that others can be refused.
class KnobReader {
 public:
  KnobReader(const std::string& network, const Knobs& knobs) : network_(network), knobs_(knobs) {}

  int Whole(const std::string& name, int fallback, int least, int most) {
    const std::string* text = Find(name, std::to_string(fallback));
    if (text == nullptr) return fallback;
    const auto value = base::ParseInteger(*text);
    if (value && *value >= least && *value <= most) return static_cast<int>(*value);
    return Refuse(name, *text, fmt::format("a whole number from {} to {}", least, most)), fallback;
  }

  double Share(const std::string& name, double fallback) {
    const std::string* text = Find(name, base::RoundTrip(fallback));
    if (text == nullptr) return fallback;
    const auto value = base::ParseNumber(*text);
    if (value && *value >= 0 && *value < 1) return *value;
    return Refuse(name, *text, "a number from 0 to below 1"), fallback;
  }

  template <typename T>
  T Word(const std::string& name, T fallback, const std::map<std::string, T>& words) {
    std::vector<std::string> known;
    std::string usual;
    for (const auto& [word, value] : words) {
      known.push_back(word);
      if (value == fallback) usual = word;
    }
    const std::string* text = Find(name, usual);
    if (text == nullptr) return fallback;
    const auto found = words.find(*text);
    if (found != words.end()) return found->second;
    return Refuse(name, *text, "one of " + base::Join(known, ", ")), fallback;
  }

  std::vector<int> Wholes(const std::string& name, std::vector<int> fallback, int most) {
    const std::string* text = Find(name, fmt::format("{}", fmt::join(fallback, ",")));
    if (text == nullptr) return fallback;
    std::vector<int> values;
    for (const std::string_view part : base::Split(*text, ',')) {
      const auto value = base::ParseInteger(base::Trim(part));
      if (!value || *value < 1 || *value > most) {
        return Refuse(name, *text, fmt::format("whole numbers from 1 to {}", most)), fallback;
      }
      values.push_back(static_cast<int>(*value));
    }
    return values;
  }

  // What was read, with what the job left open.
  const Knobs& used() const { return used_; }

  // The first thing that was wrong, or a knob that nobody asked for.
  base::Status Finish() const {
    if (!error_.empty()) return base::BadInput(error_).About("trainer.knobs." + wrong_);
    for (const auto& [name, value] : knobs_) {
      if (asked_.contains(name)) continue;
      const std::vector<std::string> known(asked_.begin(), asked_.end());
      return base::BadInput(fmt::format("network '{}' has no knob '{}'{}", network_, name,
                                        base::SuggestFrom(name, known)))
          .About("trainer.knobs." + name);
    }
    return {};
  }

 private:
  const std::string* Find(const std::string& name, const std::string& fallback) {
    asked_.insert(name);
    const auto found = knobs_.find(name);
    used_[name] = found == knobs_.end() ? fallback : found->second;
    return found == knobs_.end() ? nullptr : &found->second;
  }

  void Refuse(const std::string& name, const std::string& text, const std::string& expected) {
    if (!error_.empty()) return;
    wrong_ = name;
    error_ = fmt::format("{} = '{}' of network '{}'; expected {}", name, text, network_, expected);
  }

  const std::string& network_;
  const Knobs& knobs_;
  std::set<std::string> asked_;
  Knobs used_;
  std::string wrong_;  // the knob that `error_` speaks of
  std::string error_;
};

// Adds layers to each other and knows what is left of the image.
class Builder {
 public:
  Builder(std::string name, const ImageShape& image) : at_(image) {
    network_.name = std::move(name);
  }

  // A kernel or pool that is larger than what is left of the image is cut to that, so that every
  // combination of knobs is a network.
  void Convolution(int filters, int kernel, int stride, Padding padding) {
    const int fitting = std::min({kernel, at_.height, at_.width});
    const auto side = [&](int in) {
      return padding == Padding::kSame ? (in + stride - 1) / stride : (in - fitting) / stride + 1;
    };
    Add({.kind = Kind::kConvolution, .kernel = fitting, .stride = stride, .padding = padding},
        {filters, side(at_.height), side(at_.width)});
  }
  void MaxPool(int size) {
    const int fitting = std::min({size, at_.height, at_.width});
    Add({.kind = Kind::kMaxPool, .kernel = fitting, .stride = fitting},
        {at_.channels, at_.height / fitting, at_.width / fitting});
  }
  void MeanPool(int side) { Add({.kind = Kind::kMeanPool}, {at_.channels, side, side}); }
  void Activate(Activation activation) {
    Add({.kind = Kind::kActivation, .activation = activation}, at_);
  }
  void Dropout(double probability) {
    if (probability > 0) Add({.kind = Kind::kDropout, .dropout = probability}, at_);
  }
  void Flatten() {
    const size_t flat = std::min(at_.pixels(), kMostNumbers);
    Add({.kind = Kind::kFlatten}, {static_cast<int>(flat), 1, 1});
  }
  void Linear(int out) { Add({.kind = Kind::kLinear}, {out, 1, 1}); }

  base::Result<Network> Finish() && {
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      const size_t numbers = network_.layers[i].out.pixels();
      if (numbers < kMostNumbers) continue;
      return base::BadInput(
          fmt::format("layer {} of {} would give {} numbers an image; expected fewer than {}",
                      i + 1, network_.name, numbers, kMostNumbers));
    }
    return std::move(network_);
  }

 private:
  void Add(Layer layer, const ImageShape& out) {
    layer.in = at_;
    layer.out = out;
    network_.layers.push_back(layer);
    at_ = out;
  }

  Network network_;
  ImageShape at_;
};

const std::map<std::string, Activation>& Activations() {
  static const std::map<std::string, Activation> kWords{
      {"relu", Activation::kRelu}, {"tanh", Activation::kTanh}, {"sigmoid", Activation::kSigmoid}};
  return kWords;
}

// Two convolutions with pooling, two fully connected layers and the output (LeCun et al., 1998).
void LeNet5(KnobReader& knobs, int classes, Builder& net) {
  const int kernel = knobs.Whole("kernel", 5, 1, 64);
  const int pool = knobs.Whole("pool", 2, 1, 64);
  const int filters = knobs.Whole("filters", 6, 1, kMostFilters);
  const int stride = knobs.Whole("stride", 1, 1, 64);
  const double dropout = knobs.Share("dropout", 0);
  const auto activation = knobs.Word("activation", Activation::kRelu, Activations());
  const auto padding = knobs.Word<Padding>("padding", Padding::kValid,
                                           {{"valid", Padding::kValid}, {"same", Padding::kSame}});
  for (const int count : {filters, 2 * filters}) {
    net.Convolution(count, kernel, stride, padding);
    net.Activate(activation);
    net.MaxPool(pool);
  }
  net.Flatten();
  for (const int width : {120, 84}) {
    net.Linear(width);
    net.Activate(activation);
    net.Dropout(dropout);
  }
  net.Linear(classes);
}

// Convolutions of 3 x 3 with padding, halved each time, then fully connected layers.
void Cnn(KnobReader& knobs, const std::vector<int>& filters, const std::vector<int>& hidden,
         int classes, Builder& net) {
  const double dropout = knobs.Share("dropout", 0);
  for (size_t i = 0; i < filters.size(); ++i) {
    if (i > 0) net.MaxPool(2);
    net.Convolution(filters[i], 3, 1, Padding::kSame);
    net.Activate(Activation::kRelu);
  }
  net.MeanPool(2);
  net.Flatten();
  for (const int width : hidden) {
    net.Linear(width);
    net.Activate(Activation::kRelu);
    net.Dropout(dropout);
  }
  net.Linear(classes);
}

void Mlp(KnobReader& knobs, int classes, Builder& net) {
  const auto activation = knobs.Word("activation", Activation::kRelu, Activations());
  const double dropout = knobs.Share("dropout", 0);
  net.Flatten();
  for (const int width : knobs.Wholes("hidden", {512, 256}, kMostHidden)) {
    net.Linear(width);
    net.Activate(activation);
    net.Dropout(dropout);
  }
  net.Linear(classes);
}

}  // namespace

size_t Layer::parameters() const {
  const auto inputs = static_cast<size_t>(in.channels);
  const auto outputs = static_cast<size_t>(out.channels);
  const auto area = static_cast<size_t>(kernel) * static_cast<size_t>(kernel);
  if (kind == Kind::kConvolution) return outputs * (inputs * area + 1);
  if (kind == Kind::kLinear) return outputs * (inputs + 1);
  return 0;
}

size_t Network::parameters() const {
  size_t sum = 0;
  for (const Layer& layer : layers) sum += layer.parameters();
  return sum;
}

double Layer::multiply_adds() const {
  const double outputs = static_cast<double>(out.pixels());
  const double inputs = in.channels;
  if (kind == Kind::kConvolution) return outputs * inputs * kernel * kernel;
  if (kind == Kind::kLinear) return outputs * inputs;
  return 0;
}

double Layer::activations() const {
  const bool gives = kind == Kind::kConvolution || kind == Kind::kLinear;
  return gives ? static_cast<double>(out.pixels()) : 0;
}

double Network::activations() const {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.activations();
  return sum;
}

double Network::multiply_adds() const {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.multiply_adds();
  return sum;
}

size_t Network::FirstTrained(size_t count) const {
  if (count == 0) return 0;
  for (size_t i = layers.size(); i > 0; --i) {
    if (layers[i - 1].parameters() > 0 && --count == 0) return i - 1;
  }
  return 0;
}

std::vector<std::string> NetworkNames() { return {"lenet5", "cnn-small", "cnn-large", "mlp"}; }

base::Result<Network> BuildNetwork(const std::string& name, const Knobs& knobs,
                                   const ImageShape& image, int classes) {
  KnobReader reader(name, knobs);
  Builder net(name, image);
  if (name == "lenet5") {
    LeNet5(reader, classes, net);
  } else if (name == "cnn-small") {
    Cnn(reader, {32, 64, 128, 128}, {288}, classes, net);
  } else if (name == "cnn-large") {
    Cnn(reader, {64, 128, 256, 256}, {1536, 256}, classes, net);
  } else if (name == "mlp") {
    Mlp(reader, classes, net);
  } else {
    const std::vector<std::string> names = NetworkNames();
    return base::BadInput(
               fmt::format("unknown network '{}'{}", name, base::SuggestFrom(name, names)))
        .About("trainer.network");
  }
  RECKON_TRY(reader.Finish());
  auto network = std::move(net).Finish();
  if (!network.ok()) return std::move(network).error().About("trainer.network");
  network->knobs = reader.used();
  return network;
}

}  // namespace reckon::train
