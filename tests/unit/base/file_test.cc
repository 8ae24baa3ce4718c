#include "base/file.h"

#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/file_size_limit.h"
#include "tests/support/temp_folder.h"

namespace reckon::base {
namespace {

namespace fs = std::filesystem;
using support::FileSizeLimit;

class FileTest : public ::testing::Test {
 protected:
  fs::path Path(const std::string& name) const { return folder_ / name; }
  size_t FileCount() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  static std::string Content(const fs::path& path) {
    const std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  static mode_t Mode(const fs::path& path) {
    struct stat info {};
    EXPECT_EQ(stat(path.c_str(), &info), 0);
    return info.st_mode & 07777;
  }

  reckon::support::TempFolder folder_;
};

TEST_F(FileTest, ReadsWhatWasWritten) {
  std::string bytes;
  for (int i = 0; i < 300000; ++i) bytes += static_cast<char>(i * 31 % 256);
  ASSERT_TRUE(WriteFile(Path("a"), bytes).ok());
  const Result<std::string> read = ReadFile(Path("a"));
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(*read == bytes);
  ASSERT_TRUE(WriteFile(Path("a"), "").ok());
  EXPECT_EQ(*ReadFile(Path("a")), "");
}

TEST_F(FileTest, ReadingSaysWhatIsMissing) {
  const Result<std::string> read = ReadFile(Path("missing.csv"));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(read.error().Describe(),
            "cannot open '" + Path("missing.csv").string() + "': No such file or directory");
  EXPECT_EQ(ReadFile(folder_.path()).error().code(), ErrorCode::kIo);
}

TEST_F(FileTest, NothingAppearsWithoutCommit) {
  {
    Result<AtomicFile> file = AtomicFile::Create(Path("a"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Append(std::string(200000, 'x')).ok());
    EXPECT_FALSE(fs::exists(Path("a")));
  }
  EXPECT_EQ(FileCount(), 0U);
}

TEST_F(FileTest, OldContentStaysUntilCommit) {
  ASSERT_TRUE(WriteFile(Path("a"), "old").ok());
  Result<AtomicFile> file = AtomicFile::Create(Path("a"));
  ASSERT_TRUE(file->Append("new").ok());
  EXPECT_EQ(Content(Path("a")), "old");
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(Content(Path("a")), "new");
  EXPECT_EQ(FileCount(), 1U);
}

TEST_F(FileTest, AKilledWriterLeavesNothing) {
  const int probe = open(folder_.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no files without a name (O_TMPFILE)";
  close(probe);
  ASSERT_TRUE(WriteFile(Path("a"), "old").ok());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto replaced = AtomicFile::Create(Path("a"));
    auto added = AtomicFile::Create(Path("b"));
    if (!replaced->Append("new").ok() || !replaced->Finish().ok() || !added->Append("x").ok()) {
      _exit(1);
    }
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(Content(Path("a")), "old");
  EXPECT_EQ(FileCount(), 1U);
}

TEST_F(FileTest, ALinkStaysAndItsTargetIsReplaced) {
  ASSERT_TRUE(WriteFile(Path("target"), "old").ok());
  fs::create_symlink("target", Path("link"));
  ASSERT_TRUE(WriteFile(Path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Content(Path("target")), "new");
  EXPECT_EQ(FileCount(), 2U);
}

TEST_F(FileTest, ALinkToNothingGetsItsTarget) {
  fs::create_symlink("target", Path("link"));
  ASSERT_TRUE(WriteFile(Path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Content(Path("target")), "new");
}

TEST_F(FileTest, TheLongestNameCanBeReplaced) {
  const std::string name(255, 'n');
  ASSERT_TRUE(WriteFile(Path(name), "old").ok());
  ASSERT_TRUE(WriteFile(Path(name), "new").ok());
  EXPECT_EQ(Content(Path(name)), "new");
}

TEST_F(FileTest, AMovedFileIsCommittedOnce) {
  Result<AtomicFile> first = AtomicFile::Create(Path("a"));
  ASSERT_TRUE(first->Append("x").ok());
  {
    AtomicFile second = std::move(first).value();
    ASSERT_TRUE(second.Append("y").ok());
    ASSERT_TRUE(second.Commit().ok());
  }
  EXPECT_EQ(Content(Path("a")), "xy");
}

TEST_F(FileTest, ReadersNeverSeeHalfAFile) {
  constexpr size_t kSize = 200000;
  ASSERT_TRUE(WriteFile(Path("a"), std::string(kSize, '0')).ok());
  std::atomic<bool> done{false};
  std::jthread writer([&] {
    for (int i = 0; i < 30; ++i) {
      const std::string text(kSize, static_cast<char>('0' + i % 10));
      EXPECT_TRUE(WriteFile(Path("a"), text).ok());
    }
    done = true;
  });
  while (!done) {
    const Result<std::string> text = ReadFile(Path("a"));
    ASSERT_TRUE(text.ok());
    ASSERT_EQ(text->size(), kSize);
    ASSERT_EQ(text->find_first_not_of(text->front()), std::string::npos);
  }
}

TEST_F(FileTest, AFullDiskKeepsTheOldContent) {
  ASSERT_TRUE(WriteFile(Path("a"), "old").ok());
  Status status;
  {
    const FileSizeLimit limit(1000);
    status = WriteFile(Path("a"), std::string(100000, 'x'));
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kIo);
  EXPECT_EQ(Content(Path("a")), "old");
  EXPECT_EQ(FileCount(), 1U);
}

TEST_F(FileTest, CannotBeCommittedAfterAFailedAppend) {
  ASSERT_TRUE(WriteFile(Path("a"), "old").ok());
  {
    Result<AtomicFile> file = AtomicFile::Create(Path("a"));
    Status append;
    {
      const FileSizeLimit limit(1000);
      append = file->Append(std::string(100000, 'x'));
    }
    ASSERT_FALSE(append.ok());
    // There is room again, but part of the text is lost.
    static_cast<void>(file->Append("more"));
    EXPECT_FALSE(file->Commit().ok());
  }
  EXPECT_EQ(Content(Path("a")), "old");
  EXPECT_EQ(FileCount(), 1U);
}

TEST_F(FileTest, NewFilesHaveTheUsualMode) {
  const mode_t mask = umask(027);
  const Status status = WriteFile(Path("a"), "x");
  umask(mask);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(Mode(Path("a")), 0640U);
}

TEST_F(FileTest, ReplacedFilesKeepTheirMode) {
  ASSERT_TRUE(WriteFile(Path("secret"), "x").ok());
  ASSERT_EQ(chmod(Path("secret").c_str(), 0600), 0);
  ASSERT_TRUE(WriteFile(Path("secret"), "y").ok());
  EXPECT_EQ(Mode(Path("secret")), 0600U);
  const mode_t mask = umask(077);
  EXPECT_EQ(chmod(Path("secret").c_str(), 0664), 0);
  const Status shared = WriteFile(Path("secret"), "z");
  umask(mask);
  EXPECT_TRUE(shared.ok());
  EXPECT_EQ(Mode(Path("secret")), 0664U);
}

TEST_F(FileTest, OtherThreadsNeverSeeAnotherUmask) {
  const mode_t mask = umask(022);
  {
    const std::jthread creator([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) EXPECT_TRUE(AtomicFile::Create(Path("a")).ok());
    });
    const fs::path other = Path("other");
    for (int i = 0; i < 10000; ++i) {
      const int descriptor = open(other.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
      close(descriptor);
      ASSERT_EQ(Mode(other), 0644U) << "after " << i << " files";
      fs::remove(other);
    }
  }
  EXPECT_EQ(umask(mask), 022U);
}

TEST_F(FileTest, TwoWritersOfOneFileDoNotMix) {
  Result<AtomicFile> a = AtomicFile::Create(Path("f"));
  Result<AtomicFile> b = AtomicFile::Create(Path("f"));
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_TRUE(a->Append("aaa").ok());
  ASSERT_TRUE(b->Append("bb").ok());
  ASSERT_TRUE(a->Commit().ok());
  EXPECT_EQ(Content(Path("f")), "aaa");
  ASSERT_TRUE(b->Commit().ok());
  EXPECT_EQ(Content(Path("f")), "bb");
  EXPECT_EQ(FileCount(), 1U);
}

// The name under which a file waits to replace `path`, as the folder's watchers see it.
std::string WaitingName(const fs::path& path) {
  EXPECT_TRUE(WriteFile(path, "first").ok());
  const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  EXPECT_GE(inotify_add_watch(watch, path.parent_path().c_str(), IN_MOVED_FROM), 0);
  EXPECT_TRUE(WriteFile(path, "second").ok());
  alignas(inotify_event) std::array<char, 4096> buffer{};
  const bool seen = read(watch, buffer.data(), buffer.size()) > 0;
  close(watch);
  EXPECT_TRUE(seen);
  return seen ? reinterpret_cast<const inotify_event*>(buffer.data())->name : "";
}

TEST_F(FileTest, TheNextWriterRemovesWhatAKilledOneLeft) {
  const std::string name = WaitingName(Path("a"));
  std::ofstream(Path(name)) << "left";
  ASSERT_TRUE(WriteFile(Path("a"), "third").ok());
  EXPECT_EQ(Content(Path("a")), "third");
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(FileTest, AnotherWritersFileIsLeftAlone) {
  const std::string name = WaitingName(Path("a"));
  std::ofstream(Path(name)) << "of another writer";
  const int other = open(Path(name).c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  ASSERT_TRUE(WriteFile(Path("a"), "third").ok());
  RemoveAbandonedFiles(folder_.path());
  EXPECT_EQ(Content(Path("a")), "third");
  EXPECT_EQ(Content(Path(name)), "of another writer");
  close(other);
  RemoveAbandonedFiles(folder_.path());
  EXPECT_FALSE(fs::exists(Path(name)));
}

TEST_F(FileTest, OnlyAbandonedFilesAreSwept) {
  for (const char* name : {".reckon-0123abcd", ".reckon-ffffffff"}) std::ofstream(Path(name));
  for (const char* name : {".reckon-0123abc", ".reckon-0123abcdX", ".reckon-0123abcg", "a.json"}) {
    std::ofstream(Path(name));
  }
  RemoveAbandonedFiles(folder_.path());
  EXPECT_EQ(FileCount(), 4);
  EXPECT_FALSE(fs::exists(Path(".reckon-0123abcd")));
  RemoveAbandonedFiles(Path("missing"));  // nothing to do
}

TEST_F(FileTest, AControlFileIsWrittenOrTheErrorNamed) {
  std::ofstream(Path("cpu.max")) << "max 100000";
  ASSERT_TRUE(WriteControl(Path("cpu.max"), "4000 20000").ok());
  EXPECT_EQ(Content(Path("cpu.max")), "4000 20000");
  EXPECT_EQ(WriteControl(Path("no"), "1").error().Describe(),
            "cannot write '1' to " + Path("no").string() + ": No such file or directory");
  EXPECT_FALSE(fs::exists(Path("no")));
}

TEST_F(FileTest, AMissingFolderIsNotFound) {
  const Status status = WriteFile(Path("no/such/file"), "x");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(WriteFile(Path("file"), "x").ok());
  EXPECT_EQ(WriteFile(Path("file/below"), "x").error().code(), ErrorCode::kNotFound);
}

TEST_F(FileTest, AFolderIsNoFile) {
  const Status status = WriteFile(folder_.path(), "x");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(FileCount(), 0U);
}

TEST_F(FileTest, AFullDeviceIsAnIoError) {
  const Status status = WriteFile("/dev/full", "x");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kIo);
  EXPECT_EQ(status.error().chain().back(), "No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(FileTest, APipeIsWrittenDirectly) {
  const fs::path pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  {
    const std::jthread reader([&] { received = Content(pipe); });
    EXPECT_TRUE(WriteFile(pipe, "through").ok());
  }
  EXPECT_EQ(received, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

}  // namespace
}  // namespace reckon::base
