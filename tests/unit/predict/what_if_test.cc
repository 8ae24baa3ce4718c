#include "predict/what_if.h"

#include <gmock/gmock.h>

namespace reckon::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

learn::Schema Cluster() {
  learn::Schema schema;
  schema.target = "y";
  schema.inputs.push_back({.name = "workers", .min = 1, .max = 16, .typical = 4, .levels = {}});
  schema.inputs.push_back({.name = "gpu",
                           .kind = core::ColumnKind::kCategory,
                           .typical = 1,
                           .levels = {"k80", "v100"}});
  return schema;
}

std::vector<double> Workers(const std::string& values) {
  const auto what_if = BuildWhatIf(Cluster(), {"workers=" + values});
  EXPECT_TRUE(what_if.ok()) << what_if.error().Describe();
  std::vector<double> numbers;
  for (size_t row = 0; row < what_if->questions.row_count; ++row) {
    numbers.push_back(what_if->questions.columns[0][row]);
  }
  return numbers;
}

std::string Problem(const std::vector<std::string>& settings) {
  const auto what_if = BuildWhatIf(Cluster(), settings);
  return what_if.ok() ? "accepted" : what_if.error().Describe();
}

TEST(WhatIfTest, ValuesListsAndRanges) {
  EXPECT_THAT(Workers("7"), ElementsAre(7));
  EXPECT_THAT(Workers("1,2,4"), ElementsAre(1, 2, 4));
  EXPECT_THAT(Workers("1..4"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Workers("0..100:25"), ElementsAre(0, 25, 50, 75, 100));
  EXPECT_THAT(Workers("1..64*2"), ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_THAT(Workers("1..3,10"), ElementsAre(1, 2, 3, 10));
  EXPECT_THAT(Workers("3..3"), ElementsAre(3));
  EXPECT_EQ(Workers("0..1:0.1").size(), 11);
  EXPECT_EQ(Workers("0.5..2.5").size(), 64);
  EXPECT_EQ(Workers("1..64").size(), 64);
}

TEST(WhatIfTest, LongRangesAreThinned) {
  const std::vector<double> many = Workers("1..1000000");
  EXPECT_LE(many.size(), 512);
  EXPECT_GT(many.size(), 256);
  EXPECT_EQ(many.front(), 1);
}

TEST(WhatIfTest, CombinationsAndTypicalValues) {
  const WhatIf both = BuildWhatIf(Cluster(), {"gpu=k80,v100", "workers=1,2"}).value();
  EXPECT_EQ(both.questions.row_count, 4);
  EXPECT_EQ(both.questions.columns[1].Text(0), "k80");
  EXPECT_EQ(both.questions.columns[1].Text(1), "v100");
  EXPECT_EQ(both.questions.columns[0].Text(2), "2");
  EXPECT_THAT(both.varied, ElementsAre(0, 1));
  const WhatIf one = BuildWhatIf(Cluster(), {"workers=8"}).value();
  EXPECT_EQ(one.questions.columns[1].Text(0), "v100");
  EXPECT_THAT(one.notes, ElementsAre(HasSubstr("gpu not set: 'v100' taken")));
  // A category nobody measured is a question like any other.
  EXPECT_EQ(BuildWhatIf(Cluster(), {"gpu=h100"})->questions.columns[1].Text(0), "h100");
}

TEST(WhatIfTest, MistakesAreNamed) {
  EXPECT_THAT(Problem({"nodes=3"}), HasSubstr("'nodes' is no input column"));
  EXPECT_THAT(Problem({"workers"}), HasSubstr("expected COLUMN=VALUES"));
  EXPECT_THAT(Problem({"workers=x"}), HasSubstr("'x' is not a number"));
  EXPECT_THAT(Problem({"workers="}), HasSubstr("a value is missing"));
  EXPECT_THAT(Problem({"workers=8..1"}), HasSubstr("backwards"));
  EXPECT_THAT(Problem({"workers=1..x"}), HasSubstr("expected a range"));
  EXPECT_THAT(Problem({"workers=1..9:0"}), HasSubstr("above 0"));
  EXPECT_THAT(Problem({"workers=1..9:-1"}), HasSubstr("above 0"));
  EXPECT_THAT(Problem({"workers=1..9*1"}), HasSubstr("above 1"));
  EXPECT_THAT(Problem({"workers=0..9*2"}), HasSubstr("above"));
  EXPECT_THAT(Problem({"workers=1..1000000000:1"}), HasSubstr("more than"));
  EXPECT_THAT(Problem({"workers=1..64*1.0000001"}), HasSubstr("more than"));
  EXPECT_THAT(Problem({"workers=-1e308..1e308"}), HasSubstr("too wide"));
  EXPECT_THAT(Problem({"gpu=\"k80\","}), HasSubstr("a value is missing"));
  EXPECT_THAT(Problem({"gpu=\xFF"}), HasSubstr("UTF-8"));
  EXPECT_THAT(Problem({"workers=1", "workers=2"}), HasSubstr("twice"));
  EXPECT_THAT(Problem({"workers=nan"}), HasSubstr("is not a number"));
}

TEST(WhatIfTest, LongRangesAreThinnedToTheirEndsWithANote) {
  const WhatIf what_if = BuildWhatIf(Cluster(), {"workers=1..10000", "gpu=k80"}).value();
  const core::Column& workers = what_if.questions.columns[0];
  EXPECT_LE(workers.size(), 512U);
  EXPECT_EQ(workers.Text(0), "1");
  EXPECT_EQ(workers.Text(workers.size() - 1), "10000");
  EXPECT_THAT(what_if.notes, ElementsAre(HasSubstr("thinned to")));
  const WhatIf whole = BuildWhatIf(Cluster(), {"workers=1..512", "gpu=k80"}).value();
  EXPECT_EQ(whole.questions.row_count, 512U);
  EXPECT_TRUE(whole.notes.empty());
}

TEST(WhatIfTest, StepsCarryNoRounding) {
  const WhatIf what_if = BuildWhatIf(Cluster(), {"workers=0.1..0.5:0.1"}).value();
  EXPECT_EQ(what_if.questions.columns[0].Text(2), "0.3");
}

TEST(WhatIfTest, NamesAndLevelsMayHoldSigns) {
  learn::Schema schema = Cluster();
  schema.inputs[1].name = "gpu = type";
  schema.inputs[1].levels = {"k80, old", "v100"};
  const WhatIf what_if = BuildWhatIf(schema, {"gpu = type=\"k80, old\",v100", "workers=1"}).value();
  EXPECT_EQ(what_if.questions.columns[1].Text(0), "k80, old");
  EXPECT_EQ(what_if.questions.columns[1].Text(1), "v100");
  EXPECT_THAT(Problem({"gpu=\"k80"}), HasSubstr("a quote is not closed"));
}

}  // namespace
}  // namespace reckon::predict
