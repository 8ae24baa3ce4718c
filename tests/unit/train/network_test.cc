#include "train/nets/network.h"

#include <gmock/gmock.h>

namespace reckon::train {
namespace {

using ::testing::HasSubstr;
using Knobs = std::map<std::string, std::string>;

TEST(NetworkTest, SizesAreThoseOfTheLiterature) {
  // LeCun's C1 has 156 parameters; the second convolution sees all six maps, and has twice as many.
  const Network lenet = BuildNetwork("lenet5", {}, {1, 32, 32}, 10).value();
  EXPECT_EQ(lenet.layers[0].parameters(), 156);
  EXPECT_EQ(lenet.layers[3].parameters(), 12U * (6 * 25 + 1));
  for (const ImageShape& shape : {kMnistShape, kCifarShape}) {
    EXPECT_NEAR(static_cast<double>(BuildNetwork("cnn-small", {}, shape, 10)->parameters()), 4e5,
                2e4);
    EXPECT_NEAR(static_cast<double>(BuildNetwork("cnn-large", {}, shape, 10)->parameters()), 3e6,
                1e5);
  }
  EXPECT_EQ(BuildNetwork("mlp", {{"hidden", "100, 50"}}, kMnistShape, 10)->parameters(),
            785U * 100 + 101 * 50 + 51 * 10);
}

TEST(NetworkTest, CountsMultiplyAdds) {
  // C1 of LeNet-5 has 6 maps of 28 x 28, each number from 5 x 5 pixels (LeCun et al., 1998).
  const Network lenet = BuildNetwork("lenet5", {}, {1, 32, 32}, 10).value();
  EXPECT_EQ(lenet.layers[0].multiply_adds(), 28 * 28 * 6 * 25);
  EXPECT_EQ(lenet.layers[1].multiply_adds(), 0);
  EXPECT_EQ(lenet.activations(), 28 * 28 * 6 + 10 * 10 * 12 + 120 + 84 + 10);
  EXPECT_EQ(lenet.layers[3].multiply_adds(), 10 * 10 * 12 * 25 * 6);
  EXPECT_EQ(BuildNetwork("mlp", {{"hidden", "100, 50"}}, kMnistShape, 10)->multiply_adds(),
            784 * 100 + 100 * 50 + 50 * 10);
}

// Every combination of Table 2 that changes a size, and every other value.
TEST(NetworkTest, HasTheKnobsOfTheTable) {
  for (const char* kernel : {"2", "3", "4", "5"}) {
    for (const char* pool : {"2", "3", "4", "5"}) {
      for (const char* stride : {"1", "2", "3"}) {
        for (const char* padding : {"valid", "same"}) {
          const Knobs knobs{
              {"kernel", kernel}, {"pool", pool}, {"stride", stride}, {"padding", padding}};
          const Network network = BuildNetwork("lenet5", knobs, kMnistShape, 10).value();
          for (const Layer& layer : network.layers) {
            EXPECT_TRUE(layer.out.height >= 1 && layer.out.width >= 1) << kernel << pool << stride;
          }
        }
      }
    }
  }
  const std::map<std::string, std::vector<std::string>> table{
      {"kernel", {"2", "3", "4", "5"}},
      {"pool", {"2", "3", "4", "5"}},
      {"activation", {"relu", "tanh", "sigmoid"}},
      {"filters", {"4", "8", "16", "32", "64"}},
      {"padding", {"valid", "same"}},
      {"stride", {"1", "2", "3"}},
      {"dropout", {"0.2", "0.5", "0.8"}}};
  for (const auto& [knob, values] : table) {
    for (const std::string& value : values) {
      for (const ImageShape& shape : {kMnistShape, kCifarShape}) {
        Knobs knobs{{"kernel", "2"}, {"pool", "2"}};
        knobs[knob] = value;
        const auto network = BuildNetwork("lenet5", knobs, shape, 10);
        EXPECT_TRUE(network.ok()) << knob << " " << value;
      }
    }
  }
}

TEST(NetworkTest, MistakesAreNamedBeforeAnythingStarts) {
  const auto problem = [](const std::string& name, const Knobs& knobs) {
    const auto network = BuildNetwork(name, knobs, kMnistShape, 10);
    EXPECT_FALSE(network.ok()) << name;
    return network.ok() ? "" : network.error().Describe();
  };
  EXPECT_THAT(problem("lenet", {}), HasSubstr("did you mean 'lenet5'"));
  EXPECT_THAT(problem("lenet5", {{"kernal", "3"}}), HasSubstr("did you mean 'kernel'"));
  EXPECT_THAT(problem("lenet5", {{"kernel", "0"}}), HasSubstr("from 1 to 64"));
  EXPECT_THAT(problem("lenet5", {{"activation", "gelu"}}), HasSubstr("relu, sigmoid, tanh"));
  EXPECT_THAT(problem("lenet5", {{"dropout", "1"}}), HasSubstr("from 0 to below 1"));
  EXPECT_THAT(problem("mlp", {{"hidden", "10,x"}}), HasSubstr("whole numbers"));
  EXPECT_THAT(problem("cnn-small", {{"kernel", "3"}}), HasSubstr("no knob 'kernel'"));
}

TEST(NetworkTest, ALayerThatIsTooLargeIsNamed) {
  const std::map<std::string, std::string> knobs{
      {"filters", "1024"}, {"padding", "same"}, {"pool", "1"}};
  EXPECT_TRUE(BuildNetwork("lenet5", knobs, {1, 1023, 1023}, 10).ok());
  EXPECT_THAT(BuildNetwork("lenet5", knobs, {1, 1024, 1024}, 10).error().Describe(),
              HasSubstr("layer 4 of lenet5 would give 2147483648 numbers an image; expected fewer "
                        "than 2147483647"));
}

TEST(NetworkTest, LayersFitEachOther) {
  for (const std::string& name : NetworkNames()) {
    const Network network = BuildNetwork(name, {}, kCifarShape, 10).value();
    EXPECT_EQ(network.layers.front().in, kCifarShape) << name;
    EXPECT_EQ(network.layers.back().out, (ImageShape{10, 1, 1})) << name;
    for (size_t i = 1; i < network.layers.size(); ++i) {
      EXPECT_EQ(network.layers[i].in, network.layers[i - 1].out) << name << i;
    }
  }
}

TEST(NetworkTest, FineTuningTrainsTheLastLayers) {
  const Network network = BuildNetwork("lenet5", {{"dropout", "0.5"}}, kMnistShape, 10).value();
  EXPECT_EQ(network.FirstTrained(0), 0);
  EXPECT_EQ(network.FirstTrained(1), network.layers.size() - 1);
  EXPECT_EQ(network.layers[network.FirstTrained(2)].kind, Layer::Kind::kLinear);
  EXPECT_EQ(network.layers[network.FirstTrained(4)].kind, Layer::Kind::kConvolution);
  EXPECT_EQ(network.FirstTrained(99), 0);
}

}  // namespace
}  // namespace reckon::train
