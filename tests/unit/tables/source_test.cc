#include "tables/source.h"

#include <array>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

std::string ReadAt(const Source& source, uint64_t offset, size_t count) {
  std::string text(count, '?');
  const auto got = source.Read(offset, text.data(), count);
  EXPECT_TRUE(got.ok());
  text.resize(*got);
  return text;
}

TEST(Source, ReadsAFileAgainFromAnywhere) {
  const TempFolder folder;
  const auto source = Source::Open(folder.Write("a.csv", "abcdef"));
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source->size(), 6U);
  EXPECT_EQ(source->name(), (folder / "a.csv").string());
  EXPECT_EQ(ReadAt(*source, 0, 10), "abcdef");
  EXPECT_EQ(ReadAt(*source, 4, 10), "ef");
  EXPECT_EQ(ReadAt(*source, 0, 2), "ab");
  EXPECT_EQ(ReadAt(*source, 6, 2), "");
  EXPECT_EQ(ReadAt(*source, 60, 2), "");
}

TEST(Source, ReadsTextInMemory) {
  Source source = Source::FromText("abcdef", "some text");
  EXPECT_EQ(source.name(), "some text");
  EXPECT_EQ(source.size(), 6U);
  EXPECT_EQ(ReadAt(source, 4, 10), "ef");
  EXPECT_EQ(ReadAt(source, 7, 10), "");
  const Source moved = std::move(source);
  EXPECT_EQ(ReadAt(moved, 0, 3), "abc");
}

TEST(Source, KeepsWhatAPipeSays) {
  const TempFolder folder;
  const auto path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string text(3 << 20, 'x');
  const std::jthread writer([&] { std::ofstream(path) << text; });
  const auto source = Source::Open(path);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source->size(), text.size());
  EXPECT_EQ(ReadAt(*source, 0, text.size() + 1), text);
  EXPECT_EQ(ReadAt(*source, 0, 1), "x");
}

TEST(Source, ReadsStandardInput) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(write(ends[1], "a,b\n", 4), 4);
  close(ends[1]);
  const int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  const auto source = Source::Open("-");
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(ends[0]);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source->name(), "standard input");
  EXPECT_EQ(ReadAt(*source, 0, 10), "a,b\n");
}

TEST(Source, ReadsFilesThatHideTheirSize) {
  const auto source = Source::Open("/proc/self/status");
  ASSERT_TRUE(source.ok());
  EXPECT_GT(source->size(), 0U);
}

TEST(Source, SaysThatAFileIsNotThere) {
  const auto source = Source::Open("no/such/x.csv");
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.error().code(), base::ErrorCode::kNotFound);
  EXPECT_EQ(source.error().Describe(), "cannot open 'no/such/x.csv': No such file or directory");
}

TEST(Source, WantsAFileAndNotAFolder) {
  const auto source = Source::Open("/tmp");
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.error().code(), base::ErrorCode::kBadInput);
  EXPECT_EQ(source.error().Describe(), "'/tmp' is a folder; expected a file");
}

TEST(Source, ClosesItsFile) {
  const TempFolder folder;
  const auto path = folder.Write("a.csv", "abc");
  const int before = open("/dev/null", O_RDONLY);
  close(before);
  for (int i = 0; i < 10; ++i) {
    auto source = Source::Open(path);
    auto other = Source::Open(path);
    ASSERT_TRUE(source.ok() && other.ok());
    *source = std::move(*other);
    EXPECT_EQ(ReadAt(*source, 0, 3), "abc");
  }
  const int after = open("/dev/null", O_RDONLY);
  close(after);
  EXPECT_EQ(before, after);
}

TEST(ReadText, TakesTheByteOrderMarkOff) {
  EXPECT_EQ(*ReadText(Source::FromText("\xEF\xBB\xBF"
                                       "a,b",
                                       "x")),
            "a,b");
  EXPECT_EQ(*ReadText(Source::FromText("\xEF\xBB", "x")), "\xEF\xBB");
  EXPECT_EQ(*ReadText(Source::FromText("", "x")), "");
  const std::string large((1 << 20) + 5, 'y');
  EXPECT_EQ(*ReadText(Source::FromText(large, "x")), large);
}

TEST(ReadText, RefusesWhatIsNoText) {
  EXPECT_EQ(ReadText(Source::FromText(std::string("a\nb\0c", 5), "x")).error().Describe(),
            "x, line 2: looks like binary data or UTF-16, expected text");
  EXPECT_EQ(ReadText(Source::FromText("\xFF\xFE"
                                      "a",
                                      "x"))
                .error()
                .Describe(),
            "x, line 1: looks like binary data or UTF-16, expected text");
}

}  // namespace
}  // namespace reckon::tables
