#include "base/named_values.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace reckon::base {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const std::vector<std::string> kNames{"--cpu", "--disk"};

Result<NamedValues> Take(const std::vector<std::string>& arguments) {
  return TakeNamedValues(arguments, kNames);
}

TEST(NamedValuesTest, BothSpellingsAreTakenAndTheLastCounts) {
  EXPECT_THAT(Take({"--cpu", "1", "--disk=a=b", "--cpu=-2"}).value(),
              ElementsAre(Pair("--cpu", "-2"), Pair("--disk", "a=b")));
  EXPECT_THAT(Take({"--cpu="}).value(), ElementsAre(Pair("--cpu", "")));
  EXPECT_TRUE(Take({}).value().empty());
}

TEST(NamedValuesTest, MistakesAreNamed) {
  EXPECT_EQ(Take({"--cup", "1"}).error().Describe(),
            "unknown option '--cup'; did you mean '--cpu'?");
  EXPECT_EQ(Take({"5"}).error().Describe(), "unknown option '5'; known: --cpu, --disk");
  EXPECT_EQ(Take({"--disk", "1", "--cpu"}).error().Describe(), "--cpu: expected a value");
  EXPECT_EQ(Take({"--cpu"}).error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(UnexpectedValue("--cpu", "x", "a number").Describe(), "--cpu: 'x'; expected a number");
}

}  // namespace
}  // namespace reckon::base
