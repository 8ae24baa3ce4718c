#include "tables/adapters/extrap_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

using testing::ElementsAre;

core::Table ReadJson(std::string text) { return ReadFormat(Format::kExtraP, std::move(text)); }
std::string JsonError(std::string text) { return FormatError(Format::kExtraP, std::move(text)); }

TEST(ExtraPJson, ReadsTheNewerForm) {
  const core::Table table = ReadJson(R"( {
    "parameters": ["p", "n"],
    "measurements": {
      "main->a": {"time": [{"point": [1, 2], "values": [5, 6.5]}, {"point": [2, 4], "values": [7]}],
                  "bytes": [{"point": [1, 2], "values": [8]}]},
      "io": {"time": [{"point": [3, 6], "values": [9]}]}}})");
  EXPECT_THAT(table.Names(), ElementsAre("p", "n", "region", "metric", "value"));
  EXPECT_THAT(Cells(table, "p"), ElementsAre("1", "1", "2", "1", "3"));
  EXPECT_THAT(Cells(table, "n"), ElementsAre("2", "2", "4", "2", "6"));
  EXPECT_THAT(Cells(table, "region"),
              ElementsAre("main->a", "main->a", "main->a", "main->a", "io"));
  EXPECT_THAT(Cells(table, "metric"), ElementsAre("time", "time", "time", "bytes", "time"));
  EXPECT_THAT(Cells(table, "value"), ElementsAre("5", "6.5", "7", "8", "9"));
  EXPECT_TRUE(table.lines.empty());
  EXPECT_EQ(table.row_count, 5U);
  EXPECT_EQ(table.Place(1), "runs.csv, row 2");
}

TEST(ExtraPJson, NamesUnnamedRegionsAndMetrics) {
  const core::Table table = ReadJson(
      R"({"parameters": ["p"], "measurements": {"": {"": [{"point": [1], "values": [5]}]}}})");
  EXPECT_THAT(Cells(table, "region"), ElementsAre("main"));
  EXPECT_THAT(Cells(table, "metric"), ElementsAre("time"));
}

TEST(ExtraPJson, NamesThePlaceOfAMistakeInTheNewerForm) {
  const auto with_point = [](const std::string& point) {
    return JsonError(R"({"parameters": ["p"], "measurements": {"r": {"m": [)" + point + "]}}}");
  };
  EXPECT_EQ(with_point("1"), "runs.csv: /measurements/r/m/0: expected an object, found number");
  EXPECT_EQ(with_point("{}"), "runs.csv: /measurements/r/m/0: 'point' is missing");
  EXPECT_EQ(with_point(R"({"point": [1]})"), "runs.csv: /measurements/r/m/0: 'values' is missing");
  EXPECT_EQ(with_point(R"({"point": 1, "values": [1]})"),
            "runs.csv: /measurements/r/m/0/point: expected a list of numbers, found number");
  EXPECT_EQ(with_point(R"({"point": ["1"], "values": [1]})"),
            "runs.csv: /measurements/r/m/0/point/0: expected a number, found string");
  EXPECT_EQ(with_point(R"({"point": [1, 2], "values": [1]})"),
            "runs.csv: /measurements/r/m/0/point: 2 coordinates, expected 1");
  EXPECT_EQ(with_point(R"({"point": [1], "values": []})"),
            "runs.csv: /measurements/r/m/0/values: the list is empty");
  EXPECT_EQ(with_point(R"({"point": [1], "values": [1, null]})"),
            "runs.csv: /measurements/r/m/0/values/1: expected a number, found null");
  EXPECT_EQ(JsonError(R"({"parameters": ["p"], "measurements": {"r": {"m": 1}}})"),
            "runs.csv: /measurements/r/m: expected a list, found number");
  EXPECT_EQ(JsonError(R"({"parameters": ["p"], "measurements": {"r": 1}})"),
            "runs.csv: /measurements/r: expected an object, found number");
  EXPECT_EQ(JsonError(R"({"parameters": ["p"], "measurements": 1})"),
            "runs.csv: /measurements: expected an object, found number");
  EXPECT_EQ(JsonError(R"({"parameters": ["p"], "measurements": {"a\u0000b": {}}})"),
            "runs.csv: /measurements: a name with a NUL character");
  EXPECT_EQ(JsonError(R"({"parameters": ["p"], "measurements": {}})"),
            "runs.csv has no measurements");
  EXPECT_EQ(JsonError(R"({"parameters": ["p"]})"), "runs.csv: 'measurements' is missing");
  EXPECT_EQ(JsonError(R"({"measurements": {}})"), "runs.csv: 'parameters' is missing");
  EXPECT_EQ(JsonError(R"({"parameters": [], "measurements": {}})"),
            "runs.csv: /parameters: the list is empty");
  EXPECT_EQ(JsonError(R"({"parameters": "p", "measurements": {}})"),
            "runs.csv: /parameters: expected a list, found string");
  EXPECT_EQ(JsonError(R"({"parameters": ["p", 1], "measurements": {}})"),
            "runs.csv: /parameters/1: expected a text, found number");
  EXPECT_EQ(JsonError(R"({"parameters": ["p", "p"], "measurements": {}})"),
            "runs.csv: /parameters/1: two parameters are named 'p'");
  EXPECT_EQ(JsonError(R"({"parameters": ["region"], "measurements": {}})"),
            "runs.csv: /parameters/0: a parameter cannot be named 'region'");
  EXPECT_EQ(JsonError(R"({"parameters": [" "], "measurements": {}})"),
            "runs.csv: /parameters/0: a parameter has no name");
}

// A document of the older form with parts replaced.
std::string Older(const std::string& part = "", const std::string& value = "") {
  const std::vector<std::pair<std::string, std::string>> parts{
      {"parameters", R"([{"id": 1, "name": "p"}, {"id": 2, "name": "n"}])"},
      {"coordinates",
       R"([{"id": 10, "parameter_value_pairs": [{"parameter_id": 2, "parameter_value": 8},
                                                {"parameter_id": 1, "parameter_value": 4}]},
           {"id": 11, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 5},
                                                {"parameter_id": 2, "parameter_value": 9}]}])"},
      {"callpaths", R"([{"id": 1, "name": "main"}, {"id": 2, "name": "io"}])"},
      {"metrics", R"([{"id": 7, "name": "time"}])"},
      {"measurements",
       R"([{"id": 1, "callpath_id": 2, "coordinate_id": 11, "metric_id": 7, "value": 1.5},
           {"id": 2, "callpath_id": 1, "coordinate_id": 10, "metric_id": 7, "value": [2, 3]}])"}};
  std::string text = "{";
  for (const auto& [name, good] : parts) {
    if (name == part && value.empty()) continue;
    text += (text.size() > 1 ? ",\"" : "\"") + name + "\":" + (name == part ? value : good);
  }
  return text + "}";
}

TEST(ExtraPJson, ReadsTheOlderForm) {
  const core::Table table = ReadJson(Older());
  EXPECT_THAT(table.Names(), ElementsAre("p", "n", "region", "metric", "value"));
  EXPECT_THAT(Cells(table, "p"), ElementsAre("5", "4", "4"));
  EXPECT_THAT(Cells(table, "n"), ElementsAre("9", "8", "8"));
  EXPECT_THAT(Cells(table, "region"), ElementsAre("io", "main", "main"));
  EXPECT_THAT(Cells(table, "metric"), ElementsAre("time", "time", "time"));
  EXPECT_THAT(Cells(table, "value"), ElementsAre("1.5", "2", "3"));
}

TEST(ExtraPJson, NamesThePlaceOfAMistakeInTheOlderForm) {
  for (const char* part : {"parameters", "coordinates", "callpaths", "metrics", "measurements"}) {
    EXPECT_EQ(JsonError(Older(part)), "runs.csv: '" + std::string(part) + "' is missing");
  }
  EXPECT_EQ(JsonError(Older("parameters", "[]")), "runs.csv: /parameters: the list is empty");
  EXPECT_EQ(JsonError(Older("parameters", R"([{"id": 1, "name": "p"}, {"id": 1, "name": "n"}])")),
            "runs.csv: /parameters/1/id: 1 is there twice");
  EXPECT_EQ(JsonError(Older("parameters", R"([{"id": "1", "name": "p"}])")),
            "runs.csv: /parameters/0/id: expected a whole number, found string");
  EXPECT_EQ(JsonError(Older("parameters", R"([{"id": 1, "name": "p"}])")),
            "runs.csv: /coordinates/0/parameter_value_pairs/0/parameter_id: no parameter has the "
            "id 2");
  EXPECT_EQ(JsonError(Older("coordinates", R"([{"id": 10, "parameter_value_pairs": []}])")),
            "runs.csv: /coordinates/0/parameter_value_pairs: expected 2 parameters");
  EXPECT_EQ(JsonError(Older("coordinates",
                            R"([{"id": 10, "parameter_value_pairs": [
                            {"parameter_id": 1, "parameter_value": 1},
                            {"parameter_id": 1, "parameter_value": 1}]}])")),
            "runs.csv: /coordinates/0/parameter_value_pairs/1: the parameter is there twice");
  EXPECT_EQ(JsonError(Older("coordinates",
                            R"([{"id": 10, "parameter_value_pairs": [
                            {"parameter_id": 1, "parameter_value": "x"}]}])")),
            "runs.csv: /coordinates/0/parameter_value_pairs/0/parameter_value: expected a number, "
            "found string");
  EXPECT_EQ(JsonError(Older("callpaths", R"([{"id": 1}])")),
            "runs.csv: /callpaths/0: 'name' is missing");
  EXPECT_EQ(JsonError(Older("metrics", R"([{"id": 8, "name": "time"}])")),
            "runs.csv: /measurements/0/metric_id: no metric has the id 7");
  EXPECT_EQ(JsonError(Older("measurements", "[{}]")),
            "runs.csv: /measurements/0: 'coordinate_id' is missing");
  EXPECT_EQ(JsonError(Older("measurements",
                            R"([{"callpath_id": 1, "coordinate_id": 10, "metric_id": 7,
                             "value": "1"}])")),
            "runs.csv: /measurements/0/value: expected a list of numbers, found string");
  EXPECT_EQ(JsonError(Older("measurements", "[]")), "runs.csv has no measurements");
}

TEST(ExtraPJsonLines, ReadsALineForEachMeasurement) {
  const core::Table table = ReadJson(
      "{\"params\": {\"p\": 1, \"n\": 2}, \"value\": 5, \"callpath\": \"io\", \"metric\": \"b\"}\n"
      "\n"
      "{\"value\": [6, 7], \"params\": {\"n\": 4, \"p\": 3}}\r\n");
  EXPECT_THAT(table.Names(), ElementsAre("p", "n", "region", "metric", "value"));
  EXPECT_THAT(Cells(table, "p"), ElementsAre("1", "3", "3"));
  EXPECT_THAT(Cells(table, "n"), ElementsAre("2", "4", "4"));
  EXPECT_THAT(Cells(table, "region"), ElementsAre("io", "main", "main"));
  EXPECT_THAT(Cells(table, "metric"), ElementsAre("b", "time", "time"));
  EXPECT_THAT(Cells(table, "value"), ElementsAre("5", "6", "7"));
  EXPECT_THAT(table.lines, ElementsAre(1, 3, 3));
}

TEST(ExtraPJsonLines, ReadsASingleOne) {
  const core::Table table = ReadJson("\n{\"params\": {\"p\": 1},\n \"value\": 5}\n");
  EXPECT_THAT(Cells(table, "value"), ElementsAre("5"));
  EXPECT_THAT(table.lines, ElementsAre(2));
}

TEST(ExtraPJsonLines, NamesTheLineOfAMistake) {
  const std::string good = "{\"params\": {\"p\": 1}, \"value\": 5}\n";
  EXPECT_EQ(JsonError(good + "\n{\"params\": \n"), "runs.csv, line 3: not valid JSON");
  EXPECT_EQ(JsonError(good + "[]\n"), "runs.csv, line 2: expected an object, found array");
  EXPECT_EQ(JsonError(good + "{}\n"), "runs.csv, line 2: 'params' is missing");
  EXPECT_EQ(JsonError(good + "{\"params\": {\"p\": 1}}\n"), "runs.csv, line 2: 'value' is missing");
  EXPECT_EQ(JsonError(good + "{\"params\": {\"p\": \"x\"}, \"value\": 1}\n"),
            "runs.csv, line 2: /params/p: expected a number, found string");
  EXPECT_EQ(JsonError(good + "{\"params\": {\"q\": 1}, \"value\": 1}\n"),
            "runs.csv, line 2: /params: 'p' is missing");
  EXPECT_EQ(JsonError(good + "{\"params\": {\"p\": 1, \"q\": 1}, \"value\": 1}\n"),
            "runs.csv, line 2: /params: 2 parameters, expected 1 as before");
  EXPECT_EQ(JsonError(good + "{\"params\": {\"p\": 1}, \"value\": \"x\"}\n"),
            "runs.csv, line 2: /value: expected a list of numbers, found string");
  EXPECT_EQ(JsonError(good + "{\"params\": {\"p\": 1}, \"value\": 1, \"metric\": 3}\n"),
            "runs.csv, line 2: /metric: expected a text, found number");
  EXPECT_EQ(
      JsonError(good + "{\"params\": {\"p\": 1}, \"value\": 1, \"callpath\": \"a\\u0000\"}\n"),
      "runs.csv, line 2: /callpath: a text with a NUL character");
  EXPECT_EQ(JsonError("{\"params\": {}, \"value\": 1}\n"),
            "runs.csv, line 1: /params: there are no parameters");
  EXPECT_EQ(JsonError("{\"params\": {\"metric\": 1}, \"value\": 1}\n"),
            "runs.csv, line 1: /params: a parameter cannot be named 'metric'");
}

TEST(ExtraPJson, SaysWhereTextIsNoJson) {
  EXPECT_EQ(JsonError("{\n  \"parameters\": [,]\n}"),
            "runs.csv, line 2, column 18: not valid JSON");
  EXPECT_EQ(JsonError("{"), "runs.csv, line 1, column 2: not valid JSON");
  EXPECT_EQ(JsonError("{\"params\": {\"p\": 1e999}, \"value\": 1}"), "runs.csv: not valid JSON");
}

}  // namespace
}  // namespace reckon::tables
