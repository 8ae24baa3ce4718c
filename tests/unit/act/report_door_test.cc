// Where ranks report, with real requests.
#include "act/local/report_door.h"

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "net/http_client.h"
#include "net/tcp.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temp_folder.h"

namespace reckon::act {
namespace {

using ::testing::ElementsAre;

class ReportDoorTest : public ::testing::Test {
 protected:
  ReportDoorTest() {
    LaunchSpec spec;
    spec.run_id = 7;
    spec.token = "secret";
    spec.status_host = "127.0.0.1";
    door_ = ReportDoor::Open(spec, events_, clock_, log_).value();
  }

  int Post(const std::string& body) {
    const net::Url url = net::ParseUrl(door_->url()).value();
    net::HttpClient client(url.address, {});
    return client.Post(url.target, body, {{"authorization", "Bearer secret"}}).value().status;
  }
  static std::string Report(const std::string& number, const std::vector<int>& stages,
                            int rank = 0) {
    std::string events;
    for (const int stage : stages) {
      events += fmt::format(R"({}{{"kind": "stage", "at": 1, "stage": "s{}", "seconds": 2}})",
                            events.empty() ? "" : ", ", stage);
    }
    return fmt::format(R"({{"rank": {}, {}"events": [{}]}})", rank, number, events);
  }
  static std::string Number(const std::string& sender, int sequence) {
    return fmt::format(R"("sender": "{}", "sequence": {}, )", sender, sequence);
  }
  std::vector<std::string> Stages() const {
    std::vector<std::string> stages;
    const base::Status read = EventReader(folder_ / "e").Next([&](const base::Json& event) {
      stages.push_back(event.at("stage").get<std::string>());
    });
    EXPECT_TRUE(read.ok());
    return stages;
  }

  const support::TempFolder folder_;
  EventWriter events_ = EventWriter::Open(folder_ / "e").value();
  const base::SystemClock clock_;
  base::Logger log_{base::LogLevel::kOff};
  std::unique_ptr<ReportDoor> door_;
};

TEST_F(ReportDoorTest, WhoReportsHearsThatTheTrainingShallEnd) {
  LaunchSpec spec;
  spec.run_id = 7;
  spec.token = "secret";
  spec.status_host = "127.0.0.1";
  door_ = ReportDoor::Open(spec, events_, clock_, log_, [](const base::Json& event) {
            std::optional<std::string> why;
            if (event.at("stage") == "s2") why = "enough";
            if (event.at("stage") == "s3") why = "too late to be the reason";
            return why;
          }).value();
  const net::Url url = net::ParseUrl(door_->url()).value();
  const auto post = [&](const std::string& body) {
    net::HttpClient client(url.address, {});
    return client.Post(url.target, body, {{"authorization", "Bearer secret"}}).value();
  };
  EXPECT_EQ(post(Report("", {1})).status, 204);
  EXPECT_FALSE(door_->ending());
  const net::HttpResponse answer = post(Report("", {2, 3}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"end":"epoch"})");
  EXPECT_EQ(door_->ending(), "enough");
  EXPECT_EQ(post(Report("", {4}, 1)).body, R"({"end":"epoch"})");  // every rank
  door_->AskToEnd("another reason");
  EXPECT_EQ(door_->ending(), "enough");
  std::vector<std::string> reasons;
  ASSERT_TRUE(EventReader(folder_ / "e")
                  .Next([&](const base::Json& event) {
                    if (event.at("kind") == "run.ending") reasons.push_back(event.at("reason"));
                  })
                  .ok());
  EXPECT_THAT(reasons, ElementsAre("enough"));
}

TEST_F(ReportDoorTest, WithoutTheTokenNoBodyIsWaitedFor) {
  const net::Url url = net::ParseUrl(door_->url()).value();
  net::Stream stream = net::Stream::Connect(url.address, std::chrono::seconds(2)).value();
  stream.set_patience(std::chrono::seconds(5));
  const std::string head = "POST " + url.target +
                           " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer guess\r\n"
                           "Content-Length: 8000000\r\n\r\n";
  ASSERT_TRUE(stream.Write(std::as_bytes(std::span(head))).ok());
  std::array<std::byte, 12> answer{};
  ASSERT_TRUE(stream.Read(answer).ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(answer.data()), answer.size()),
            "HTTP/1.1 401");
}

TEST_F(ReportDoorTest, AReportThatComesTwiceCountsOnce) {
  EXPECT_EQ(Post(Report(Number("a", 0), {1, 2})), 204);
  EXPECT_EQ(Post(Report(Number("a", 0), {1, 2})), 204);
  EXPECT_EQ(Post(Report(Number("a", 1), {3})), 204);
  EXPECT_EQ(Post(Report(Number("a", 0), {1, 2})), 204);
  EXPECT_THAT(Stages(), ElementsAre("s1", "s2", "s3"));
}

TEST_F(ReportDoorTest, ProcessesCountForThemselves) {
  EXPECT_EQ(Post(Report(Number("a", 5), {1})), 204);
  EXPECT_EQ(Post(Report(Number("b", 0), {2})), 204);     // the same rank, started again
  EXPECT_EQ(Post(Report(Number("a", 5), {3}, 1)), 204);  // another rank
  EXPECT_EQ(Post(Report("", {4})), 204);                 // no number: each counts
  EXPECT_EQ(Post(Report("", {4})), 204);
  EXPECT_THAT(Stages(), ElementsAre("s1", "s2", "s3", "s4", "s4"));
}

TEST_F(ReportDoorTest, WhatCouldNotBeKeptIsTakenWhenItComesAgain) {
  for (const std::string& number : {Number("a", 0), std::string()}) {
    const auto before = Stages().size();
    {
      const support::FileSizeLimit full(std::filesystem::file_size(folder_ / "e") + 100);
      EXPECT_EQ(Post(Report(number, {1, 2, 3})), 503);
    }
    EXPECT_EQ(Stages().size(), before);  // though the first would have had room
    EXPECT_EQ(Post(Report(number, {1, 2, 3})), 204);
    EXPECT_EQ(Stages().size(), before + 3);
  }
}

observe::Report Numbered(const std::string& sender, uint64_t sequence) {
  observe::Report report;
  report.role = "worker";
  report.sender = sender;
  report.sequence = sequence;
  return report;
}

TEST(TakenReportsTest, TheSendersHeardLongestAgoAreForgotten) {
  TakenReports taken;
  for (size_t i = 0; i < TakenReports::kMostSenders; ++i) {
    taken.Add(Numbered(std::to_string(i), 1));
  }
  taken.Add(Numbered("0", 2));
  taken.Add(Numbered("one more", 1));
  EXPECT_TRUE(taken.Has(Numbered("0", 2)));
  EXPECT_FALSE(taken.Has(Numbered("1", 1)));
  EXPECT_TRUE(taken.Has(Numbered("2", 1)));
  EXPECT_TRUE(taken.Has(Numbered("one more", 1)));
}

}  // namespace
}  // namespace reckon::act
