#include "learn/features/choose_terms.h"

#include <cmath>

#include <gmock/gmock.h>

#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using support::MakeDataset;
using support::NumberTable;

// y depends on the first and the fourth of six columns.
Dataset TwoOfSix() {
  base::Rng rng(11);
  std::vector<support::NamedColumn> columns;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    columns.push_back({name, {}});
    for (int i = 0; i < 120; ++i) columns.back().second.push_back(1 + rng.Uniform());
  }
  columns.push_back({"y", {}});
  for (size_t i = 0; i < 120; ++i) {
    columns[6].second.push_back(5 * columns[0].second[i] - 3 * columns[3].second[i] +
                                0.02 * rng.Normal());
  }
  return MakeDataset(NumberTable(columns), "y");
}

std::vector<std::string> Chosen(const Dataset& data, const TermSelection& selection) {
  FeatureOptions options;
  options.select = selection;
  const FeatureMap map = ChooseTerms(data, data.y, options, 100, base::Rng(1)).value();
  std::vector<std::string> names;
  for (const Term& term : map.terms()) names.push_back(TermName(term, data.schema));
  return names;
}

TEST(ChooseTermsTest, BothWaysKeepTheInformativeColumns) {
  const Dataset data = TwoOfSix();
  using Way = TermSelection::Way;
  EXPECT_THAT(Chosen(data, {.way = Way::kForward, .most_terms = 2}),
              ::testing::ElementsAre("a", "d"));
  EXPECT_THAT(Chosen(data, {.way = Way::kImportance, .gain_share = 0.9}),
              ::testing::ElementsAre("a", "d"));
  EXPECT_THAT(Chosen(data, {.way = Way::kImportance, .most_terms = 1}),
              ::testing::ElementsAre("a"));
  EXPECT_THAT(Chosen(data, {}), ::testing::SizeIs(6));
  EXPECT_THAT(Chosen(data, {.way = Way::kForward}), ::testing::IsSupersetOf({"a", "d"}));
}

TEST(ChooseTermsTest, SharesOfTheGainAddUp) {
  const Dataset data = TwoOfSix();
  const Vector shares = GainShares(data.x, data.y, base::Rng(1));
  EXPECT_NEAR(shares.sum(), 1, 1e-12);
  EXPECT_GT(shares(0), shares(3));
  EXPECT_GT(shares(3), 5 * shares(1));
  const Vector flat = Vector::Constant(data.y.size(), 2);
  EXPECT_EQ(GainShares(data.x, flat, base::Rng(1)).sum(), 0);
}

TEST(ChooseTermsTest, AnInterruptIsHeard) {
  std::stop_source stop;
  stop.request_stop();
  FeatureOptions options;
  options.select.way = TermSelection::Way::kForward;
  const auto map =
      ChooseTerms(TwoOfSix(), Vector::Ones(120), options, 100, base::Rng(1), stop.get_token());
  ASSERT_FALSE(map.ok());
  EXPECT_EQ(map.error().code(), base::ErrorCode::kInterrupted);
}

TEST(ChooseTermsTest, TooManyTermsAreRefused) {
  EXPECT_FALSE(ChooseTerms(TwoOfSix(), Vector::Ones(120), {.degree = 3}, 10, base::Rng(1)).ok());
}

}  // namespace
}  // namespace reckon::learn
