// An agent's parts, with real supervisors.
#include "act/agents/part_shelf.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "bundle/bundle.h"
#include "tests/support/run_watch.h"

namespace reckon::act {
namespace {

using std::chrono::seconds;
using support::Within;
using testing::HasSubstr;
using testing::IsEmpty;

class PartShelfTest : public testing::Test {
 protected:
  PartShelfTest() {
    std::filesystem::create_directory(temporary_ / "programs");
    std::filesystem::create_symlink(RECKON_SUPERVISE_PROGRAM,
                                    temporary_ / "programs/reckon-supervise");
    Open();
  }
  ~PartShelfTest() override {
    shelf_->StopAll();
    Within(seconds(20), [&] { return support::Marked(mark()).empty(); });
  }

  void Open() {
    shelf_.reset();
    auto opened = PartShelf::Open({temporary_ / "shelf", temporary_ / "programs", {}}, clock_);
    ASSERT_TRUE(opened.ok()) << opened.error().Describe();
    shelf_.emplace(*std::move(opened));
  }

  PartWish Wish(const std::string& want, const std::string& script = "") const {
    PartWish wish;
    wish.key = {7, 1};
    wish.want = want;
    if (script.empty()) return wish;
    LaunchSpec spec;
    spec.run_id = 7;
    spec.name = "test";
    spec.token = "secret";
    spec.part = "h0";
    spec.stop_grace_s = 1;
    ProcessSpec worker;
    worker.role = "worker";
    worker.argv = {"/bin/sh", "-c", script};
    worker.log = "worker-0.log";
    worker.env["RECKON_TEST_MARK"] = mark();
    spec.processes.push_back(worker);
    wish.spec = spec;
    wish.contents["note.txt"] = "hello\n";
    return wish;
  }

  PartFacts Facts() {
    const auto parts = shelf_->List("m1");
    return parts.empty() ? PartFacts{} : parts.front();
  }
  bool Tells(const std::string& text) {
    return Within(seconds(20), [&] {
      const auto events = shelf_->ReadBytes("m1", {7, 1}, "events.jsonl", 0, 1 << 20);
      return events.ok() && events->find(text) != std::string::npos;
    });
  }
  bool Unpacked() {
    return Within(seconds(20), [&] { return shelf_->UnpackCode("m1", {7, 1}).value(); });
  }
  std::string mark() const { return "mark-" + temporary_.path().filename().string(); }

  const support::TempFolder temporary_;
  const base::SystemClock clock_;
  std::optional<PartShelf> shelf_;
};

TEST_F(PartShelfTest, APartFromItsFilesToItsEnd) {
  EXPECT_THAT(shelf_->List("m1"), IsEmpty());
  shelf_->Fulfil("m1", Wish("ready", "cat note.txt; exit 0"));
  EXPECT_TRUE(Facts().ready);
  EXPECT_FALSE(Facts().began);
  EXPECT_THAT(shelf_->List("m2"), IsEmpty()) << "of another manager";
  // Every wish may come again, and after a new start of the agent.
  for (int i = 0; i < 2; ++i) {
    shelf_->Fulfil("m1", Wish("start"));
    EXPECT_TRUE(Facts().lives) << Facts().trouble;
    Open();
  }
  ASSERT_TRUE(Tells("background.settled"));
  for (int i = 0; i < 2; ++i) shelf_->Fulfil("m1", Wish("go"));
  ASSERT_TRUE(Tells("rank.ended"));
  EXPECT_TRUE(Facts().lives) << "it waits for its release";
  PartWish release = Wish("release");
  release.training = Stretch{1, 2};
  for (int i = 0; i < 2; ++i) shelf_->Fulfil("m1", release);
  ASSERT_TRUE(Within(seconds(20), [&] { return !Facts().lives; }));
  EXPECT_TRUE(Tells("\"finished\""));
  const PartFacts facts = Facts();
  EXPECT_EQ(facts.files.at("worker-0.log"), 6U);
  EXPECT_GT(facts.files.at("events.jsonl"), 100U);
  EXPECT_FALSE(facts.files.contains("spec.json"));
  shelf_->Fulfil("m1", Wish("start"));
  EXPECT_FALSE(Facts().lives) << "what was carried out is not carried out again";
  for (int i = 0; i < 2; ++i) shelf_->Fulfil("m1", Wish("forget"));
  EXPECT_THAT(shelf_->List("m1"), IsEmpty());
}

TEST_F(PartShelfTest, DataThatHaveComeBelongToThePart) {
  const auto data = shelf_->DataFolderOf("m1", {7, 1});
  std::filesystem::create_directories(data);
  ASSERT_TRUE(base::WriteFile(data / "shard-0.images", "pixels").ok());
  shelf_->NoteData("m1", {7, 1}, false, "the store is away");
  EXPECT_FALSE(Facts().has_data);
  EXPECT_EQ(Facts().data_trouble, "the store is away");
  EXPECT_EQ(Facts().trouble, "") << "it is tried again";
  shelf_->NoteData("m1", {7, 1}, true, "");
  Open();
  EXPECT_TRUE(Facts().has_data) << "a new agent finds it";
  EXPECT_FALSE(Facts().ready);
  shelf_->Fulfil("m1", Wish("ready", "cat shard-0.images; ls -a"));
  EXPECT_TRUE(Facts().ready) << Facts().trouble;
  shelf_->Fulfil("m1", Wish("start"));
  shelf_->Fulfil("m1", Wish("go"));
  ASSERT_TRUE(Tells("rank.ended"));
  const auto log = shelf_->ReadBytes("m1", {7, 1}, "worker-0.log", 0, 4096).value();
  EXPECT_THAT(log, HasSubstr("pixels"));
  EXPECT_THAT(log, testing::Not(HasSubstr(".whole")));
  shelf_->Fulfil("m1", Wish("release"));
  ASSERT_TRUE(Within(seconds(20), [&] { return !Facts().lives; }));
  shelf_->Fulfil("m1", Wish("forget"));
  EXPECT_THAT(shelf_->List("m1"), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(data));
  // Of an attempt that never came to a part, too.
  std::filesystem::create_directories(data);
  shelf_->NoteData("m1", {7, 1}, true, "");
  EXPECT_EQ(shelf_->List("m1").size(), 1U);
  shelf_->Fulfil("m1", Wish("forget"));
  EXPECT_THAT(shelf_->List("m1"), IsEmpty());
}

TEST_F(PartShelfTest, AStopEndsWhatRunsAndNothingStartsAfterIt) {
  shelf_->Fulfil("m1", Wish("start", "sleep 60"));
  shelf_->Fulfil("m1", Wish("go"));
  ASSERT_TRUE(Tells("rank.started"));
  EXPECT_FALSE(support::Marked(mark()).empty());
  shelf_->Fulfil("m1", Wish("stop"));
  ASSERT_TRUE(Within(seconds(20), [&] { return !Facts().lives; }));
  EXPECT_TRUE(Tells("\"stopped\""));
  EXPECT_THAT(support::Marked(mark()), IsEmpty());
  shelf_->Fulfil("m1", Wish("go"));
  EXPECT_FALSE(Facts().lives);
  // Of one that is not here.
  PartWish other = Wish("stop");
  other.key = {8, 1};
  shelf_->Fulfil("m1", other);
  EXPECT_EQ(shelf_->List("m1").size(), 1U);
}

TEST_F(PartShelfTest, WhatAKilledSupervisorLeavesIsEnded) {
  shelf_->Fulfil("m1", Wish("start", "trap '' TERM; sleep 60"));
  shelf_->Fulfil("m1", Wish("go"));
  ASSERT_TRUE(Tells("rank.started"));
  const RunFolder folder(temporary_ / "shelf/m1/7.1");
  // With its keepers, which would end the rank themselves: processes of the same command line.
  size_t killed = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const auto line = base::ReadFile(entry.path() / "cmdline");
    if (!line.ok() || line->find(folder.path.string()) == std::string::npos) continue;
    killed += kill(std::stoi(entry.path().filename()), SIGKILL) == 0 ? 1 : 0;
  }
  EXPECT_GE(killed, 1U);
  ASSERT_TRUE(Within(seconds(20), [&] { return !Facts().lives; }));
  EXPECT_TRUE(Facts().began);
  EXPECT_TRUE(Within(seconds(20), [&] { return support::Marked(mark()).empty(); }));
}

TEST_F(PartShelfTest, WhatCannotBeDoneIsTold) {
  PartWish wish = Wish("start", "true");
  std::filesystem::remove(temporary_ / "programs/reckon-supervise");
  shelf_->Fulfil("m1", wish);
  EXPECT_TRUE(Facts().began);
  EXPECT_FALSE(Facts().lives);
  EXPECT_THAT(Facts().trouble, HasSubstr("reckon-supervise"));
  // A folder that cannot be made.
  ASSERT_TRUE(base::WriteFile(temporary_ / "shelf/m3", "in the way").ok());
  shelf_->Fulfil("m3", wish);
  const auto parts = shelf_->List("m3");
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_FALSE(parts[0].ready);
  EXPECT_FALSE(parts[0].trouble.empty());
}

TEST_F(PartShelfTest, OneAgentAtATime) {
  const auto second = PartShelf::Open({temporary_ / "shelf", temporary_ / "programs", {}}, clock_);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().Describe(), HasSubstr("in use by another agent"));
}

TEST_F(PartShelfTest, OnlyWholeLinesOfWhatIsStillWritten) {
  shelf_->Fulfil("m1", Wish("start", "printf 'a\\nb'; sleep 60"));
  shelf_->Fulfil("m1", Wish("go"));
  ASSERT_TRUE(Tells("rank.started"));
  ASSERT_TRUE(Within(seconds(20), [&] { return Facts().files["worker-0.log"] == 2; }));
  shelf_->Fulfil("m1", Wish("stop"));
  ASSERT_TRUE(Within(seconds(20), [&] { return !Facts().lives; }));
  EXPECT_EQ(Facts().files["worker-0.log"], 3U);
}

TEST_F(PartShelfTest, CodeThatWasSentIsUnpackedAndRunThere) {
  shelf_.reset();
  ShelfOptions options{temporary_ / "shelf", temporary_ / "programs", {}};
  options.sandbox =
      SandboxUse::kNone;  // not everywhere can one be had; tests/e2e/sent_code.py looks at that
  shelf_.emplace(PartShelf::Open(options, clock_).value());
  const auto code = temporary_ / "code";
  std::filesystem::create_directories(code / "lib");
  ASSERT_TRUE(base::WriteFile(code / "lib/words", "from the folder").ok());
  const auto data = shelf_->DataFolderOf("m1", {7, 1});
  std::filesystem::create_directories(data);
  ASSERT_TRUE(bundle::Pack(code, data / kBundleFile, bundle::Limits(), {}).ok());
  ASSERT_TRUE(Unpacked());
  shelf_->NoteData("m1", {7, 1}, true, "");
  EXPECT_TRUE(Facts().has_data);
  PartWish wish = Wish("ready", "cat lib/words; echo; pwd");
  wish.bundle = FilePrint{"0123", 4};
  shelf_->Fulfil("m1", wish);
  EXPECT_EQ(Facts().trouble, "");
  ASSERT_TRUE(Facts().ready);
  EXPECT_FALSE(std::filesystem::exists(data));
  shelf_->Fulfil("m1", Wish("start"));
  shelf_->Fulfil("m1", Wish("go"));
  shelf_->Fulfil("m1", Wish("release"));
  EXPECT_TRUE(Tells("finished"));
  const auto log = shelf_->ReadBytes("m1", {7, 1}, "worker-0.log", 0, 1 << 16);
  ASSERT_TRUE(log.ok());
  EXPECT_THAT(*log, HasSubstr("from the folder"));
  EXPECT_THAT(*log, HasSubstr("/7.1/work"));
}

TEST_F(PartShelfTest, CodeThatCannotBeUnpackedIsTrouble) {
  const auto data = shelf_->DataFolderOf("m1", {7, 1});
  std::filesystem::create_directories(data);
  ASSERT_TRUE(base::WriteFile(data / kBundleFile, "no archive").ok());
  std::string trouble;
  EXPECT_TRUE(Within(seconds(20), [&] {
    const auto unpacked = shelf_->UnpackCode("m1", {7, 1});
    if (!unpacked.ok()) trouble = unpacked.error().Describe();
    return !unpacked.ok();
  }));
  EXPECT_THAT(trouble, HasSubstr("archive"));
  shelf_->NoteData("m1", {7, 1}, true, "");
  EXPECT_FALSE(Facts().has_data);
  PartWish wish = Wish("ready", "true");
  wish.bundle = FilePrint{"0123", 10};
  shelf_->Fulfil("m1", wish);
  EXPECT_FALSE(Facts().ready);
  EXPECT_NE(Facts().trouble, "");
  EXPECT_FALSE(std::filesystem::exists(temporary_ / "shelf/m1/7.1"));
}

}  // namespace
}  // namespace reckon::act
