// Checkpoints on their way from an agent to its manager and on to another agent.
#include "app/manage/kept_checkpoint.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "act/agents/checkpoint_relay.h"
#include "app/runs/run_files.h"
#include "base/file.h"
#include "base/text.h"
#include "tests/support/temp_folder.h"

namespace reckon::app {
namespace {

using act::CheckpointRelay;
using act::FilePrint;
using act::PartKey;
using ::testing::HasSubstr;

constexpr PartKey kPart{7, 1};

// Every look at it takes a tenth of a second.
class SlowClock final : public base::Clock {
 public:
  base::WallTime Now() const override { return base::WallTime(); }
  base::MonotonicTime Monotonic() const override { return now_ += std::chrono::milliseconds(100); }

 private:
  mutable base::MonotonicTime now_{};
};

class KeptCheckpointTest : public testing::Test {
 protected:
  KeptCheckpointTest() {
    std::filesystem::create_directories(RunFolderPath(db(), 7));
    kept_ = KeptCheckpoint::Find(db(), 7, act::kCheckpointFile);
  }
  std::filesystem::path db() const { return folder_ / "reckon.db"; }

  // What the manager's routes do.
  base::Result<net::HttpResponse> Answer(const net::HttpRequest& request) {
    ++asked_;
    if (cut_after_ > 0 && asked_ > cut_after_) {
      return base::Error(base::ErrorCode::kUnavailable, "the cable is pulled");
    }
    const auto query = [&](const std::string& name) {
      const size_t at = request.target.find(name + "=") + name.size() + 1;
      return request.target.substr(at, request.target.find('&', at) - at);
    };
    const auto from = static_cast<uint64_t>(*base::ParseInteger(query("from")));
    if (request.method == "GET") {
      RECKON_ASSIGN(std::string bytes, kept_.Read(from));
      return net::HttpResponse{200, "application/octet-stream", std::move(bytes)};
    }
    const FilePrint print{query("print"),
                          static_cast<uint64_t>(*base::ParseInteger(query("bytes")))};
    RECKON_ASSIGN(const uint64_t have, kept_.Take(print, from, request.body));
    return net::HttpResponse{200, "application/json", base::DumpJsonLine({{"have", have}})};
  }
  CheckpointRelay Relay() {
    return {"h0", "checkpoint", clock_,
            [this](const net::HttpRequest& request) { return Answer(request); }};
  }
  base::MonotonicTime In(int ms) const {
    return clock_.Monotonic() + std::chrono::milliseconds(ms);
  }
  static std::string Content(size_t size, char first) {
    std::string text(size, '\0');
    for (size_t i = 0; i < size; ++i)
      text[i] = static_cast<char>(first + static_cast<char>(i * 31));
    return text;
  }

  const support::TempFolder folder_;
  const SlowClock clock_;
  KeptCheckpoint kept_;
  int asked_ = 0;
  int cut_after_ = 0;
};

TEST_F(KeptCheckpointTest, GoesUpInPiecesAndDownAgain) {
  const std::string text = Content(5'000'000, 'a');
  const auto file = folder_ / "checkpoint";
  ASSERT_TRUE(base::WriteFile(file, text).ok());
  CheckpointRelay sender = Relay();
  EXPECT_FALSE(kept_.newest());
  EXPECT_TRUE(sender.Send(kPart, file, In(300)).value());  // there is more
  EXPECT_FALSE(kept_.newest());
  EXPECT_FALSE(sender.Send(kPart, file, In(100'000)).value());
  EXPECT_EQ(kept_.newest(), act::PrintOf(text));
  EXPECT_EQ(asked_, 20);
  // As after a restart of the manager.
  EXPECT_EQ(KeptCheckpoint::Find(db(), 7, act::kCheckpointFile).newest(), kept_.newest());

  CheckpointRelay receiver = Relay();
  EXPECT_FALSE(receiver.Fetch(kPart, *kept_.newest(), In(300)).value());  // not whole yet
  EXPECT_EQ(receiver.Fetch(kPart, *kept_.newest(), In(100'000)).value(), text);
}

TEST_F(KeptCheckpointTest, OneThatBreaksOffIsBegunAnewAndTheOldOneStays) {
  const std::string first = Content(100, 'a');
  const std::string second = Content(3'000'000, 'b');
  const auto file = folder_ / "checkpoint";
  ASSERT_TRUE(base::WriteFile(file, first).ok());
  CheckpointRelay sender = Relay();
  ASSERT_TRUE(sender.Send(kPart, file, In(10'000)).ok());
  ASSERT_TRUE(base::WriteFile(file, second).ok());
  cut_after_ = asked_ + 5;
  EXPECT_FALSE(sender.Send(kPart, file, In(10'000)).ok());
  EXPECT_EQ(kept_.newest(), act::PrintOf(first));
  EXPECT_EQ(kept_.Read(0).value(), first);
  cut_after_ = 0;
  EXPECT_FALSE(sender.Send(kPart, file, In(10'000)).value());
  EXPECT_EQ(kept_.newest(), act::PrintOf(second));
}

TEST_F(KeptCheckpointTest, AFileThatIsReplacedOnItsWayArrivesAsItWas) {
  const std::string first = Content(3'000'000, 'a');
  const std::string second = Content(3'000'000, 'c');
  const auto file = folder_ / "checkpoint";
  ASSERT_TRUE(base::WriteFile(file, first).ok());
  CheckpointRelay sender = Relay();
  ASSERT_TRUE(sender.Send(kPart, file, In(200)).value());
  ASSERT_TRUE(base::WriteFile(file, second).ok());
  EXPECT_FALSE(sender.Send(kPart, file, In(10'000)).value());
  EXPECT_EQ(kept_.newest(), act::PrintOf(first));
  EXPECT_FALSE(sender.Send(kPart, file, In(10'000)).value());
  EXPECT_EQ(kept_.newest(), act::PrintOf(second));
}

TEST_F(KeptCheckpointTest, WhatIsWrongIsRefusedAndTheOldOneStays) {
  const std::string text = Content(100, 'a');
  const FilePrint print = act::PrintOf(text);
  EXPECT_EQ(kept_.Take(print, 0, text).value(), 100);
  EXPECT_THAT(kept_.Take({"0123", 4}, 0, "abcd").error().message(), HasSubstr("not the one"));
  EXPECT_THAT(kept_.Take({"0123", 8}, 4, "abcd").error().message(), HasSubstr("from byte 0 on"));
  ASSERT_EQ(kept_.Take({"0123", 8}, 0, "abcd").value(), 4);
  EXPECT_THAT(kept_.Take({"0123", 8}, 2, "abcd").error().message(), HasSubstr("from byte 4 on"));
  EXPECT_THAT(kept_.Take({"0123", 8}, 4, "abcde").error().message(), HasSubstr("from byte 4 on"));
  EXPECT_THAT(kept_.Take({"0123", uint64_t{1} << 60}, 0, "a").error().message(),
              HasSubstr("at most"));
  EXPECT_EQ(kept_.newest(), print);
  EXPECT_EQ(kept_.Read(40).value(), text.substr(40));
  EXPECT_EQ(kept_.Read(101).error().code(), base::ErrorCode::kBadInput);
  EXPECT_EQ(KeptCheckpoint::Find(db(), 8, act::kCheckpointFile).Read(0).error().code(),
            base::ErrorCode::kNotFound);
  // What comes down is held against its name, too.
  CheckpointRelay receiver = Relay();
  EXPECT_EQ(receiver.Fetch(kPart, {"0123", 100}, In(10'000)).error().code(),
            base::ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace reckon::app
