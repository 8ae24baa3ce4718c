#include "learn/model_file.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using base::Json;
using ::testing::HasSubstr;

Dataset Data() {
  core::Table table = support::GridTable({1, 2, 4, 8}, {10, 20}, 1,
                                         [](double w, double s) { return 2 + 3 * s / w; });
  support::AddCategories(table, "gpu", {"k80", "odd \"name\""}, {0, 1, 1, 0, 1, 0, 0, 1});
  return support::MakeDataset(table, "y");
}

std::string TextOf(const std::string& technique) {
  const Dataset data = Data();
  SearchOptions options;
  options.techniques = {technique};
  base::NoProgress progress;
  return ModelToText(MakeModel(data, options, Search(data, options, {}, progress).value()));
}

// The text with one field changed and the checksum made right again.
std::string Changed(const std::string& text, const std::function<void(Json&)>& change) {
  Json json = base::ParseJson(text, "t").value();
  json.erase("checksum");
  change(json);
  json["checksum"] = ModelChecksum(json);
  return base::DumpJson(json);
}

TEST(ModelFileTest, RoundTripKeepsEveryPrediction) {
  const Dataset data = Data();
  for (const char* technique : {"ridge", "ernest", "tree", "boost", "powers", "blend"}) {
    const std::string text = TextOf(technique);
    const auto model = ModelFromText(text, "m.json");
    ASSERT_TRUE(model.ok()) << model.error().Describe();
    EXPECT_EQ(ModelToText(*model), text);
    const auto again = ModelFromText(ModelToText(*model), "m.json");
    EXPECT_EQ(again->fitted.Predict(data.x), model->fitted.Predict(data.x));
  }
}

TEST(ModelFileTest, RolesComeBackAndWhatAnOlderFileLacksIsGuessed) {
  const Dataset data = Data();
  SearchOptions options;
  options.techniques = {"ridge"};
  options.roles.workers = "size";
  options.roles.batch = "workers";
  options.roles.machine = "gpu";
  base::NoProgress progress;
  const std::string text =
      ModelToText(MakeModel(data, options, Search(data, options, {}, progress).value()));
  const auto model = ModelFromText(text, "m");
  ASSERT_TRUE(model.ok()) << model.error().Describe();
  EXPECT_EQ(model->roles.workers, 1U);
  EXPECT_EQ(model->roles.batch, 0U);
  EXPECT_EQ(model->roles.machine, 2U);
  EXPECT_EQ(model->roles.bytes, std::nullopt);

  const auto older = ModelFromText(
      Changed(text,
              [](Json& j) {
                j["roles"].erase("batch");
                j["roles"].erase("machine");
                for (const char* name : {"work", "activations", "threads", "epochs"}) {
                  EXPECT_TRUE(j["roles"].contains(name));
                  j["roles"].erase(name);
                }
              }),
      "m");
  ASSERT_TRUE(older.ok()) << older.error().Describe();
  EXPECT_EQ(older->roles.workers, 1U);
  EXPECT_EQ(older->roles.batch, std::nullopt);
  EXPECT_EQ(older->roles.machine, 2U);
  const auto wrong =
      ModelFromText(Changed(text, [](Json& j) { j["roles"]["machine"] = "size"; }), "m");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().Describe(), HasSubstr("no category of the model's"));
}

TEST(ModelFileTest, EveryTruncationIsRefused) {
  const std::string text = TextOf("tree");
  for (size_t length = 0; length + 2 < text.size(); ++length) {
    const auto model = ModelFromText(std::string_view(text).substr(0, length), "m.json");
    ASSERT_FALSE(model.ok()) << length;
    EXPECT_EQ(model.error().code(), base::ErrorCode::kCorrupt);
    EXPECT_THAT(model.error().Describe(), HasSubstr("m.json"));
  }
}

TEST(ModelFileTest, EveryFlippedByteIsRefusedOrHarmless) {
  const std::string text = TextOf("ernest");
  const std::string canonical = ModelToText(ModelFromText(text, "m").value());
  for (size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const auto model = ModelFromText(damaged, "m");
    // White space between tokens is the only thing that may change unnoticed.
    if (model.ok()) {
      EXPECT_EQ(ModelToText(*model), canonical) << at;
    }
  }
}

TEST(ModelFileTest, NewerVersionsAndOtherFilesAreRefusedInWords) {
  const std::string text = TextOf("ridge");
  EXPECT_THAT(
      ModelFromText(Changed(text, [](Json& j) { j["version"] = 2; }), "m").error().Describe(),
      HasSubstr("format version 2; this Reckon reads version 1"));
  EXPECT_THAT(ModelFromText("{}", "m").error().Describe(), HasSubstr("not a model file"));
  EXPECT_THAT(ModelFromText("[]", "m").error().Describe(), HasSubstr("not a model file"));
  EXPECT_THAT(ModelFromText("", "m").error().Describe(), HasSubstr("empty"));
}

TEST(ModelFileTest, WrongFieldsAreNamed) {
  const std::string text = TextOf("tree");
  const auto message = [&](const std::function<void(Json&)>& change) {
    const auto model = ModelFromText(Changed(text, change), "m");
    return model.ok() ? std::string("accepted") : model.error().Describe();
  };
  EXPECT_THAT(message([](Json& j) { j["target"] = 3; }), HasSubstr("model.target is not text"));
  EXPECT_THAT(message([](Json& j) { j["columns"][0]["min"] = "x"; }), HasSubstr("columns[0].min"));
  EXPECT_THAT(message([](Json& j) { j["columns"][1]["name"] = j["columns"][0]["name"]; }),
              HasSubstr("twice"));
  EXPECT_THAT(message([](Json& j) { j["candidate"]["technique"] = "magic"; }), HasSubstr("magic"));
  EXPECT_THAT(message([](Json& j) { j.erase("interval"); }), HasSubstr("interval"));
  EXPECT_THAT(message([](Json& j) { j["interval"]["slope"] = -1; }), HasSubstr("interval"));
  // A tree whose child points back would be walked for ever.
  EXPECT_THAT(message([](Json& j) { j["predictor"]["nodes"][0]["left"] = 0; }),
              HasSubstr("bad split"));
  EXPECT_THAT(message([](Json& j) { j["predictor"]["nodes"] = Json::array(); }),
              HasSubstr("nodes"));
}

}  // namespace
}  // namespace reckon::learn
