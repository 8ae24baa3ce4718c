// What people's folders become, and what comes out again.
#include "bundle/bundle.h"

#include <map>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "bundle/open_below.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/bundle/made_archives.h"

namespace reckon::bundle {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using testing::ElementsAre;
using testing::HasSubstr;

class BundleTest : public testing::Test {
 protected:
  BundleTest() {
    fs::create_directory(job());
    fs::create_directory(out());
  }

  fs::path job() const { return temporary_ / "job"; }
  fs::path out() const { return temporary_ / "out"; }
  fs::path file() const { return temporary_ / "job.tar.gz"; }

  void Write(const std::string& name, const std::string& text, mode_t mode = 0644) const {
    const fs::path path = job() / name;
    fs::create_directories(path.parent_path());
    ASSERT_TRUE(base::WriteFile(path, text).ok());
    chmod(path.c_str(), mode);
  }
  base::Result<Contents> PackJob(const Limits& limits = {},
                                 const std::stop_token& stop = {}) const {
    return Pack(job(), file(), limits, stop);
  }
  // Why it cannot be packed; nothing stays behind then.
  std::string Refusal(const Limits& limits = {}, ErrorCode code = ErrorCode::kBadInput) const {
    const auto packed = PackJob(limits);
    EXPECT_FALSE(fs::exists(file()));
    if (packed.ok()) return "it is packed";
    EXPECT_EQ(packed.error().code(), code);
    return packed.error().Describe();
  }

  // Everything below a folder: files with their content, folders with "/".
  static std::map<std::string, std::string> All(const fs::path& folder) {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().lexically_relative(folder).string();
      all[name] = entry.is_directory() ? "/" : base::ReadFile(entry.path()).value();
    }
    return all;
  }
  std::vector<std::string> PackedNames() const {
    EXPECT_TRUE(PackJob().ok());
    EXPECT_TRUE(Unpack(file(), out(), {}).ok());
    std::vector<std::string> names;
    for (const auto& [name, content] : All(out())) names.push_back(name);
    return names;
  }
  static mode_t Mode(const fs::path& path) {
    struct stat info {};
    EXPECT_EQ(lstat(path.c_str(), &info), 0);
    return info.st_mode & 07777;
  }

  const support::TempFolder temporary_;
};

TEST_F(BundleTest, ComesBackAsItWas) {
  std::string large(3'000'000, '\0');
  uint32_t state = 1;
  for (char& c : large) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24U);
  Write("train.py", "print('hello')\n");
  Write("bin/start", "#!/bin/sh\n", 0700);
  Write("data/large.bin", large, 0600);
  Write("data/empty", "");
  Write("Größe/e\xcc\x81.txt", "as Apple writes it");
  Write("Größe/\xc3\xa9.txt", "as others do");
  Write("latin-\xe9", "not UTF-8");
  Write(std::string(120, 'd') + "/" + std::string(250, 'n'), "long");
  fs::create_directories(job() / "runs/empty");
  const auto packed = PackJob();
  ASSERT_TRUE(packed.ok()) << packed.error().Describe();
  EXPECT_EQ(packed->files, 8U);
  EXPECT_GT(packed->bytes, 3'000'000U);
  EXPECT_LT(fs::file_size(file()), 3'100'000U);
  for (const auto& read : {Check(file(), {}), CheckBytes(base::ReadFile(file()).value(), {}),
                           Unpack(file(), out(), {})}) {
    ASSERT_TRUE(read.ok()) << read.error().Describe();
    EXPECT_EQ(read->files, packed->files);
    EXPECT_EQ(read->bytes, packed->bytes);
  }
  EXPECT_EQ(All(out()), All(job()));
  EXPECT_EQ(Mode(out() / "train.py"), 0644U);
  EXPECT_EQ(Mode(out() / "bin/start"), 0755U);
  EXPECT_EQ(Mode(out() / "data/large.bin"), 0644U);
  EXPECT_EQ(Mode(out() / "runs/empty"), 0755U);
}

TEST_F(BundleTest, TheSameContentGivesTheSameBytes) {
  Write("b/x.py", "1", 0600);
  Write("ä.py", "2", 0755);
  ASSERT_TRUE(PackJob().ok());
  const std::string first = base::ReadFile(file()).value();
  fs::remove_all(job());
  Write("ä.py", "2", 0700);
  Write("b/x.py", "1", 0644);
  fs::last_write_time(job() / "b/x.py", fs::file_time_type::clock::now() - std::chrono::hours(99));
  ASSERT_TRUE(Pack(job() / "b" / "..", file(), {}, {}).ok());
  EXPECT_EQ(base::ReadFile(file()).value(), first);
  EXPECT_EQ(first.substr(3, 5), std::string(5, '\0')) << "neither a name nor a time";
  chmod((job() / "b/x.py").c_str(), 0755);
  ASSERT_TRUE(PackJob().ok());
  EXPECT_NE(base::ReadFile(file()).value(), first);
}

TEST_F(BundleTest, LeavesOutWhatIsNotNeeded) {
  Write(".git/config", "");
  Write("sub/.git", "gitdir: elsewhere");
  Write("sub/__pycache__/x.pyc", "");
  Write("sub/__pycache__.py", "");
  ASSERT_TRUE(Pack(job(), job() / "old.tar.gz", {}, {}).ok());
  EXPECT_THAT(PackedNames(), ElementsAre("old.tar.gz", "sub", "sub/__pycache__.py"));
  const auto again = Pack(job(), job() / "old.tar.gz", {}, {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->files, 1U) << "not itself";
}

TEST_F(BundleTest, LeavesOutWhatIsNamed) {
  Write(".reckonignore",
        "# not needed\n\n*.ckpt\r\nruns/\n/data/raw\n./top\n  notes/*.txt\nlink/\n[bad\n/\n");
  for (const auto* name :
       {"a.ckpt", "sub/b.ckpt", "sub/b.ckpt2", "runs/1/log", "sub/runs", "data/raw/1",
        "sub/data/raw", "top", "sub/top", "notes/a.txt", "notes/deep/a.txt", "# not needed"}) {
    Write(name, "x");
  }
  fs::create_directory_symlink("/usr", job() / "link");
  EXPECT_THAT(PackedNames(), ElementsAre("# not needed", ".reckonignore", "data", "notes",
                                         "notes/deep", "notes/deep/a.txt", "sub", "sub/b.ckpt2",
                                         "sub/data", "sub/data/raw", "sub/runs", "sub/top"));
}

TEST_F(BundleTest, LinksToFilesInsideArePackedAsFiles) {
  Write("data/v2.bin", "two", 0755);
  fs::create_symlink("v2.bin", job() / "data/latest");
  fs::create_symlink(job() / "data/latest", job() / "absolute");
  fs::create_directory_symlink(job(), temporary_ / "way");
  ASSERT_TRUE(Pack(temporary_ / "way", file(), {}, {}).ok());
  ASSERT_TRUE(Unpack(file(), out(), {}).ok());
  for (const auto* name : {"data/latest", "absolute"}) {
    EXPECT_EQ(fs::symlink_status(out() / name).type(), fs::file_type::regular);
    EXPECT_EQ(base::ReadFile(out() / name).value(), "two");
    EXPECT_EQ(Mode(out() / name), 0755U);
  }
}

TEST_F(BundleTest, OtherLinksAndDevicesAreRefused) {
  Write("x.py", "");
  Write("sub/y.py", "");
  const fs::path elsewhere = temporary_.Write("job-secret", "");
  for (const fs::path& target : {elsewhere, fs::path("../job-secret"), fs::path("sub"),
                                 fs::path("nothing"), fs::path("link"), fs::path("/dev/null")}) {
    fs::create_symlink(target, job() / "link");
    const std::string refusal = Refusal();
    EXPECT_THAT(refusal, HasSubstr("job/link' is a symbolic link that does not")) << target;
    EXPECT_THAT(refusal, HasSubstr("name it in '"));
    Write(".reckonignore", "link");
    EXPECT_TRUE(PackJob().ok());
    fs::remove(file());
    fs::remove(job() / ".reckonignore");
    fs::remove(job() / "link");
  }
  ASSERT_EQ(mkfifo((job() / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(Refusal(), HasSubstr("job/pipe' is a pipe; only files and folders are packed"));
  fs::remove(job() / "pipe");
  Write("new\nline", "");
  EXPECT_THAT(Refusal(), HasSubstr("job/new\\x0aline' has a control character in its name"));
}

TEST_F(BundleTest, AStrangersFolderLeadsNowhere) {
  Write("x.py", "");
  for (const fs::path& target : {fs::path("/dev/zero"), fs::path("x.py"), fs::path("nothing")}) {
    fs::create_symlink(target, job() / ".reckonignore");
    EXPECT_THAT(Refusal(), HasSubstr(".reckonignore' is not a file"));
    fs::remove(job() / ".reckonignore");
  }
  ASSERT_EQ(mkfifo((job() / ".reckonignore").c_str(), 0600), 0);
  EXPECT_THAT(Refusal(), HasSubstr(".reckonignore' is not a file"));
  fs::remove(job() / ".reckonignore");
  Write(".reckonignore", std::string(70'000, '#'));
  EXPECT_THAT(Refusal(), HasSubstr("is longer than"));
  // As if a folder became a link between looking and reading.
  Write("sub/deep/y.py", "");
  fs::create_directory_symlink("sub", job() / "link");
  const Descriptor root(open(job().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_TRUE(OpenBelow(root, "sub/deep/y.py", O_RDONLY).ok());
  EXPECT_TRUE(OpenBelow(root, "", O_RDONLY).ok());
  EXPECT_FALSE(OpenBelow(root, "link/deep/y.py", O_RDONLY).ok());
  EXPECT_FALSE(OpenBelow(root, "link", O_RDONLY | O_DIRECTORY).ok());
}

TEST_F(BundleTest, NotMoreThanTheLimits) {
  Write("a.py", std::string(400, 'a'));
  Write("data/b.bin", std::string(600, 'b'));
  EXPECT_TRUE(PackJob({.most_bytes = 1000, .most_files = 3}).ok());
  fs::remove(file());
  std::string refusal = Refusal({.most_bytes = 999, .most_files = 3});
  EXPECT_THAT(
      refusal,
      HasSubstr("has more than 999 B, which is the limit: 1 KB in 3 files and folders so far"));
  EXPECT_THAT(refusal, HasSubstr("the largest is 'data/b.bin' with 600 B"));
  refusal = Refusal({.most_bytes = 1000, .most_files = 2});
  EXPECT_THAT(refusal, HasSubstr("has more than 2 files and folders, which"));
}

TEST_F(BundleTest, NothingStaysBehindWhenItFails) {
  EXPECT_THAT(Refusal(), HasSubstr("there is no file to pack"));
  Write("a.py", std::string(50'000, 'a'));
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = PackJob({}, stop.get_token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code(), ErrorCode::kInterrupted);
  EXPECT_FALSE(fs::exists(file()));
  {
    const support::FileSizeLimit full(40);
    EXPECT_THAT(Refusal({}, ErrorCode::kIo), HasSubstr("job.tar.gz"));
  }
  const auto nowhere = Pack(temporary_ / "none", file(), {}, {});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(Pack(job() / "a.py", file(), {}, {}).ok());
}

TEST_F(BundleTest, AWheelIsAZip) {
  const std::string wheel = Zip({{"größe/__init__.py", "x = 1\n"},
                                 {"größe-1.0.dist-info/", "", 040755},
                                 {"größe-1.0.dist-info/RECORD", ""},
                                 {"./größe/./bin//run", "#!/bin/sh\n", 0106755}});
  ASSERT_TRUE(base::WriteFile(file(), wheel).ok());
  const auto read = Unpack(file(), out(), {});
  ASSERT_TRUE(read.ok()) << read.error().Describe();
  EXPECT_EQ(read->files, 3U);
  EXPECT_EQ(base::ReadFile(out() / "größe/__init__.py").value(), "x = 1\n");
  EXPECT_EQ(Mode(out() / "größe/bin/run"), 0755U) << "and not setuid";
}

TEST_F(BundleTest, EveryUsualCompression) {
  const std::string tar =
      Tar({{"./", "", '5'}, {"./a.txt", "hello"}, {"s", "x", 'S', "", 0644, 4096, 8192}});
  for (const int filter : {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2,
                           ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD}) {
    const std::string bytes = filter == ARCHIVE_FILTER_NONE ? tar : Compressed(tar, filter);
    const auto read = CheckBytes(bytes, {});
    ASSERT_TRUE(read.ok()) << filter << read.error().Describe();
    EXPECT_EQ(read->files, 2U);
    EXPECT_EQ(read->bytes, 5U + 8192U);
  }
  ASSERT_TRUE(base::WriteFile(file(), tar).ok());
  ASSERT_TRUE(Unpack(file(), out(), {}).ok());
  EXPECT_EQ(base::ReadFile(out() / "s").value(),
            std::string(4096, '\0') + "x" + std::string(4095, '\0'));
}

TEST_F(BundleTest, UnpacksOnlyIntoAnEmptyFolder) {
  Write("a.py", std::string(50'000, 'a'));
  ASSERT_TRUE(PackJob().ok());
  {
    const support::FileSizeLimit full(1000);
    const auto read = Unpack(file(), out(), {});
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code(), ErrorCode::kIo);
    EXPECT_THAT(read.error().Describe(), HasSubstr("out/a.py"));
  }
  for (const fs::path& folder : {out(), temporary_ / "none", file()}) {
    const auto read = Unpack(file(), folder, {});
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code(), ErrorCode::kBadInput);
    EXPECT_THAT(read.error().Describe(), HasSubstr("is not an empty folder"));
  }
}

}  // namespace
}  // namespace reckon::bundle
