#include "act/agents/beat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace reckon::act {
namespace {

using testing::HasSubstr;

Beat Example() {
  Beat beat;
  beat.node = {"nano0", "nano", 4, uint64_t{4} << 30, 1, "10.0.0.2", "eth0", 0.05, 3.2, "1"};
  beat.instance = "abc";
  beat.now = {0.5, 0.25, 0.1};
  beat.parts.push_back({{7, 2}, true, true, true, "", {{"events.jsonl", 120}}});
  beat.parts.push_back({{9, 1}, false, false, false, "no room", {}});
  beat.parts[1].has_data = true;
  beat.parts[1].data_trouble = "away";
  beat.node.apps = {{"sift", 0.2}};
  return beat;
}

TEST(BeatTest, ComesBackAsItWasSent) {
  const Beat beat = Example();
  const auto read = BeatFromJson(base::Json::parse(base::DumpJsonLine(ToJson(beat))));
  ASSERT_TRUE(read.ok()) << read.error().Describe();
  EXPECT_EQ(read->node, beat.node);
  EXPECT_EQ(read->now.gpu, 0.1);
  ASSERT_EQ(read->parts.size(), 2U);
  EXPECT_EQ(read->parts[0].key, (PartKey{7, 2}));
  EXPECT_TRUE(read->parts[0].lives);
  EXPECT_EQ(read->parts[0].files.at("events.jsonl"), 120U);
  EXPECT_EQ(read->parts[1].trouble, "no room");
  EXPECT_TRUE(read->parts[1].has_data);
  EXPECT_EQ(read->parts[1].data_trouble, "away");
}

TEST(BeatTest, TheAnswerComesBackToo) {
  BeatAnswer answer{"m1", 0.5, {}};
  PartWish wish;
  wish.key = {7, 1};
  wish.want = "ready";
  wish.spec.emplace();
  wish.spec->run_id = 7;
  wish.spec->token = "secret";
  wish.spec->part = "nano0";
  ProcessSpec worker;
  worker.role = "worker";
  worker.argv = {"@reckon-worker"};
  worker.log = "worker-0.log";
  wish.spec->processes.push_back(worker);
  wish.contents["trainer.json"] = "{}";
  wish.training = Stretch{1, 2.5};
  wish.have["events.jsonl"] = 12;
  wish.data = DataWish{"http://10.0.0.9:80/7.1", "s", {{"shard-0.images", {"0123", 12}}}};
  answer.parts.push_back(wish);
  const auto read = BeatAnswerFromJson(base::Json::parse(base::DumpJsonLine(ToJson(answer))));
  ASSERT_TRUE(read.ok()) << read.error().Describe();
  ASSERT_EQ(read->parts.size(), 1U);
  EXPECT_EQ(read->parts[0].spec->processes[0].argv[0], "@reckon-worker");
  EXPECT_EQ(read->parts[0].contents.at("trainer.json"), "{}");
  EXPECT_EQ(read->parts[0].training->to, 2.5);
  EXPECT_EQ(read->parts[0].have.at("events.jsonl"), 12U);
  EXPECT_EQ(read->parts[0].data, wish.data);
  EXPECT_EQ(read->beat_s, 0.5);
}

TEST(BeatTest, WhatIsWrongIsNamed) {
  struct Wrong {
    const char* what;
    std::function<void(base::Json&)> change;
    const char* message;
  };
  const Wrong cases[] = {
      {"no node", [](base::Json& json) { json.erase("node"); }, "node is missing"},
      {"name with a path", [](base::Json& json) { json["node"]["name"] = "../x"; }, "node.name"},
      {"an app without time", [](base::Json& json) { json["node"]["apps"]["sift"] = 0; },
       "node.apps.sift"},
      {"no cpus", [](base::Json& json) { json["node"]["cpus"] = 0; }, "node.cpus"},
      {"words for numbers", [](base::Json& json) { json["now"]["cpu"] = "all"; }, "now.cpu"},
      {"a file elsewhere", [](base::Json& json) { json["parts"][0]["files"]["../../x.log"] = 1; },
       "parts[0].files"},
      {"a file of another kind",
       [](base::Json& json) { json["parts"][0]["files"]["spec.json"] = 1; }, "parts[0].files"},
      {"a negative size", [](base::Json& json) { json["parts"][0]["files"]["a.log"] = -1; },
       "parts[0].files.a.log"},
      {"a key of no run", [](base::Json& json) { json["parts"][1].erase("run"); },
       "parts[1].run is missing"},
      {"something else", [](base::Json& json) { json["extra"] = 1; }, "extra is not known"}};
  for (const Wrong& one : cases) {
    base::Json json = ToJson(Example());
    one.change(json);
    const auto read = BeatFromJson(json);
    ASSERT_FALSE(read.ok()) << one.what;
    EXPECT_EQ(read.error().code(), base::ErrorCode::kBadInput);
    EXPECT_THAT(read.error().Describe(), HasSubstr(one.message));
  }
  EXPECT_FALSE(BeatFromJson(base::Json::array()).ok());
}

}  // namespace
}  // namespace reckon::act
