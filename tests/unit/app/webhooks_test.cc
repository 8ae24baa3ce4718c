// Webhooks, with a real server that is told, refuses, and goes away.
#include "app/manage/webhooks.h"

#include <mutex>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "net/http_server.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/within.h"

namespace reckon::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using support::Within;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Remembers what it was told.
class Listener {
 public:
  explicit Listener(uint16_t port = 0) {
    net::HttpServerOptions options;
    options.listen = {"127.0.0.1", port};
    server_ = net::HttpServer::Start(
                  options,
                  [this](const net::HttpRequest& request) {
                    const std::scoped_lock lock(mutex_);
                    if (status_ >= 300) return net::HttpResponse{status_, "text/plain", "no"};
                    told_.push_back(base::ParseJson(request.body, "webhook").value());
                    return net::HttpResponse{204, "", ""};
                  },
                  [](const net::HttpRequest&) { return std::nullopt; })
                  .value();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()) + "/hook?key=x"; }
  uint16_t port() const { return server_->port(); }
  void Answer(int status) {
    const std::scoped_lock lock(mutex_);
    status_ = status;
  }
  std::vector<int64_t> ids() {
    const std::scoped_lock lock(mutex_);
    std::vector<int64_t> ids;
    for (const base::Json& event : told_) ids.push_back(event.at("id"));
    return ids;
  }
  base::Json last() {
    const std::scoped_lock lock(mutex_);
    return told_.back();
  }

 private:
  std::mutex mutex_;
  std::vector<base::Json> told_;
  int status_ = 204;
  std::unique_ptr<net::HttpServer> server_;
};

class WebhooksTest : public testing::Test {
 protected:
  WebhooksTest() : store_(store::SqliteStore::Open(folder_ / "reckon.db", clock_).value()) {}

  std::unique_ptr<Webhooks> Start(const std::vector<std::string>& urls) {
    WebhookOptions options;
    options.urls = urls;
    options.folder = folder_ / "manager";
    options.look = milliseconds(5);
    options.first_pause = milliseconds(10);
    options.longest_pause = milliseconds(50);
    return Webhooks::Start(options, *store_, log_).value();
  }
  int64_t Add(const std::string& kind, std::optional<int64_t> run = {}) {
    core::Event event;
    event.run_id = run;
    event.kind = kind;
    event.detail = R"({"to":"running"})";
    return store_->AddEvent(event).value();
  }

  const support::TempFolder folder_;
  const base::SystemClock clock_;
  base::Logger log_{base::LogLevel::kOff};
  std::unique_ptr<store::SqliteStore> store_;
};

TEST_F(WebhooksTest, EveryEventOfRunsAndNodesIsToldInItsOrder) {
  Listener listener;
  Add("node.joined");  // before: not told
  const auto hooks = Start({listener.url()});
  core::Run run;
  run.name = "digits";
  run.job = "{}";
  const int64_t id = store_->AddRun(run)->id;
  std::vector<int64_t> wanted;
  for (int i = 0; i < 250; ++i) {
    const int64_t event = Add(i % 5 == 0 ? "model.fitted" : "run.state", id);
    if (i % 5 != 0) wanted.push_back(event);
  }
  EXPECT_TRUE(Within(seconds(30), [&] { return listener.ids().size() >= wanted.size(); }));
  EXPECT_EQ(listener.ids(), wanted);
  EXPECT_EQ(listener.last().at("name"), "digits");
  EXPECT_EQ(listener.last().at("run"), id);
  EXPECT_EQ(listener.last().at("detail").at("to"), "running");
}

TEST_F(WebhooksTest, OneThatIsAwayHearsItLaterAndDelaysNobody) {
  Listener there;
  uint16_t port = 0;
  {
    const Listener away;
    port = away.port();
  }
  const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/hook?key=x";
  auto hooks = Start({url, there.url()});
  const int64_t first = Add("run.state");
  EXPECT_TRUE(Within(seconds(30), [&] { return there.ids().size() == 1; }));
  hooks.reset();  // as after a restart of the manager
  const int64_t second = Add("run.state");
  Listener back(port);
  hooks = Start({url, there.url()});
  EXPECT_TRUE(
      Within(seconds(30), [&] { return back.ids().size() == 2 && there.ids().size() == 2; }));
  EXPECT_THAT(back.ids(), ElementsAre(first, second));
  EXPECT_THAT(there.ids(), ElementsAre(first, second));
}

TEST_F(WebhooksTest, WhatIsRefusedForGoodIsPassedOverAndTroubleIsNot) {
  Listener listener;
  const auto hooks = Start({listener.url()});
  listener.Answer(503);
  const int64_t kept = Add("run.state");
  std::this_thread::sleep_for(milliseconds(60));
  listener.Answer(204);
  EXPECT_TRUE(Within(seconds(30), [&] { return listener.ids().size() == 1; }));
  listener.Answer(410);
  Add("run.state");
  // Its cursor tells that it was passed over.
  const auto cursor = [&] {
    std::string text;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "manager")) {
      const auto read = base::ReadFile(entry.path());
      if (read.ok()) text += *read;
    }
    return text;
  };
  EXPECT_TRUE(Within(seconds(30), [&] { return cursor() == std::to_string(kept + 1); }));
  listener.Answer(204);
  const int64_t next = Add("node.lost");
  EXPECT_TRUE(Within(seconds(30), [&] { return listener.ids().size() == 2; }));
  EXPECT_THAT(listener.ids(), ElementsAre(kept, next));
}

TEST_F(WebhooksTest, WrongAddressesAreRefused) {
  WebhookOptions options;
  options.folder = folder_ / "manager";
  options.urls = {"ftp://there"};
  const auto started = Webhooks::Start(options, *store_, log_);
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code(), base::ErrorCode::kBadInput);
  EXPECT_THAT(started.error().Describe(), HasSubstr("--webhook"));
}

}  // namespace
}  // namespace reckon::app
