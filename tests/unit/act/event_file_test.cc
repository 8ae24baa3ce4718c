#include "act/local/event_file.h"

#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/file_size_limit.h"
#include "tests/support/temp_folder.h"

namespace reckon::act {
namespace {

using base::Json;

std::vector<int> Numbers(EventReader& reader) {
  std::vector<int> numbers;
  const base::Status read =
      reader.Next([&](const Json& event) { numbers.push_back(event.at("n").get<int>()); });
  EXPECT_TRUE(read.ok());
  return numbers;
}

TEST(EventFileTest, IsFollowed) {
  const support::TempFolder folder;
  EventReader reader(folder / "e");
  EXPECT_TRUE(Numbers(reader).empty());
  EventWriter writer = EventWriter::Open(folder / "e").value();
  ASSERT_TRUE(writer.Append({{"n", 1}}).ok());
  ASSERT_TRUE(writer.Append({{"n", 2}, {"text", "two\nlines"}}).ok());
  EXPECT_EQ(Numbers(reader), (std::vector{1, 2}));
  EXPECT_TRUE(Numbers(reader).empty());
  ASSERT_TRUE(writer.Append({{"n", 3}}).ok());
  EXPECT_EQ(Numbers(reader), std::vector{3});
}

TEST(EventFileTest, HalfALineIsNoEventYet) {
  const support::TempFolder folder;
  std::ofstream file(folder / "e");
  EventReader reader(folder / "e");
  file << R"({"n": 1}
{"n": )"
       << std::flush;
  EXPECT_EQ(Numbers(reader), std::vector{1});
  file << "2}" << std::flush;
  EXPECT_TRUE(Numbers(reader).empty());
  file << "\n" << std::flush;
  EXPECT_EQ(Numbers(reader), std::vector{2});
}

TEST(EventFileTest, LinesLongerThanWhatIsReadAtOnceStayWhole) {
  const support::TempFolder folder;
  EventWriter writer = EventWriter::Open(folder / "e").value();
  for (int n = 0; n < 4; ++n) {
    ASSERT_TRUE(writer.Append({{"n", n}, {"pad", std::string(50'000 * n + 15'000, 'x')}}).ok());
  }
  EventReader reader(folder / "e");
  EXPECT_EQ(Numbers(reader), (std::vector{0, 1, 2, 3}));
}

TEST(EventFileTest, WhatWasTakenBackIsNotWaitedFor) {
  const support::TempFolder folder;
  folder.Write("e", "{\"n\": 1}\n{\"n\": 2, \"te");
  EventReader reader(folder / "e");
  EXPECT_EQ(Numbers(reader), std::vector{1});
  std::filesystem::resize_file(folder / "e", 9);
  EXPECT_TRUE(Numbers(reader).empty());
  EventWriter writer = EventWriter::Open(folder / "e").value();
  ASSERT_TRUE(writer.Append({{"n", 3}}).ok());
  EXPECT_EQ(Numbers(reader), std::vector{3});
}

TEST(EventFileTest, ATornLineHarmsNoOther) {
  const support::TempFolder folder;
  folder.Write("e", "{\"n\": 1}\n{\"n\": 2, \"te");
  {
    EventWriter writer = EventWriter::Open(folder / "e").value();
    ASSERT_TRUE(writer.Append({{"n", 3}}).ok());
  }
  EventWriter again = EventWriter::Open(folder / "e").value();
  ASSERT_TRUE(again.Append({{"n", 4}}).ok());
  EventReader reader(folder / "e");
  EXPECT_EQ(Numbers(reader), (std::vector{1, 3, 4}));
}

TEST(EventFileTest, ManyThreadsWriteWholeLines) {
  const support::TempFolder folder;
  EventWriter writer = EventWriter::Open(folder / "e").value();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 250; ++i) {
          ASSERT_TRUE(writer.Append({{"n", t * 250 + i}, {"pad", std::string(500, 'x')}}).ok());
        }
      });
    }
  }
  EventReader reader(folder / "e");
  std::vector<int> numbers = Numbers(reader);
  std::sort(numbers.begin(), numbers.end());
  ASSERT_EQ(numbers.size(), 1000U);
  EXPECT_EQ(numbers.back(), 999);
}

TEST(EventFileTest, AFullDiskIsSaid) {
  EventWriter writer = EventWriter::Open("/dev/full").value();
  EXPECT_EQ(writer.Append({{"n", 1}}).error().code(), base::ErrorCode::kIo);
  EXPECT_FALSE(EventWriter::Open("/no/such/folder/e").ok());
}

TEST(EventFileTest, ManyAreWrittenAllOrNone) {
  const support::TempFolder folder;
  EventWriter writer = EventWriter::Open(folder / "e").value();
  ASSERT_TRUE(writer.AppendAll({}).ok());
  const std::vector<Json> two = {{{"n", 1}}, {{"n", 2}}};
  ASSERT_TRUE(writer.AppendAll(two).ok());
  const auto before = std::filesystem::file_size(folder / "e");
  const std::vector<Json> more = {{{"n", 3}}, {{"n", 4}}, {{"n", 5}}};
  {
    const support::FileSizeLimit full(before + 12);  // in the middle of the second
    EXPECT_EQ(writer.AppendAll(more).error().code(), base::ErrorCode::kIo);
    EXPECT_EQ(std::filesystem::file_size(folder / "e"), before);
  }
  ASSERT_TRUE(writer.AppendAll(more).ok());
  EventReader reader(folder / "e");
  EXPECT_EQ(Numbers(reader), (std::vector{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace reckon::act
