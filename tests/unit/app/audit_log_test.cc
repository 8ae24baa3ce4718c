#include "app/access/audit_log.h"

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/file.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/base/fake_clock.h"

namespace reckon::app {
namespace {

using base::Json;

AuditEntry EntryOf(const std::string& token) {
  AuditEntry entry;
  entry.token = token;
  entry.scope = "admin";
  entry.from = "10.0.0.1";
  entry.method = "POST";
  entry.route = "/api/v1/runs/{id}/stop";
  entry.path = {{"id", "7"}};
  entry.status = 202;
  return entry;
}

class AuditLogTest : public ::testing::Test {
 protected:
  std::vector<Json> Read(size_t limit = 1000, std::optional<int64_t> before = {},
                         const AuditOptions& options = {}) {
    return ReadAudit(file_, limit, before, options).value();
  }

  support::TempFolder folder_;
  std::filesystem::path file_ = AuditFile(folder_ / "reckon.db");
  base::FakeClock clock_;
};

TEST_F(AuditLogTest, LinesSayWhoWhatWhenAndFromWhereAndAreReadNewestFirst) {
  EXPECT_EQ(file_.filename(), "reckon.audit.jsonl");
  EXPECT_TRUE(Read().empty());
  AuditLog log(file_, clock_);
  ASSERT_TRUE(log.Write(EntryOf("ada")).ok());
  AuditEntry refused = EntryOf("");
  refused.path = {{"id", std::string("\xff\n\"", 3) + std::string(10'000, 'x')}};
  refused.status = 401;
  refused.why = "the token is wrong";
  refused.unlisted = 3;
  ASSERT_TRUE(log.Write(refused).ok());
  const auto lines = Read();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1]["id"], 1);
  EXPECT_EQ(lines[1]["token"], "ada");
  EXPECT_EQ(lines[1]["at"], "2026-01-31T08:05:00.000000Z");
  EXPECT_EQ(lines[1]["path"]["id"], "7");
  EXPECT_EQ(lines[1]["from"], "10.0.0.1");
  EXPECT_EQ(lines[1]["status"], 202);
  EXPECT_EQ(lines[0]["id"], 2);
  EXPECT_EQ(lines[0]["why"], "the token is wrong");
  EXPECT_EQ(lines[0]["unlisted"], 3);
  struct stat info {};
  ASSERT_EQ(stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_LT(info.st_size, 1500);
}

TEST_F(AuditLogTest, AHalfWrittenLineGoesAndTheNumbersGoOn) {
  ASSERT_TRUE(AuditLog(file_, clock_).Write(EntryOf("a")).ok());
  const std::string whole = base::ReadFile(file_).value();
  folder_.Write("reckon.audit.jsonl", whole + whole.substr(0, whole.size() / 2));
  EXPECT_EQ(Read().size(), 1U);
  ASSERT_TRUE(AuditLog(file_, clock_).Write(EntryOf("b")).ok());
  const auto lines = Read();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["id"], 2);
  EXPECT_EQ(lines[0]["token"], "b");
}

TEST_F(AuditLogTest, FilesAreLimitedAndTheOldestGoes) {
  const AuditOptions small{.most_bytes = 1000, .kept_files = 3};
  AuditLog log(file_, clock_, small);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(log.Write(EntryOf("a")).ok());
  const auto lines = Read(1000, {}, small);
  ASSERT_GT(lines.size(), 5U);
  ASSERT_LT(lines.size(), 50U);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i]["id"], 100 - i);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "reckon.audit.2.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "reckon.audit.3.jsonl"));
  // Pages go over the ends of files.
  std::vector<int64_t> ids;
  std::optional<int64_t> before;
  for (;;) {
    const auto page = Read(3, before, small);
    if (page.empty()) break;
    for (const Json& line : page) ids.push_back(line["id"]);
    before = ids.back();
  }
  ASSERT_EQ(ids.size(), lines.size());
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], lines[i]["id"]);
}

TEST_F(AuditLogTest, SeveralWritersShareOneLog) {
  constexpr int kEach = 100;
  const AuditOptions small{.most_bytes = 20'000, .kept_files = 20};
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < 3; ++w) {
      writers.emplace_back([&] {
        AuditLog log(file_, clock_, small);
        for (int i = 0; i < kEach; ++i) ASSERT_TRUE(log.Write(EntryOf("a")).ok());
      });
    }
  }
  const auto lines = Read(1000, {}, small);
  ASSERT_EQ(lines.size(), size_t{3} * kEach);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i]["id"], lines.size() - i);
}

TEST_F(AuditLogTest, WhatCannotBeWrittenIsWrittenLater) {
  AuditLog log(file_, clock_);
  ASSERT_TRUE(log.Write(EntryOf("a")).ok());
  const std::filesystem::path away = folder_ / "away";
  std::filesystem::rename(file_, away);
  std::filesystem::create_directory(file_);
  EXPECT_FALSE(log.Write(EntryOf("b")).ok());
  EXPECT_FALSE(log.CatchUp().ok());
  std::filesystem::remove(file_);
  std::filesystem::rename(away, file_);
  ASSERT_TRUE(log.CatchUp().ok());
  const auto lines = Read();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["token"], "b");
  ASSERT_TRUE(log.CatchUp().ok());
  EXPECT_EQ(Read().size(), 2U);
}

}  // namespace
}  // namespace reckon::app
