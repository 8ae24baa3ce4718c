#include "learn/features/feature_text.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "learn/features/feature_options_json.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FeatureTextTest, FormsMayNameColumns) {
  const FeatureOptions options =
      ParseFeatureOptions("raw, inverse=workers:cores,log=\"a,b:\"\"c\"\"\" : d").value();
  EXPECT_TRUE(options.raw && options.inverse && options.log);
  EXPECT_THAT(options.inverse_of, ElementsAre("workers", "cores"));
  EXPECT_THAT(options.log_of, ElementsAre("a,b:\"c\"", "d"));
  EXPECT_EQ(options.degree, 1);
  EXPECT_EQ(FeatureOptionsName(options), "raw+inverse of workers, cores+log of a,b:\"c\", d");
  const FeatureOptions products = ParseFeatureOptions("log,interactions").value();
  EXPECT_TRUE(products.interactions_only && !products.raw);
  EXPECT_TRUE(ParseFeatureOptions("interactions").value().raw);
  EXPECT_EQ(products.degree, 2);
}

TEST(FeatureTextTest, SaysWhatIsWrong) {
  EXPECT_THAT(ParseFeatureOptions("cube").error().message(), HasSubstr("'cube'"));
  EXPECT_THAT(ParseFeatureOptions("raw=workers").error().message(), HasSubstr("takes no columns"));
  for (const char* text :
       {"", "log=", "log=:a", "log=\"a", "log=a:", "log=\"a\"b", "raw,", "raw:a"}) {
    EXPECT_FALSE(ParseFeatureOptions(text).ok()) << text;
  }
}

TEST(FeatureTextTest, SelectionsInWords) {
  EXPECT_EQ(ParseTermSelection("forward")->way, TermSelection::Way::kForward);
  EXPECT_EQ(ParseTermSelection("importance=0.5")->gain_share, 0.5);
  for (const char* text :
       {"backward", "forward=2", "importance=0", "importance=1.5", "importance="}) {
    EXPECT_FALSE(ParseTermSelection(text).ok()) << text;
  }
}

Dataset TwoColumns() {
  core::Table table =
      support::NumberTable({{"workers", {1, 2, 4}}, {"load", {0, 1, 2}}, {"y", {10, 6, 4}}});
  support::AddCategories(table, "gpu", {"k80", "v100"}, {0, 1, 1});
  return support::MakeDataset(table, "y");
}

TEST(FeatureTextTest, NamedColumnsMustFit) {
  const Dataset data = TwoColumns();
  const auto problem = [&](const char* text) {
    const base::Status status = CheckFeatureColumns(ParseFeatureOptions(text).value(), data);
    return status.ok() ? std::string() : status.error().message();
  };
  EXPECT_EQ(problem("raw,inverse=workers,log=workers"), "");
  EXPECT_THAT(problem("log=wrokers"), HasSubstr("'workers'"));
  EXPECT_THAT(problem("log=gpu"), HasSubstr("category"));
  EXPECT_THAT(problem("inverse=load"), HasSubstr("other than 0"));
  EXPECT_THAT(problem("log=load"), HasSubstr("above 0"));
}

TEST(FeatureTextTest, OnlyTheNamedColumnsGetTheForm) {
  const Dataset data = support::MakeDataset(
      support::NumberTable({{"a", {1, 2, 4}}, {"b", {1, 3, 2}}, {"y", {1, 2, 3}}}), "y");
  const auto names = [&](const char* text) {
    std::vector<std::string> found;
    const auto map = MakeFeatures(data, ParseFeatureOptions(text).value(), 100);
    for (const Term& term : map->terms()) found.push_back(TermName(term, data.schema));
    return found;
  };
  EXPECT_THAT(names("raw,inverse=b,log=a"), ElementsAre("a", "log(a)", "b", "1/b"));
  EXPECT_THAT(names("log=a"), ElementsAre("log(a)", "b"));
  EXPECT_THAT(names("raw,log=a,interactions"),
              ElementsAre("a", "a * b", "log(a)", "log(a) * b", "b"));
}

// As a file has it: numbers are whole or not by what was written, not by what they were.
base::Json Written(const FeatureOptions& options) {
  return base::Json::parse(FeatureOptionsToJson(options).dump());
}

TEST(FeatureTextTest, ModelFilesKeepEverything) {
  FeatureOptions options = ParseFeatureOptions("inverse=a,log=b:c,interactions").value();
  options.select = {.way = TermSelection::Way::kImportance, .most_terms = 7, .gain_share = 0.8};
  EXPECT_EQ(FeatureOptionsFromJson(Written(options)).value(), options);
  // Files of earlier versions have four fields, and those of today no others unless needed.
  EXPECT_EQ(Written({}).size(), 4u);
  EXPECT_EQ(FeatureOptionsFromJson(Written({})).value(), FeatureOptions());
  base::Json damaged = Written(options);
  damaged["log_of"] = {1, 2};
  EXPECT_EQ(FeatureOptionsFromJson(damaged).error().code(), base::ErrorCode::kCorrupt);
  damaged = Written(options);
  damaged["select"]["way"] = "dice";
  EXPECT_EQ(FeatureOptionsFromJson(damaged).error().code(), base::ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace reckon::learn
