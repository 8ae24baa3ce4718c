#include "decide/recommend/search.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/table_builder.h"

namespace reckon::decide {
namespace {

// Machines of three kinds, 2 to 48 of them; a job with a part that does not scale and a memory
// that small clusters do not have.
class SearchTest : public testing::Test {
 protected:
  SearchTest() {
    core::TableBuilder builder;
    for (const auto& [name, cpus, memory, price] :
         {std::tuple("c", 4.0, 8.0, 0.2), std::tuple("m", 4.0, 16.0, 0.25),
          std::tuple("r", 4.0, 32.0, 0.35)}) {
      for (const double nodes : {2., 4., 6., 8., 12., 16., 24., 32., 48.}) {
        builder.AddRow(
            {{"machine", name}, {"vcpus", cpus}, {"memory_gib", memory}, {"nodes", nodes}});
        price_.push_back(price * nodes);
        const double total = memory * nodes;
        ok_.push_back(total >= 60);
        seconds_.push_back(120 + 40000 / (cpus * nodes) * (total < 128 ? 2 : 1));
      }
    }
    table_ = std::move(builder).Finish("configurations");
  }

  double Cost(size_t row) const { return price_[row] * seconds_[row] / 3600; }
  double Best() const {
    double best = INFINITY;
    for (size_t row = 0; row < price_.size(); ++row) {
      if (ok_[row]) best = std::min(best, Cost(row));
    }
    return best;
  }
  std::vector<Trial> Try(const ConfigurationSearch& search, size_t most) const {
    std::vector<Trial> tried;
    while (tried.size() < most) {
      const auto next = search.Next(tried).value();
      if (!next) break;
      tried.push_back({next->row, seconds_[next->row], ok_[next->row]});
    }
    return tried;
  }

  core::Table table_;
  std::vector<double> price_;
  std::vector<double> seconds_;
  std::vector<bool> ok_;
};

TEST_F(SearchTest, FindsOneThatWorksAndIsNotDear) {
  double excess = 0;
  double anybody = 0;
  constexpr int kSeeds = 10;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const ConfigurationSearch search(table_, price_, {.seed = seed});
    const Recommended chosen = search.Recommend(Try(search, 8)).value();
    EXPECT_TRUE(ok_[chosen.row]) << seed;
    excess += Cost(chosen.row) / Best() - 1;
  }
  double working = 0;
  for (size_t row = 0; row < price_.size(); ++row) {
    anybody += ok_[row] ? Cost(row) / Best() - 1 : 0;
    working += ok_[row] ? 1 : 0;
  }
  EXPECT_LT(excess / kSeeds, 0.5 * anybody / working);
}

TEST_F(SearchTest, TriesNothingTwiceAndEndsWhenAllIsTried) {
  const ConfigurationSearch search(table_, price_, {.seed = 3, .runs = 1e12});
  const std::vector<Trial> tried = Try(search, 1000);
  std::set<size_t> rows;
  for (const Trial& trial : tried) EXPECT_TRUE(rows.insert(trial.row).second);
  EXPECT_GE(tried.size(), 20U);
  std::vector<Trial> all;
  for (size_t row = 0; row < price_.size(); ++row) all.push_back({row, seconds_[row], ok_[row]});
  EXPECT_FALSE(search.Next(all).value().has_value());
}

TEST_F(SearchTest, WhatIsExcludedIsNeverChosen) {
  const ConfigurationSearch search(table_, price_, {.seed = 2, .runs = 1e12});
  std::vector<size_t> excluded;
  for (size_t row = 0; row + 1 < price_.size(); ++row) excluded.push_back(row);
  const auto first = search.Next({}, {}, excluded).value();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->row, price_.size() - 1);
  const std::vector<Trial> tried{{3, 900, true}, {4, 800, true}, {5, 700, true}};
  const auto later = search.Next(tried, {}, excluded).value();
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(later->row, price_.size() - 1);
  excluded.push_back(price_.size() - 1);
  EXPECT_FALSE(search.Next({}, {}, excluded).value().has_value());
  EXPECT_FALSE(search.Next(tried, {}, excluded).value().has_value());
}

TEST_F(SearchTest, StopsWhenTrialsAreNotWorthTheirPrice) {
  const auto trials = [&](double runs) {
    return Try(ConfigurationSearch(table_, price_, {.seed = 1, .runs = runs}), 1000).size();
  };
  EXPECT_LT(trials(1), 8U);
  EXPECT_LE(trials(1), trials(1000));
}

TEST_F(SearchTest, KeepsToABudget) {
  const ConfigurationSearch search(table_, price_, {.seed = 1});
  std::vector<Trial> tried = Try(search, 4);
  SearchEnd why{};
  const auto next = search.Next(tried, 1e-6, {}, &why).value();
  EXPECT_FALSE(next.has_value());
  EXPECT_EQ(why, SearchEnd::kBudget);
  // Also among the first ones, once one has told what trials cost.
  tried.resize(1);
  EXPECT_FALSE(search.Next(tried, 1e-6).value().has_value());
  EXPECT_TRUE(search.Next(tried, 1e6).value().has_value());
  EXPECT_FALSE(search.Next({}, 0.0).value().has_value());
}

TEST_F(SearchTest, WhatHasFailedIsNotRecommended) {
  core::TableBuilder builder;
  builder.AddRow({{"nodes", 1.0}});
  builder.AddRow({{"nodes", 2.0}});
  builder.AddRow({{"nodes", 64.0}});
  const ConfigurationSearch search(std::move(builder).Finish("two"), {1, 2, 1000}, {});
  EXPECT_EQ(search.Recommend({{0, 3600, false}, {1, 3600, true}}).value().row, 1U);
  // Nothing has succeeded: not the dear failure, nor the cheap one.
  const Recommended hope = search.Recommend({{0, 10, false}, {1, 10, false}}).value();
  EXPECT_EQ(hope.row, 2U);
  EXPECT_TRUE(hope.hope);
  EXPECT_FALSE(hope.tried);
}

TEST_F(SearchTest, WhatNeverSucceedsIsSaidToBeUnlikely) {
  const ConfigurationSearch search(table_, price_, {.seed = 1});
  std::vector<Trial> tried;
  for (int i = 0; i < 6; ++i) {
    const auto next = search.Next(tried).value();
    ASSERT_TRUE(next.has_value());
    tried.push_back({next->row, 600, false});
  }
  EXPECT_LT(search.Recommend(tried).value().success, 0.5);
}

TEST(BelieverTest, WhatWasCutShortTakesLonger) {
  core::TableBuilder builder;
  for (double nodes = 1; nodes <= 32; nodes *= 2) builder.AddRow({{"nodes", nodes}});
  const core::Table table = std::move(builder).Finish("configurations");
  const Believer believer(table);
  // 1024 s of work, cut after 300 s: what one and two nodes take was not seen.
  std::vector<Trial> tried{{0, 300, false}, {1, 300, false}, {2, 256, true},
                           {3, 128, true},  {4, 64, true},   {5, 32, true}};
  const Belief belief = believer.Believe(tried).value();
  EXPECT_GT(belief.ExpectedSeconds(0), 450);
  EXPECT_GT(belief.ExpectedSeconds(1), 330);
  EXPECT_NEAR(belief.ExpectedSeconds(4), 64, 20);
}

}  // namespace
}  // namespace reckon::decide
