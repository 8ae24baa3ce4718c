// Apps of a node, over real HTTP.
#include "act/agents/app_door.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "net/http_client.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/base/fake_clock.h"

namespace reckon::act {
namespace {

using testing::HasSubstr;

class AppDoorTest : public testing::Test {
 protected:
  AppDoorTest() {
    node_.name = "edge1";
    node_.dilation = 2;
    node_.apps = {{"sift", 0.2}, {"door", 1}};
    Open();
  }
  void Open() {
    door_.reset();
    auto opened = AppDoor::Open(temporary_.path(), node_, clock_);
    ASSERT_TRUE(opened.ok()) << opened.error().Describe();
    door_ = *std::move(opened);
  }
  std::string Of(const std::string& app, const std::string& variable) const {
    const auto text = base::ReadFile(temporary_ / ("apps/" + app + ".env")).value();
    const size_t begin = text.find(variable + "=") + variable.size() + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  int Tell(const std::string& app, const std::string& token, const std::string& events) const {
    const net::Url url = net::ParseUrl(Of(app, "RECKON_STATUS_URL")).value();
    net::HttpClient client(url.address);
    const auto answer = client.Call(
        {"POST",
         url.target,
         {{"authorization", "Bearer " + token}},
         fmt::format(R"({{"rank": 0, "role": "background", "events": [{}]}})", events)});
    return answer.ok() ? answer->status : 0;
  }

  const support::TempFolder temporary_;
  base::FakeClock clock_;
  NodeInfo node_;
  std::unique_ptr<AppDoor> door_;
};

TEST_F(AppDoorTest, TellsHowTheLastTenSecondsWere) {
  const std::string token = Of("sift", "RECKON_TOKEN");
  EXPECT_TRUE(door_->Now().empty());
  // Of a host whose time runs at half the speed: 0.1, 0.15 and 0.25 s.
  EXPECT_EQ(Tell("sift", token,
                 R"({"kind": "latency", "at": 1, "seconds": [0.2, 0.3, 0.5], "missed": 0})"),
            204);
  const AppNow now = door_->Now().at("sift");
  EXPECT_EQ(now.answers, 3U);
  EXPECT_EQ(now.missed, 1U);
  EXPECT_NEAR(now.mean_s, 0.5 / 3, 1e-9);
  EXPECT_DOUBLE_EQ(now.p95_s, 0.25);
  EXPECT_FALSE(door_->Now().contains("door"));
  clock_.Advance(std::chrono::seconds(11));
  EXPECT_TRUE(door_->Now().empty());
}

TEST_F(AppDoorTest, TakesNothingFromStrangers) {
  const std::string latency = R"({"kind": "latency", "at": 1, "seconds": [0.2], "missed": 0})";
  EXPECT_EQ(Tell("sift", "wrong", latency), 401);
  EXPECT_EQ(Tell("sift", Of("door", "RECKON_TOKEN"), latency), 401);
  EXPECT_EQ(Tell("sift", Of("sift", "RECKON_TOKEN"), R"({"kind": "latency", "at": 1})"), 400);
  EXPECT_TRUE(door_->Now().empty());
  const auto permissions = std::filesystem::status(temporary_ / "apps/sift.env").permissions();
  EXPECT_EQ(permissions & std::filesystem::perms::mask, std::filesystem::perms(0600));
}

TEST_F(AppDoorTest, AnAppGoesOnAfterARestart) {
  const std::string url = Of("sift", "RECKON_STATUS_URL");
  const std::string token = Of("sift", "RECKON_TOKEN");
  Open();
  EXPECT_EQ(Of("sift", "RECKON_STATUS_URL"), url);
  EXPECT_EQ(Of("sift", "RECKON_TOKEN"), token);
  EXPECT_EQ(Tell("sift", token, R"({"kind": "latency", "at": 1, "seconds": [0.2], "missed": 0})"),
            204);
}

}  // namespace
}  // namespace reckon::act
