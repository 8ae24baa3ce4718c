// The reporter against a real server that checks and keeps what comes, as a supervisor does.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "net/http_server.h"
#include "net/tcp.h"
#include "observe/events/report.h"
#include "observe/events/reporter.h"

namespace reckon::observe {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Collector {
 public:
  explicit Collector(uint16_t port = 0) {
    server_ =
        net::HttpServer::Start({.listen = {"127.0.0.1", port}},
                               [this](const net::HttpRequest& request) { return Take(request); })
            .value();
  }
  uint16_t port() const { return server_->port(); }
  std::vector<Report> reports() const {
    const std::lock_guard lock(mutex_);
    return reports_;
  }
  std::vector<base::Json> Events(const std::string& kind) const {
    std::vector<base::Json> events;
    for (const Report& report : reports()) {
      for (const base::Json& event : report.events) {
        if (event["kind"] == kind) events.push_back(event);
      }
    }
    return events;
  }
  int refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

 private:
  net::HttpResponse Take(const net::HttpRequest& request) {
    const std::lock_guard lock(mutex_);
    const auto token = request.headers.find("authorization");
    if (token == request.headers.end() || token->second != "Bearer secret") {
      ++refused_;
      return {401, "application/json", R"({"error": "wrong token"})"};
    }
    auto report = ParseReport(request.body, base::SystemClock().Now());
    if (!report.ok()) {
      ADD_FAILURE() << report.error().Describe();
      return {400, "application/json", "{}"};
    }
    EXPECT_EQ(request.target, "/runs/7/events");
    reports_.push_back(*std::move(report));
    return {204, "", ""};
  }

  mutable std::mutex mutex_;
  std::vector<Report> reports_;
  int refused_ = 0;
  std::unique_ptr<net::HttpServer> server_;
};

ReporterOptions OptionsFor(uint16_t port) {
  ReporterOptions options;
  options.target = net::Url{{"127.0.0.1", port}, "/runs/7/events"};
  options.token = "secret";
  options.rank = 2;
  options.every = milliseconds(20);
  return options;
}

uint16_t UnusedPort() { return net::Listener::Bind({"127.0.0.1", 0}).value().port(); }

bool Eventually(const std::function<bool()>& what) {
  for (int i = 0; i < 500; ++i) {
    if (what()) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

class ReporterTest : public ::testing::Test {
 protected:
  base::SystemClock clock_;
  base::Logger log_{base::LogLevel::kOff};
};

TEST_F(ReporterTest, EverythingArrivesWithRankAndToken) {
  const Collector collector;
  {
    Reporter reporter(OptionsFor(collector.port()), clock_, log_);
    for (int64_t i = 0; i < 5; ++i) {
      reporter.Step({.epoch = i / 3,
                     .step = i,
                     .wait_s = 0.125,
                     .compute_s = 0.5,
                     .pull_s = 0.25,
                     .bytes_sent = i});
    }
    reporter.Stage("train_epoch", 2.5, 1);
    reporter.Stage("train", 3);
    reporter.Metric("accuracy", 0.75, 1);
    reporter.Progress(5, 10, "steps", 2.0);
    reporter.Ready();
    reporter.Latency(0.25, false);
    reporter.Latency(0.5, true);
    reporter.Error("ended \xff early");  // no UTF-8
  }
  const auto reports = collector.reports();
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports[0].rank, 2);
  EXPECT_EQ(reports[0].role, "worker");
  std::vector<int64_t> sent;
  for (const base::Json& event : collector.Events("steps")) {
    for (const base::Json& bytes : event["bytes_sent"]) sent.push_back(bytes.get<int64_t>());
    const auto first = event["first"].get<int64_t>();
    EXPECT_EQ(event["epoch"].get<int64_t>(), first / 3);
    EXPECT_EQ(event["wait_s"][0], 0.125);
    EXPECT_EQ(event["pull_s"][0], 0.25);
    EXPECT_EQ(event["compute_s"].size(), event["pull_s"].size());
  }
  EXPECT_THAT(sent, ElementsAre(0, 1, 2, 3, 4));
  ASSERT_EQ(collector.Events("stage").size(), 2U);
  EXPECT_EQ(collector.Events("stage")[0]["epoch"], 1);
  EXPECT_FALSE(collector.Events("stage")[1].contains("epoch"));
  EXPECT_EQ(collector.Events("metric")[0]["value"], 0.75);
  EXPECT_EQ(collector.Events("progress")[0]["remaining_s"], 2.0);
  EXPECT_EQ(collector.Events("ready").size(), 1U);
  std::vector<double> latencies;
  size_t missed = 0;
  for (const base::Json& event : collector.Events("latency")) {
    for (const base::Json& seconds : event["seconds"]) latencies.push_back(seconds.get<double>());
    missed += event["missed"].get<size_t>();
  }
  EXPECT_THAT(latencies, ElementsAre(0.25, 0.5));
  EXPECT_EQ(missed, 1U);
  EXPECT_THAT(collector.Events("error")[0]["message"].get<std::string>(), HasSubstr("early"));
  const double at = collector.Events("error")[0]["at"].get<double>();
  EXPECT_NEAR(at, EventTime(clock_.Now()), 60);
}

TEST_F(ReporterTest, ReportsGoOutByThemselvesAndStepsTravelTogether) {
  const Collector collector;
  Reporter reporter(OptionsFor(collector.port()), clock_, log_);
  for (int64_t i = 0; i < 2500; ++i) reporter.Step({.step = i, .compute_s = 0.001});
  ASSERT_TRUE(Eventually([&] {
    size_t count = 0;
    for (const base::Json& event : collector.Events("steps")) count += event["compute_s"].size();
    return count == 2500;
  }));
  EXPECT_LE(collector.Events("steps").size(), 100U);
}

TEST_F(ReporterTest, ThousandsOfLatenciesAreFewEventsAndTheOldestGoFirst) {
  const uint16_t port = UnusedPort();
  ReporterOptions options = OptionsFor(port);
  options.bounds.most_latencies = 3000;
  options.every = milliseconds(60'000);  // what is told before the first flush waits together
  Reporter reporter(options, clock_, log_);
  for (int i = 0; i < 50'000; ++i) reporter.Latency(i, i % 2 == 0);
  const Collector collector(port);
  ASSERT_TRUE(reporter.Flush(milliseconds(60'000)));
  const auto events = collector.Events("latency");
  ASSERT_FALSE(events.empty());
  EXPECT_LE(events.size(), 50U);
  size_t count = 0;
  for (const base::Json& event : events) {
    count += event["seconds"].size();
    EXPECT_NEAR(event["missed"].get<double>(), 0.5 * static_cast<double>(event["seconds"].size()),
                1);
  }
  EXPECT_GE(count, 2000U);
  EXPECT_LE(count, 23'000U);  // the bound, and a report that may have been under way
  EXPECT_EQ(events.back()["seconds"].back(), 49'999.0);
}

TEST_F(ReporterTest, WhatCannotBeIsNotReported) {
  const Collector collector;
  {
    Reporter reporter(OptionsFor(collector.port()), clock_, log_);
    reporter.Metric("loss", std::nan(""));
    reporter.Metric("", 1);
    reporter.Stage("x", -1);
    reporter.Step({.step = -1});
    reporter.Step({.compute_s = std::numeric_limits<double>::infinity()});
    reporter.Progress(1, 0, "x");
    reporter.Latency(-1, false);
    reporter.Latency(std::nan(""), true);
    reporter.Error("");
    reporter.Stage(std::string(1000, '\xff'), 1, -5);  // as much as fits, without its epoch
    reporter.Error(std::string(100'000, '\xff'));
  }
  size_t count = 0;
  for (const Report& report : collector.reports()) count += report.events.size();
  EXPECT_EQ(count, 2U);
}

TEST_F(ReporterTest, WhatWasToldWhileTheServerWasAwayArrivesLater) {
  const uint16_t port = UnusedPort();
  Reporter reporter(OptionsFor(port), clock_, log_);
  reporter.Stage("first", 1);
  EXPECT_FALSE(reporter.Flush(milliseconds(200)));
  reporter.Stage("second", 1);
  {
    const Collector collector(port);
    ASSERT_TRUE(Eventually([&] { return collector.Events("stage").size() == 2; }));
    EXPECT_EQ(collector.Events("stage")[0]["stage"], "first");
  }
  reporter.Stage("third", 1);
  std::this_thread::sleep_for(milliseconds(100));
  const Collector collector(port);
  EXPECT_TRUE(reporter.Flush(milliseconds(3000)));
  ASSERT_EQ(collector.Events("stage").size(), 1U);
  EXPECT_EQ(collector.Events("stage")[0]["stage"], "third");
}

TEST_F(ReporterTest, AReportThatIsSentAgainHasTheSameNumber) {
  std::mutex mutex;
  std::vector<Report> reports;
  const auto server =
      net::HttpServer::Start({}, [&](const net::HttpRequest& request) {
        const std::lock_guard lock(mutex);
        reports.push_back(ParseReport(request.body, base::SystemClock().Now()).value());
        return net::HttpResponse{reports.size() == 1 ? 503 : 204, "", ""};
      }).value();
  for (int i = 0; i < 2; ++i) {
    Reporter reporter(OptionsFor(server->port()), clock_, log_);
    for (const char* name : {"first", "second"}) {
      reporter.Stage(name, 1);
      EXPECT_TRUE(reporter.Flush(milliseconds(3000)));
    }
  }
  const std::lock_guard lock(mutex);
  ASSERT_EQ(reports.size(), 5U);  // the first one twice
  EXPECT_FALSE(reports[0].sender.empty());
  EXPECT_EQ(reports[1].sender, reports[0].sender);
  EXPECT_EQ(reports[1].sequence, reports[0].sequence);
  EXPECT_EQ(reports[2].sender, reports[0].sender);
  EXPECT_GT(reports[2].sequence, reports[1].sequence);
  EXPECT_NE(reports[3].sender, reports[0].sender);
}

TEST_F(ReporterTest, MemoryIsBoundedAndTheOldestStepsGoFirst) {
  const uint16_t port = UnusedPort();
  ReporterOptions options = OptionsFor(port);
  options.bounds = {.most_steps = 3000, .most_bytes = 10'000};
  options.every = milliseconds(50);
  ::testing::internal::CaptureStderr();
  base::Logger log(base::LogLevel::kWarn);
  Reporter reporter(options, clock_, log);
  for (int64_t i = 0; i < 50'000; ++i) reporter.Step({.step = i, .compute_s = 1});
  for (int i = 0; i < 1000; ++i) reporter.Stage("stage" + std::to_string(i), 1);
  reporter.Flush(milliseconds(300));
  const Collector collector(port);
  EXPECT_TRUE(reporter.Flush(milliseconds(5000)));
  size_t steps = 0;
  for (const base::Json& event : collector.Events("steps")) steps += event["compute_s"].size();
  EXPECT_GE(steps, 2000U);
  EXPECT_LE(steps, 30'000U);  // the bound, and a report that may have been under way
  const base::Json last = collector.Events("steps").back();
  EXPECT_EQ(last["first"].get<size_t>() + last["compute_s"].size(), 50'000U);
  EXPECT_LT(collector.Events("stage").size(), 500U);
  EXPECT_EQ(collector.Events("stage").back()["stage"], "stage999");
  const std::string said = ::testing::internal::GetCapturedStderr();
  const auto once = [&](std::string_view text) {
    const size_t at = said.find(text);
    return at != std::string::npos && said.find(text, at + 1) == std::string::npos;
  };
  EXPECT_TRUE(once("the oldest are dropped")) << said;
  EXPECT_TRUE(once("did not get a report")) << said;
}

TEST_F(ReporterTest, AWrongTokenIsSaidOnceAndNothingPilesUp) {
  const Collector collector;
  ReporterOptions options = OptionsFor(collector.port());
  options.token = "wrong";
  ::testing::internal::CaptureStderr();
  {
    base::Logger log(base::LogLevel::kWarn);
    Reporter reporter(options, clock_, log);
    for (int i = 0; i < 3; ++i) {
      reporter.Stage("x", 1);
      EXPECT_TRUE(reporter.Flush(milliseconds(3000)));
    }
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(collector.refused(), 3);
  EXPECT_THAT(said, HasSubstr("refused a report: status 401"));
  EXPECT_EQ(said.find("refused"), said.rfind("refused"));
}

TEST_F(ReporterTest, NeitherTellingNorEndingWaitsForAServerThatHangs) {
  net::Listener listener = net::Listener::Bind({"127.0.0.1", 0}).value();  // accepts, never answers
  ReporterOptions options = OptionsFor(listener.port());
  options.patience = milliseconds(300);
  options.last_flush = milliseconds(200);
  const auto begin = clock_.Monotonic();
  {
    Reporter reporter(options, clock_, log_);
    reporter.Stage("x", 1);
    std::this_thread::sleep_for(milliseconds(50));
    const auto telling = clock_.Monotonic();
    for (int64_t i = 0; i < 1000; ++i) reporter.Step({.step = i, .compute_s = 1});
    EXPECT_LT(clock_.Monotonic() - telling, milliseconds(150));
  }
  EXPECT_LT(clock_.Monotonic() - begin, milliseconds(3000));
}

TEST_F(ReporterTest, TheEnvironmentSaysWhereTo) {
  const Collector collector;
  const std::string url = "http://127.0.0.1:" + std::to_string(collector.port()) + "/runs/7/events";
  setenv("RECKON_STATUS_URL", url.c_str(), 1);
  setenv("RECKON_TOKEN", "secret", 1);
  setenv("RANK", "5", 1);
  setenv("RECKON_ROLE", "ps", 1);
  Reporter::FromEnvironment(clock_, log_)->Stage("x", 1);
  ASSERT_EQ(collector.reports().size(), 1U);
  EXPECT_EQ(collector.reports()[0].rank, 5);
  EXPECT_EQ(collector.reports()[0].role, "ps");

  // Nonsense is said, and does not stop training.
  setenv("RANK", "x", 1);
  setenv("RECKON_STATUS_URL", "nowhere", 1);
  ::testing::internal::CaptureStderr();
  {
    base::Logger log(base::LogLevel::kWarn);
    const auto reporter = Reporter::FromEnvironment(clock_, log);
    reporter->Stage("x", 1);
    EXPECT_TRUE(reporter->Flush(milliseconds(0)));
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("RECKON_STATUS_URL"));
  EXPECT_THAT(said, HasSubstr("RANK is 'x'"));

  for (const char* name : {"RECKON_STATUS_URL", "RECKON_TOKEN", "RANK", "RECKON_ROLE"}) {
    unsetenv(name);
  }
  const auto silent = Reporter::FromEnvironment(clock_, log_);
  silent->Step({.step = 1});
  silent->Progress(1, 2, "x");
  EXPECT_TRUE(silent->Flush(milliseconds(0)));
}

}  // namespace
}  // namespace reckon::observe
