// Which candidates are blended beyond the range, and how much of each.
#include "learn/search/choose_blend.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>

#include "learn/regressors/registry.h"

namespace reckon::learn {
namespace {

struct Entry {
  const char* technique;
  size_t trial;
  double score;
};

// Weights by the place in `entries`.
std::map<size_t, double> Blend(const std::vector<Entry>& entries) {
  std::vector<Scored> scored;
  for (const Entry& entry : entries) {
    scored.push_back(
        {entry.trial, 0, FindTechnique(entry.technique).value(), entry.score, Vector::Ones(2)});
  }
  Question question;
  question.extrapolate = 0;
  std::map<size_t, double> weights;
  size_t before = 0;
  for (const BlendPart& part : ChooseBlend(scored, {}, question)) {
    EXPECT_TRUE(weights.empty() || part.scored > before) << "best first";
    before = part.scored;
    weights[part.scored] = part.weight;
  }
  return weights;
}

TEST(ChooseBlendTest, WeighsByScoreAndTakesOneOfAGroup) {
  const auto weights =
      Blend({{"powers", 0, 0.1}, {"powers", 0, 0.11}, {"steps", 1, 0.2}, {"ridge", 2, 0.26}});
  ASSERT_EQ(weights.size(), 2U);  // the last is too far behind
  EXPECT_NEAR(weights.at(0), 0.8, 1e-12);
  EXPECT_NEAR(weights.at(2), 0.2, 1e-12);
}

TEST(ChooseBlendTest, ManyOfOneTechniqueWeighAsTheRootOfTheirNumber) {
  const auto weights = Blend({{"powers", 0, 0.1},
                              {"powers", 1, 0.1},
                              {"powers", 2, 0.1},
                              {"powers", 3, 0.1},
                              {"steps", 4, 0.1}});
  ASSERT_EQ(weights.size(), 5U);
  EXPECT_NEAR(weights.at(4), 1.0 / 3, 1e-12);
  EXPECT_NEAR(weights.at(0), 1.0 / 6, 1e-12);
}

TEST(ChooseBlendTest, ATechniqueNearTheBestHasASeat) {
  std::vector<Entry> entries;
  for (size_t i = 0; i < 15; ++i)
    entries.push_back({"powers", i, 0.1 + 0.0005 * static_cast<double>(i)});
  entries.push_back({"steps", 15, 0.114});
  entries.push_back({"ridge", 16, 0.12});
  const auto weights = Blend(entries);
  EXPECT_EQ(weights.size(), 12U);
  EXPECT_TRUE(weights.contains(15));
  EXPECT_TRUE(weights.contains(10));
  EXPECT_FALSE(weights.contains(11));
  EXPECT_FALSE(weights.contains(16));
  double sum = 0;
  for (const auto& [place, weight] : weights) sum += weight;
  EXPECT_NEAR(sum, 1, 1e-12);
}

}  // namespace
}  // namespace reckon::learn
