// Code on its way from people to runs.
#include "app/manage/sent_bundles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "bundle/bundle.h"
#include "net/sha256.h"
#include "tests/support/temp_folder.h"

namespace reckon::app {
namespace {

using testing::HasSubstr;

constexpr uint64_t kMost = 10'000;

class SentBundlesTest : public testing::Test {
 protected:
  // An archive with a file of this text.
  std::string Archive(const std::string& text) {
    const auto folder = temporary_ / "code";
    std::filesystem::create_directories(folder);
    EXPECT_TRUE(base::WriteFile(folder / "main.py", text).ok());
    EXPECT_TRUE(bundle::Pack(folder, temporary_ / "packed", bundle::Limits(), {}).ok());
    return base::ReadFile(temporary_ / "packed").value();
  }
  base::Result<SentBundle> Send(const std::string& archive) {
    return sent_.Take(net::Sha256(archive), archive.size(), 0, archive);
  }
  std::filesystem::path kept() const { return temporary_ / "kept"; }

  const support::TempFolder temporary_;
  const base::SystemClock clock_;
  SentBundles sent_{temporary_ / "kept", kMost, clock_};
};

TEST_F(SentBundlesTest, GoesOnWhereItWasCut) {
  const std::string archive = Archive("print(1)");
  const std::string name = net::Sha256(archive);
  EXPECT_EQ(sent_.Find(name)->have, 0U);
  ASSERT_EQ(sent_.Take(name, archive.size(), 0, archive.substr(0, 10))->have, 10U);
  SentBundles again(kept(), kMost, clock_);  // as after a restart
  EXPECT_EQ(again.Find(name)->have, 10U);
  EXPECT_THAT(again.Take(name, archive.size(), 11, "x").error().Describe(),
              HasSubstr("from byte 10 on"));
  const auto whole = again.Take(name, archive.size(), 10, archive.substr(10));
  ASSERT_TRUE(whole.ok()) << whole.error().Describe();
  EXPECT_TRUE(whole->whole);
  // Who sends it once more has nothing to send.
  EXPECT_TRUE(again.Take(name, archive.size(), 0, archive)->whole);
  ASSERT_TRUE(again.Link(name, temporary_ / "of-run").ok());
  EXPECT_EQ(base::ReadFile(temporary_ / "of-run").value(), archive);
}

TEST_F(SentBundlesTest, RefusesWhatIsNotWhatItSays) {
  const std::string archive = Archive("print(1)");
  const std::string other = net::Sha256("other");
  EXPECT_THAT(sent_.Take(other, archive.size(), 0, archive).error().Describe(),
              HasSubstr("not what its SHA-256 says"));
  EXPECT_EQ(sent_.Find(other)->have, 0U);
  EXPECT_THAT(Send("no archive").error().Describe(), HasSubstr("archive"));
  EXPECT_THAT(sent_.Take(other, kMost + 1, 0, "x").error().Describe(), HasSubstr("at most"));
  EXPECT_FALSE(sent_.Take(other, 3, 0, "more").ok());
  EXPECT_FALSE(sent_.Find("../x").ok());
  EXPECT_FALSE(sent_.Link(other, temporary_ / "of-run").ok());
  EXPECT_FALSE(std::filesystem::exists(temporary_ / "of-run"));
}

TEST_F(SentBundlesTest, OldOnesGoWhereTheyAreOfNoUse) {
  const std::string first = Archive("print(1)");
  ASSERT_TRUE(Send(first).ok());
  const auto file = kept() / net::Sha256(first);
  ASSERT_TRUE(sent_.Link(net::Sha256(first), temporary_ / "of-run").ok());
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  ASSERT_TRUE(Send(Archive("print(2)")).ok());
  EXPECT_FALSE(sent_.Find(net::Sha256(first))->whole);
  EXPECT_EQ(base::ReadFile(temporary_ / "of-run").value(), first);  // the run still has it
}

}  // namespace
}  // namespace reckon::app
