#include <chrono>
#include <string>

#include <gmock/gmock.h>

#include "observe/events/report.h"

namespace reckon::observe {
namespace {

using ::testing::HasSubstr;

const base::WallTime kReceived{std::chrono::seconds(2'000'000'000)};

std::string WithEvents(const std::string& events) {
  return R"({"rank": 3, "role": "worker", "events": [)" + events + "]}";
}

std::string WhyRefused(const std::string& body) {
  const auto report = ParseReport(body, kReceived);
  if (report.ok()) return "it was taken";
  EXPECT_EQ(report.error().code(), base::ErrorCode::kBadInput);
  return report.error().Describe();
}

TEST(ReportTest, EveryKindIsTakenAsItCame) {
  const auto report = ParseReport(WithEvents(R"(
        {"kind": "stage", "at": 1.5, "stage": "train_epoch", "seconds": 2.5, "epoch": 0},
        {"kind": "stage", "at": 1.5, "stage": "my own", "seconds": 0},
        {"kind": "steps", "at": 2, "epoch": 1, "first": 10, "compute_s": [0.1, 0.2],
         "wait_s": [0, 0.5], "push_s": [0, 0.1], "update_s": [0, 0], "pull_s": [1, 2],
         "bytes_sent": [10, 20],
         "bytes_received": [0, 9000000000]},
        {"kind": "steps", "at": 2, "first": 0, "compute_s": [1e-9]},
        {"kind": "metric", "at": 3, "name": "accuracy", "value": -0.93, "epoch": 1},
        {"kind": "progress", "at": 3, "done": 5, "total": 10, "unit": "images", "remaining_s": 4},
        {"kind": "progress", "at": 3, "done": 0, "total": 0.5},
        {"kind": "progress", "at": 3, "remaining_s": 0.5},
        {"kind": "error", "at": 4, "message": "no memory"},
        {"kind": "ready", "at": 4},
        {"kind": "latency", "at": 4, "seconds": [0, 0.25], "missed": 2, "name": "frame"},
        {"kind": "latency", "at": 4, "seconds": [1], "missed": 0},
        {"kind": "my_own", "at": 5, "anything": {"goes": [1, null]}})"),
                                  kReceived);
  ASSERT_TRUE(report.ok()) << report.error().Describe();
  EXPECT_EQ(report->rank, 3);
  EXPECT_EQ(report->role, "worker");
  ASSERT_EQ(report->events.size(), 13U);
  EXPECT_EQ(report->events[2]["bytes_received"][1], 9000000000);
  EXPECT_EQ(report->events[12]["anything"]["goes"][0], 1);
  EXPECT_EQ(ParseReport(R"({"rank": 0, "events": []})", kReceived)->role, "worker");
}

TEST(ReportTest, TheFirstWrongFieldIsNamed) {
  struct Case {
    std::string event;
    std::string says;
  };
  const Case cases[] = {
      {"7", "events[0]: expected an object"},
      {R"({"at": 1})", "events[0].kind: expected a word"},
      {R"({"kind": "run.state", "at": 1, "state": "done"})", "events[0].kind: expected a word"},
      {R"({"kind": "", "at": 1})", "events[0].kind"},
      {R"({"kind": "stage", "stage": "x", "seconds": 1})", "events[0].at: expected a number"},
      {R"({"kind": "own", "at": "now"})", "events[0].at"},
      {R"({"kind": "own", "at": -1})", "events[0].at"},
      {R"({"kind": "stage", "at": 1, "stage": "", "seconds": 1})",
       "events[0].stage: expected text"},
      {R"({"kind": "stage", "at": 1, "stage": "x", "seconds": -1})", "events[0].seconds"},
      {R"({"kind": "stage", "at": 1, "stage": "x", "seconds": true})", "events[0].seconds"},
      {R"({"kind": "stage", "at": 1, "stage": "x", "seconds": 1, "epoch": 1.5})",
       "events[0].epoch"},
      {R"({"kind": "steps", "at": 1, "first": 0})", "events[0].compute_s: expected a list"},
      {R"({"kind": "steps", "at": 1, "first": 0, "compute_s": []})", "events[0].compute_s"},
      {R"({"kind": "steps", "at": 1, "first": -1, "compute_s": [1]})", "events[0].first"},
      {R"({"kind": "steps", "at": 1, "first": 0, "compute_s": [1, "2"]})", "compute_s[1]"},
      {R"({"kind": "steps", "at": 1, "first": 0, "compute_s": [1, null]})", "compute_s[1]"},
      {R"({"kind": "steps", "at": 1, "first": 0, "compute_s": [1], "wait_s": [-1]})",
       "events[0].wait_s[0]: expected a number, not negative"},
      {R"({"kind": "steps", "at": 1, "first": 0, "compute_s": [1, 2], "pull_s": [1]})",
       "events[0].pull_s: expected a list of 2 numbers, as many as in compute_s"},
      {R"({"kind": "steps", "at": 1, "first": 0, "compute_s": [1], "bytes_sent": [1.5]})",
       "events[0].bytes_sent[0]: expected a whole number"},
      {R"({"kind": "steps", "at": 1, "first": 0, "compute_s": [1], "bytes_sent": 5})",
       "bytes_sent"},
      {R"({"kind": "metric", "at": 1, "name": "loss"})", "events[0].value: expected a finite"},
      {R"({"kind": "metric", "at": 1, "name": 5, "value": 1})", "events[0].name"},
      {R"({"kind": "progress", "at": 1, "done": 1, "total": 0})", "events[0].total"},
      {R"({"kind": "progress", "at": 1, "done": 1, "total": 2, "unit": 3})", "events[0].unit"},
      {R"({"kind": "progress", "at": 1, "done": 1, "total": 2, "remaining_s": -3})", "remaining_s"},
      {R"({"kind": "progress", "at": 1, "total": 2, "remaining_s": 3})", "events[0].done"},
      {R"({"kind": "progress", "at": 1})", "events[0].done"},
      {R"({"kind": "ready"})", "events[0].at"},
      {R"({"kind": "latency", "at": 1, "missed": 0})",
       "events[0].seconds: expected a list of 1 to"},
      {R"({"kind": "latency", "at": 1, "seconds": [], "missed": 0})", "events[0].seconds"},
      {R"({"kind": "latency", "at": 1, "seconds": [1, -1], "missed": 0})", "events[0].seconds[1]"},
      {R"({"kind": "latency", "at": 1, "seconds": [1, 1]})", "events[0].missed: expected a whole"},
      {R"({"kind": "latency", "at": 1, "seconds": [1, 1], "missed": 3})",
       "events[0].missed: expected a whole number from 0 to 2"},
      {R"({"kind": "latency", "at": 1, "seconds": [1], "missed": 0.5})", "events[0].missed"},
      {R"({"kind": "latency", "at": 1, "seconds": [1], "missed": 0, "name": 1})", "events[0].name"},
      {R"({"kind": "error", "at": 1})", "events[0].message"},
      {R"({"kind": "error", "at": 1, "message": "x", "epoch": 1e30})", "events[0].epoch"},
      {R"({"kind": "metric", "at": 1, "name": "x", "value": 1, "epoch": 9223372036854775807})",
       "events[0].epoch: expected a whole number from 0 to 9007199254740992"},
      {R"({"kind": "progress", "at": 1, "done": 1, "total": 2, "epoch": -1})", "events[0].epoch"},
      {R"({"kind": "my_own", "at": 1, "epoch": 1e300})", "events[0].epoch"},
  };
  for (const Case& one : cases) EXPECT_THAT(WhyRefused(WithEvents(one.event)), HasSubstr(one.says));
  // The others of the same report are not taken either.
  EXPECT_THAT(WhyRefused(WithEvents(R"({"kind": "own", "at": 1}, {"kind": "own"})")),
              HasSubstr("events[1].at"));
}

TEST(ReportTest, WhatIsNoReportIsRefused) {
  EXPECT_THAT(WhyRefused(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(WhyRefused("{\"rank\": 0,\n \"events\": [}"), HasSubstr("line 2"));
  EXPECT_THAT(WhyRefused("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(WhyRefused(R"({"events": []})"), HasSubstr("rank: expected"));
  EXPECT_THAT(WhyRefused(R"({"rank": -1, "events": []})"), HasSubstr("rank: expected"));
  EXPECT_THAT(WhyRefused(R"({"rank": 1e3, "events": []})"), HasSubstr("rank: expected"));
  EXPECT_THAT(WhyRefused(R"({"rank": 99999999999, "events": []})"), HasSubstr("rank: expected"));
  EXPECT_THAT(WhyRefused(R"({"rank": 0})"), HasSubstr("events: expected a list"));
  EXPECT_THAT(WhyRefused(R"({"rank": 0, "events": {}})"), HasSubstr("events: expected a list"));
  EXPECT_THAT(WhyRefused(R"({"rank": 0, "role": "a b", "events": []})"), HasSubstr("role: "));
  EXPECT_THAT(WhyRefused(std::string(100'000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(WhyRefused(WithEvents(R"({"kind": "metric", "at": 1, "name": "x", "value": 1e999})")),
              HasSubstr("not valid JSON"));
  EXPECT_THAT(WhyRefused(WithEvents("{\"kind\": \"error\", \"at\": 1, \"message\": \"\xff\"}")),
              HasSubstr("not valid JSON"));
}

TEST(ReportTest, MayBeNumbered) {
  const auto report = ParseReport(
      R"({"rank": 0, "sender": "a-1", "sequence": 9000000000, "events": []})", kReceived);
  ASSERT_TRUE(report.ok()) << report.error().Describe();
  EXPECT_EQ(report->sender, "a-1");
  EXPECT_EQ(report->sequence, 9'000'000'000U);
  EXPECT_EQ(ParseReport(R"({"rank": 0, "events": []})", kReceived)->sender, "");
  const auto why = [](const std::string& fields) {
    return WhyRefused(R"({"rank": 0, "events": [], )" + fields + "}");
  };
  EXPECT_THAT(why(R"("sender": "a")"), HasSubstr("sequence: expected a whole number"));
  EXPECT_THAT(why(R"("sender": "a", "sequence": -1)"), HasSubstr("sequence: expected"));
  EXPECT_THAT(why(R"("sender": "a", "sequence": 1.5)"), HasSubstr("sequence: expected"));
  EXPECT_THAT(why(R"("sequence": 1)"), HasSubstr("sender: expected text of 1 to 64 bytes"));
  EXPECT_THAT(why(R"("sender": 7, "sequence": 1)"), HasSubstr("sender: expected"));
  EXPECT_THAT(why(R"("sequence": 1, "sender": ")" + std::string(65, 'x') + '"'),
              HasSubstr("sender: expected"));
}

TEST(ReportTest, SizesAreBounded) {
  const std::string event = R"({"kind": "own", "at": 1})";
  std::string many = event;
  for (int i = 1; i < 10'000; ++i) many += "," + event;
  EXPECT_TRUE(ParseReport(WithEvents(many), kReceived).ok());
  EXPECT_THAT(WhyRefused(WithEvents(many + "," + event)), HasSubstr("at most 10000"));
  std::string times = "1";
  for (int i = 1; i < 100'001; ++i) times += ",1";
  EXPECT_THAT(WhyRefused(WithEvents(R"({"kind": "steps", "at": 1, "first": 0, "compute_s": [)" +
                                    times + "]}")),
              HasSubstr("1 to 100000 numbers"));
  EXPECT_THAT(WhyRefused(WithEvents(R"({"kind": "error", "at": 1, "message": ")" +
                                    std::string(70'000, 'x') + "\"}")),
              HasSubstr("text of 1 to 65536 bytes"));
  EXPECT_THAT(WhyRefused(WithEvents(R"({"kind": ")" + std::string(65, 'x') + R"(", "at": 1})")),
              HasSubstr("kind"));
}

TEST(ReportTest, ManyFieldsAndLevelsAreRefusedBeforeTheyAreRead) {
  const auto fields = [](int count) {
    std::string event = R"({"kind": "own", "at": 1)";
    for (int i = 2; i < count; ++i) event += ",\"k" + std::to_string(i) + "\":1";
    return WithEvents(event + "}");
  };
  EXPECT_TRUE(ParseReport(fields(200), kReceived).ok());
  EXPECT_THAT(WhyRefused(fields(201)), HasSubstr("201 fields in one object; expected at most 200"));
  // Would take minutes to read: every key is compared with all before it.
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(WhyRefused(fields(800'000)), HasSubstr("fields in one object"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  const auto nested = [](size_t depth) {
    return WithEvents(R"({"kind": "own", "at": 1, "x": )" + std::string(depth, '[') +
                      std::string(depth, ']') + "}");
  };
  EXPECT_TRUE(ParseReport(nested(29), kReceived).ok());
  EXPECT_THAT(WhyRefused(nested(30)), HasSubstr("nested deeper than 32 levels"));
}

TEST(ReportTest, TheShapeOfKubeflowTrainerBecomesProgressAndMetrics) {
  const std::string status =
      R"({"progressPercentage": 45, "estimatedRemainingSeconds": 795,
          "metrics": [{"name": "loss", "value": 0.25}, {"name": "accuracy", "value": "0.9"},
                      {"name": "broken", "value": "nan"}], "lastUpdatedTime": "whenever"})";
  for (const std::string& body : {status, R"({"trainerStatus": )" + status + "}"}) {
    const auto report = ParseReport(body, kReceived);
    ASSERT_TRUE(report.ok()) << report.error().Describe();
    EXPECT_EQ(report->rank, 0);
    ASSERT_EQ(report->events.size(), 3U);
    EXPECT_EQ(base::DumpJsonLine(report->events[0]),
              R"({"kind":"progress","at":2000000000.0,"done":45,"total":100,"unit":"%",)"
              R"("remaining_s":795})");
    EXPECT_EQ(base::DumpJsonLine(report->events[1]),
              R"({"kind":"metric","at":2000000000.0,"name":"loss","value":0.25})");
    EXPECT_EQ(report->events[2]["value"], 0.9);
  }
  EXPECT_EQ(ParseReport(R"({"rank": 2, "progressPercentage": 1})", kReceived)->rank, 2);
  const auto guess = ParseReport(R"({"estimatedRemainingSeconds": 795})", kReceived);
  ASSERT_TRUE(guess.ok()) << guess.error().Describe();
  ASSERT_EQ(guess->events.size(), 1U);
  EXPECT_EQ(base::DumpJsonLine(guess->events[0]),
            R"({"kind":"progress","at":2000000000.0,"remaining_s":795})");
}

TEST(ReportTest, ABadShapeOfKubeflowTrainerIsRefused) {
  EXPECT_THAT(WhyRefused(R"({"progressPercentage": 101})"), HasSubstr("from 0 to 100"));
  EXPECT_THAT(WhyRefused(R"({"progressPercentage": "1"})"), HasSubstr("from 0 to 100"));
  EXPECT_THAT(WhyRefused(R"({"progressPercentage": -1})"), HasSubstr("progress.done"));
  EXPECT_THAT(WhyRefused(R"({"progressPercentage": 1, "estimatedRemainingSeconds": "x"})"),
              HasSubstr("progress.remaining_s"));
  EXPECT_THAT(WhyRefused(R"({"metrics": {}})"), HasSubstr("metrics: expected a list"));
  EXPECT_THAT(WhyRefused(R"({"metrics": [1]})"), HasSubstr("metrics[0]: expected an object"));
  EXPECT_THAT(WhyRefused(R"({"metrics": [{"name": "", "value": 1}]})"),
              HasSubstr("metrics[0].name"));
  EXPECT_THAT(WhyRefused(R"({"trainerStatus": 5})"), HasSubstr("trainerStatus"));
  EXPECT_THAT(WhyRefused(R"({"trainerStatus": {}})"), HasSubstr("trainerStatus"));
}

}  // namespace
}  // namespace reckon::observe
