#include "act/local/line_channel.h"

#include <array>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

namespace reckon::act {
namespace {

struct Ends {
  static std::array<int, 2> Pair() {
    std::array<int, 2> pair{};
    RECKON_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
    return pair;
  }
  explicit Ends(std::array<int, 2> pair = Pair()) : near(pair[0]), far(pair[1]) {}
  LineChannel near;
  LineChannel far;
};

// A supervisor that stands still for minutes: what is told every second is dropped, what is told
// once arrives when it goes on.
TEST(LineChannelTest, OffersAreDroppedAndWhatIsSentWaits) {
  Ends ends;
  int64_t offered = 0;
  while (ends.near.Offer({{"n", offered}})) ++offered;
  EXPECT_GT(offered, 10);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(ends.near.Offer({{"n", -1}}));
  std::vector<base::Json> messages;
  std::jthread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    while (messages.empty() || messages.back().contains("n")) {
      for (base::Json& message : ends.far.Receive()) messages.push_back(std::move(message));
    }
  });
  EXPECT_TRUE(ends.near.Send({{"ended", true}}).ok());
  late.join();
  ASSERT_EQ(messages.size(), static_cast<size_t>(offered) + 1);
  for (int64_t i = 0; i < offered; ++i) {
    EXPECT_EQ(messages[static_cast<size_t>(i)], base::Json({{"n", i}}));
  }
  EXPECT_TRUE(ends.near.Offer({{"n", 0}}));
}

TEST(LineChannelTest, ALineThatHasBegunIsFinished) {
  Ends ends;
  const std::string text(5 << 20, 'x');  // more than any buffer takes at once
  const auto limit = std::chrono::milliseconds(20);
  EXPECT_EQ(ends.near.Send({{"text", text}}, limit).error().code(), base::ErrorCode::kUnavailable);
  EXPECT_FALSE(ends.near.Offer({{"n", 1}}));
  std::vector<base::Json> messages;
  std::jthread reader([&] {
    while (messages.size() < 2) {
      for (base::Json& message : ends.far.Receive()) messages.push_back(std::move(message));
    }
  });
  EXPECT_TRUE(ends.near.Send({{"n", 2}}).ok());
  reader.join();
  EXPECT_EQ(messages[0], base::Json({{"text", text}}));
  EXPECT_EQ(messages[1], base::Json({{"n", 2}}));
}

TEST(LineChannelTest, NobodyWaitsForOneWhoIsGone) {
  Ends ends;
  while (ends.near.Offer({{"n", 1}})) {
  }
  std::jthread going([far = std::make_unique<LineChannel>(std::move(ends.far))] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  EXPECT_EQ(ends.near.Send({{"ended", true}}).error().code(), base::ErrorCode::kUnavailable);
  EXPECT_FALSE(ends.near.Offer({{"n", 1}}));
}

}  // namespace
}  // namespace reckon::act
