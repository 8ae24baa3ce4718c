// The manager, of runs whose code was sent: where it goes, and what it leaves behind.
#include <gmock/gmock.h>

#include "app/runs/run_files.h"
#include "base/file.h"
#include "bundle/bundle.h"
#include "net/sha256.h"
#include "tests/unit/app/manager_play.h"

namespace reckon::app {
namespace {

using support::Within;
using testing::HasSubstr;

TEST_F(ManagerTest, CodeThatWasSentComesToTheNodesAndGoesWithTheRun) {
  const auto code = temporary_ / "code";
  std::filesystem::create_directories(code);
  ASSERT_TRUE(base::WriteFile(code / "main.sh", "true").ok());
  ASSERT_TRUE(bundle::Pack(code, temporary_ / "packed", bundle::Limits(), {}).ok());
  const std::string archive = base::ReadFile(temporary_ / "packed").value();
  JobText job{"name: update\nrun: sh main.sh\n", "job.yaml", {}};
  job.bundle = net::Sha256(archive);
  const auto early = manager_->Submit(job);
  ASSERT_FALSE(early.ok());
  EXPECT_THAT(early.error().Describe(), HasSubstr("is not here; send it first"));
  ASSERT_TRUE(manager_->bundles().Take(job.bundle, archive.size(), 0, archive)->whole);
  PlayedNode other(manager_, "other");  // one that has no sandbox
  other.Beat();
  PlayedNode h0(manager_, "h0");
  h0.beat_.node.runs_sent_code = true;
  h0.Beat();
  ASSERT_TRUE(manager_->Submit(job).ok());
  Start();  // as after a crash
  ASSERT_TRUE(h0.IsTold("start"));
  const act::PartKey key{1, 1};
  EXPECT_EQ(manager_->ReadBundle("h0", key, 0).value(), archive);
  EXPECT_EQ(manager_->ReadBundle("h0", key, archive.size()).value(), "");
  EXPECT_FALSE(manager_->ReadBundle("h1", key, 0).ok());
  EXPECT_FALSE(manager_->ReadBundle("h0", {1, 2}, 0).ok());
  h0.TellState("starting", 100);
  h0.End("failed", 101, "no");
  ASSERT_TRUE(h0.IsTold("forget"));
  EXPECT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    return manager_->OpenRuns() == 0;
  }));
  EXPECT_FALSE(std::filesystem::exists(RunFolderPath(db(), 1) / "bundle"));
  EXPECT_TRUE(manager_->bundles().Find(job.bundle)->whole) << "for whoever sends the same";
}

}  // namespace
}  // namespace reckon::app
