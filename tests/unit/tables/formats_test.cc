#include "tables/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

using testing::ElementsAre;

TEST(ParseFormat, KnowsItsNames) {
  EXPECT_EQ(*ParseFormat("samples"), Format::kTable);
  EXPECT_EQ(*ParseFormat("ernest"), Format::kErnest);
  EXPECT_EQ(*ParseFormat("extrap"), Format::kExtraP);
  EXPECT_EQ(*ParseFormat("adaptdl"), Format::kAdaptDl);
}

TEST(ParseFormat, SuggestsWhatWasMeant) {
  const auto error = [](const char* name) {
    const auto format = ParseFormat(name);
    EXPECT_FALSE(format.ok());
    EXPECT_EQ(format.error().code(), base::ErrorCode::kBadInput);
    return format.error().Describe();
  };
  EXPECT_EQ(error("earnest"), "unknown format 'earnest'; did you mean 'ernest'?");
  EXPECT_EQ(error("parquet"), "unknown format 'parquet'; known: samples, ernest, extrap, adaptdl");
}

TEST(ReadAs, ReadsEachFormat) {
  EXPECT_THAT(ReadFormat(Format::kTable, "a\n1\n").Names(), ElementsAre("a"));
  EXPECT_THAT(ReadFormat(Format::kErnest, "1,1,1\n").Names(),
              ElementsAre("machines", "scale", "time_s"));
  EXPECT_THAT(ReadFormat(Format::kExtraP, "PARAMETER p\nPOINTS 1\nDATA 5\n").Names(),
              ElementsAre("p", "region", "metric", "value"));
  EXPECT_THAT(ReadFormat(Format::kAdaptDl, "placement,step_time\n1,1\n").Names(),
              ElementsAre("placement", "num_nodes", "num_replicas", "step_time"));
}

TEST(ReadAs, LetsNobodyChooseFixedColumns) {
  ReadOptions options;
  options.category = {"machines"};
  EXPECT_EQ(ReadError("1,1,1\n", options, Format::kErnest),
            "the format 'ernest' fixes its columns: neither their kinds nor a delimiter can be "
            "chosen");
  options = {};
  options.delimiter = ';';
  EXPECT_EQ(ReadError("DATA 1\n", options, Format::kExtraP),
            "the format 'extrap' fixes its columns: neither their kinds nor a delimiter can be "
            "chosen");
}

TEST(ReadAs, StopsInEveryFormat) {
  std::stop_source stop;
  stop.request_stop();
  const std::string line = "{\"params\": {\"p\": 1}, \"value\": 1}\n";
  const std::vector<std::pair<Format, std::string>> cases{
      {Format::kTable, "a\n1\n"},
      {Format::kErnest, "1,1,1\n"},
      {Format::kExtraP, "PARAMETER p\nPOINTS 1\nDATA 1\n"},
      {Format::kExtraP, line + line},
      {Format::kExtraP,
       R"({"parameters": ["p"], "measurements": {"r": {"m": [{"point": [1], "values": [1]}]}}})"},
      {Format::kExtraP, R"({"parameters": [{"id": 1, "name": "p"}], "coordinates": [],
                            "callpaths": [], "metrics": [], "measurements": [{}]})"},
      {Format::kAdaptDl, "placement,step_time\n1,1\n"}};
  for (const auto& [format, text] : cases) {
    base::NoProgress progress;
    const Source source = Source::FromText(text, "x");
    const auto table = ReadAs(format, source, {}, stop.get_token(), progress);
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.error().code(), base::ErrorCode::kInterrupted);
  }
}

}  // namespace
}  // namespace reckon::tables
