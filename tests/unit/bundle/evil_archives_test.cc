// Archives that mean harm, or are no archives: refused with a word that helps, and nothing is
// written outside of the folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/entry_name.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/bundle/made_archives.h"

namespace reckon::bundle {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using testing::HasSubstr;

// Why all three ways of reading refuse it, once they agree.
std::string Refusal(const std::string& archive, const Limits& limits = {}) {
  const support::TempFolder temporary;
  const fs::path file = temporary.Write("evil", archive);
  const fs::path folder = temporary / "above/out";
  fs::create_directories(folder);
  const auto in_memory = CheckBytes(archive, limits);
  const auto checked = Check(file, limits);
  const auto unpacked = Unpack(file, folder, limits);
  size_t outside = 0;
  for (const auto& entry : fs::recursive_directory_iterator(temporary.path())) {
    const std::string below = entry.path().lexically_relative(folder).string();
    outside += below.starts_with("..") ? 1 : 0;
    EXPECT_FALSE(entry.is_symlink()) << entry.path();
    EXPECT_TRUE(entry.is_directory() || entry.is_regular_file()) << entry.path();
  }
  EXPECT_EQ(outside, 2U) << "the archive and the folder above";
  EXPECT_FALSE(fs::exists("/tmp/reckon-evil"));
  if (in_memory.ok() || checked.ok() || unpacked.ok()) return "it is taken";
  EXPECT_EQ(in_memory.error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(checked.error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(checked.error().Describe(), unpacked.error().Describe());
  EXPECT_THAT(checked.error().Describe(), HasSubstr("'" + file.string() + "'"));
  const std::string why = in_memory.error().Describe();
  EXPECT_TRUE(checked.error().Describe().ends_with(why.substr(why.find("archive") + 7))) << why;
  return why;
}

const TarEntry kGood{"good.txt", "hello"};

TEST(EvilArchives, NamesThatLeadOut) {
  const auto both = [](const std::string& name) {
    const std::string zip = Refusal(Zip({{"good.txt", "x"}, {name, "x"}}));
    EXPECT_EQ(Refusal(Tar({kGood, {name, "x"}})), zip);
    return zip;
  };
  EXPECT_THAT(both("../x"), HasSubstr("entry '../x' leads out of its folder"));
  EXPECT_THAT(both("a/../../x"), HasSubstr("leads out"));
  EXPECT_THAT(both("a/.."), HasSubstr("leads out"));
  EXPECT_THAT(both("/tmp/reckon-evil"), HasSubstr("'/tmp/reckon-evil' has an absolute name"));
  EXPECT_THAT(both("//tmp/reckon-evil"), HasSubstr("has an absolute name"));
  EXPECT_THAT(both("a\nb"), HasSubstr("'a\\x0ab' has a control character in its name"));
  EXPECT_THAT(both("a\x1b[31m"), HasSubstr("'a\\x1b[31m' has a control"));
  EXPECT_THAT(Refusal(Tar({kGood, {"..\\x", "x"}})), HasSubstr("has a backslash"));
  EXPECT_THAT(Refusal(Zip({{"..\\x", "x"}})), HasSubstr("leads out")) << "made on Windows";
  EXPECT_THAT(Refusal(Tar({{"..", "", '5'}})), HasSubstr("leads out"));
  EXPECT_THAT(Refusal(Tar({{".", "x"}})), HasSubstr("is a file without a name"));
  EXPECT_THAT(Refusal(Tar({{"", "x"}})), HasSubstr("has no name"));
  EXPECT_THAT(Refusal(Zip({{"caf\xe9\xff", "x"}})), HasSubstr("name cannot be read"))
      << "said to be UTF-8";
}

TEST(EvilArchives, NamesThatAreTooLong) {
  const auto long_name = [](const std::string& name) {
    return Refusal(LongName(name) + Tar({{"short", "x"}}));
  };
  EXPECT_THAT(long_name(std::string(256, 'n')), HasSubstr("more than 255 bytes in a part"));
  std::string deep = "x";
  while (deep.size() <= 1000) deep = "d/" + deep;
  const std::string why = long_name(deep);
  EXPECT_THAT(why, HasSubstr("a name of more than 1000 bytes"));
  EXPECT_LT(why.size(), 400U);
}

TEST(EvilArchives, WhatIsNeitherFileNorFolder) {
  EXPECT_THAT(Refusal(Tar({kGood, {"l", "", '2', "/etc/passwd"}, {"l/x", "x"}})),
              HasSubstr("entry 'l' is a symbolic link; only files and folders are unpacked"));
  EXPECT_THAT(Refusal(Tar({kGood, {"l", "", '1', "good.txt"}})), HasSubstr("is a hard link"));
  EXPECT_THAT(Refusal(Tar({kGood, {"l", "data", '1', "good.txt"}})), HasSubstr("is a hard link"));
  EXPECT_THAT(Refusal(Tar({kGood, {"c", "", '3'}})), HasSubstr("is a device"));
  EXPECT_THAT(Refusal(Tar({kGood, {"b", "", '4'}})), HasSubstr("is a device"));
  EXPECT_THAT(Refusal(Tar({kGood, {"p", "", '6'}})), HasSubstr("is a pipe"));
  EXPECT_THAT(Refusal(Zip({{"a", "x"}, {"l", "/etc/passwd", 0120777}, {"l/x", "x"}})),
              HasSubstr("entry 'l' is a symbolic link"));
  EXPECT_THAT(Refusal(Zip({{"a", "x"}, {"secret", "x", 0100644, 1}})), HasSubstr("is encrypted"));
}

TEST(EvilArchives, TheSameNameTwice) {
  EXPECT_THAT(Refusal(Tar({kGood, {"./good.txt", "x"}})), HasSubstr("'./good.txt' is there twice"));
  EXPECT_THAT(Refusal(Zip({{"a/b", "x"}, {"a//b", "y"}})), HasSubstr("'a//b' is there twice"));
  EXPECT_THAT(Refusal(Tar({kGood, {"good.txt", "", '5'}})), HasSubstr("is a folder, and a file"));
  EXPECT_THAT(Refusal(Tar({{"d", "", '5'}, {"d", "x"}})), HasSubstr("is a file, and a folder"));
  EXPECT_THAT(Refusal(Tar({{"d/e/f", "x"}, {"d/e", "x"}})), HasSubstr("is a file, and a folder"));
  EXPECT_THAT(Refusal(Tar({kGood, {"good.txt/a/x", "x"}})),
              HasSubstr("lies in 'good.txt', which is a file"));
  const auto twice = CheckBytes(Tar({{"d", "", '5'}, {"d/x", "x"}, {"d/", "", '5'}}), {});
  EXPECT_TRUE(twice.ok()) << "folders may come again";
}

TEST(EvilArchives, Bombs) {
  constexpr Limits kSmall{.most_bytes = 1 << 20, .most_files = 20};
  const std::string bomb = Compressed(Tar({{"zeros", std::string(64 << 20, '\0')}}));
  EXPECT_LT(bomb.size(), size_t{1} << 17);
  EXPECT_THAT(Refusal(bomb, kSmall), HasSubstr("unpacks to more than 1.05 MB, which is the limit"));
  // A promise of what never comes.
  EXPECT_THAT(Refusal(Tar({{"hole", "x", 'S', "", 0644, 0, uint64_t{1} << 32}}), kSmall),
              HasSubstr("(at 'hole')"));
  EXPECT_THAT(
      Refusal(Tar({{"a", std::string(600'000, 'a')}, {"b", std::string(600'000, 'b')}}), kSmall),
      HasSubstr("(at 'b')"));
  // What no file gets: records of a header, a comment of 1 MB each.
  const std::string record = "1000000 comment=" + std::string(1'000'000 - 17, 'c') + "\n";
  std::vector<TarEntry> entries{kGood};
  for (int i = 0; i < 3; ++i) {
    entries.push_back({"x", record, 'x'});
    entries.push_back({std::to_string(i), ""});
  }
  EXPECT_THAT(Refusal(Compressed(Tar(entries)), kSmall),
              HasSubstr("has too much in it that belongs to no file"));
  EXPECT_TRUE(CheckBytes(Compressed(Tar(entries)), {}).ok());
  EXPECT_THAT(Refusal(Compressed(Compressed(Tar({kGood})))), HasSubstr("is not a tar, tar.gz or"));
}

TEST(EvilArchives, TooManyFiles) {
  constexpr Limits kFew{.most_files = 20};
  std::vector<TarEntry> files;
  std::vector<ZipEntry> zipped;
  for (int i = 0; i < 21; ++i) files.push_back({std::to_string(i), ""});
  for (int i = 0; i < 200; ++i) zipped.push_back({std::to_string(i), ""});
  const std::string much = "has more than 20 files and folders, which is the limit";
  EXPECT_THAT(Refusal(Tar(files), kFew), HasSubstr(much));
  EXPECT_THAT(Refusal(Zip(zipped), kFew), HasSubstr(much));
  EXPECT_THAT(Refusal(Zip({zipped.begin(), zipped.begin() + 21}), kFew), HasSubstr(much));
  files.pop_back();
  EXPECT_TRUE(CheckBytes(Tar(files), kFew).ok());
  std::string deep = "x";
  for (int i = 0; i < 20; ++i) deep = "d/" + deep;
  EXPECT_THAT(Refusal(Tar({{deep, ""}}), kFew), HasSubstr(much)) << "folders above count";
}

TEST(EvilArchives, WhatIsNoArchive) {
  EXPECT_EQ(Refusal("print('hello')\n"), "the archive is not a tar, tar.gz or zip archive");
  EXPECT_THAT(Refusal(std::string(5000, 'x')), HasSubstr("is not a tar, tar.gz or zip"));
  EXPECT_THAT(Refusal(""), HasSubstr("is not a tar, tar.gz or zip"));
  EXPECT_THAT(Refusal("BZh"), HasSubstr("is not a tar, tar.gz or zip"));
  EXPECT_THAT(Refusal(Compressed("print('hello')\n")), HasSubstr("is not a tar, tar.gz or zip"));
  EXPECT_THAT(Refusal(Compressed("")), HasSubstr("has nothing in it"));
  EXPECT_THAT(Refusal(std::string(10240, '\0')), HasSubstr("has no file in it"));
  EXPECT_THAT(Refusal(Tar({{"d", "", '5'}})), HasSubstr("has no file in it"));
  EXPECT_THAT(Refusal(Zip({})), HasSubstr("is not a tar, tar.gz or zip"));
  const support::TempFolder temporary;
  const auto missing = Check(temporary / "none", {});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(Check(temporary.path(), {}).error().Describe(), HasSubstr("is not a file"));
}

TEST(EvilArchives, WhatIsCutOffOrDamaged) {
  std::string noise(100'000, '\0');
  uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24U);
  const std::string tar = Tar({{"noise", noise}});
  const std::string zip = Zip({{"noise", noise}});
  std::string changed = zip;
  changed[50'000] ^= 1;
  EXPECT_THAT(Refusal(changed), HasSubstr("is damaged: ZIP bad CRC"));
  for (const size_t kept : {700U, 50'000U, 100'000U}) {
    EXPECT_THAT(Refusal(tar.substr(0, kept)), HasSubstr("is damaged: Truncated"));
    EXPECT_THAT(Refusal(zip.substr(0, kept)), HasSubstr("whose end is missing"));
    EXPECT_THAT(Refusal(Compressed(tar).substr(0, kept)), HasSubstr("is damaged"));
    EXPECT_THAT(Refusal(Compressed(tar, ARCHIVE_FILTER_XZ).substr(0, kept)), HasSubstr("damaged"));
  }
  EXPECT_THAT(Refusal(Compressed(tar).substr(0, 15)), HasSubstr("is damaged, or has nothing"));
  // Every length of a small one: refused or, at the end of its last file, taken.
  const std::string small = Compressed(Tar({kGood}));
  for (size_t kept = 0; kept < small.size(); ++kept) {
    (void)CheckBytes(small.substr(0, kept), {});
  }
}

TEST(EntryName, IsPlainOrRefused) {
  EXPECT_EQ(PlainName("./a//./b/").value(), "a/b");
  EXPECT_EQ(PlainName("./").value(), "");
  EXPECT_EQ(PlainName("..a/b..").value(), "..a/b..");
  EXPECT_EQ(PlainName("").error().message(), "has no name");
  EXPECT_FALSE(PlainName(std::string_view("a\0b", 3)).ok());
  EXPECT_TRUE(PlainName(std::string(255, 'n')).ok());
  EXPECT_EQ(ShownName("größe"), "größe");
  EXPECT_EQ(ShownName("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(ShownName(std::string(199, 'n') + "ööö"), std::string(199, 'n') + "ö...");
}

}  // namespace
}  // namespace reckon::bundle
