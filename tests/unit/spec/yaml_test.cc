#include "spec/yaml.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace reckon::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Yaml Read(std::string_view text) { return Yaml::Parse(text, "job.yaml").value(); }

template <typename T>
std::string Said(const base::Result<T>& result) {
  return result.ok() ? "no error" : result.error().Describe();
}

constexpr std::string_view kJob =
    "# a comment\n"
    "trainer:\n"
    "  batch: x\n"
    "  rate: 0.5\n"
    "  fast: yes\n"
    "  sizes: [1, 2]\n"
    "  none:\n"
    "hosts:\n"
    "  - name: h0\n"
    "    cpus: 0\n"
    "  - name: h1\n";

TEST(YamlTest, ReadsValues) {
  const Yaml root = Read(kJob);
  EXPECT_EQ(root["trainer"]["batch"].Text().value(), "x");
  EXPECT_EQ(root["trainer"]["rate"].Number(0, 1).value(), 0.5);
  EXPECT_TRUE(root["trainer"]["fast"].Flag().value());
  EXPECT_THAT(root["trainer"]["sizes"].Texts().value(), ElementsAre("1", "2"));
  EXPECT_TRUE(root["trainer"]["none"].IsNull());
  EXPECT_FALSE(root["trainer"]["none"]);
  EXPECT_TRUE(root["nowhere"]["deeper"].IsMissing());
  EXPECT_EQ(root["hosts"].items().at(1)["name"].Text().value(), "h1");
  EXPECT_EQ(root.entries().at(1).first, "hosts");
  EXPECT_EQ(Read("n: -7")["n"].Whole().value(), -7);
  EXPECT_EQ(Read("n: '7'")["n"].Whole(7, 7).value(), 7);
  EXPECT_TRUE(Read("").IsNull());
  EXPECT_TRUE(Yaml().IsMissing());
}

TEST(YamlTest, MistakesNameFileLinePathAndWhatWasExpected) {
  const Yaml root = Read(kJob);
  EXPECT_EQ(Said(root["trainer"]["batch"].Whole(1)),
            "job.yaml, line 3: trainer.batch: expected a whole number from 1 on, found 'x'");
  EXPECT_EQ(Said(root["trainer"]["rate"].Number(1, 2)),
            "job.yaml, line 4: trainer.rate: expected a number from 1 to 2, found '0.5'");
  EXPECT_EQ(Said(root["trainer"]["rate"].Flag()),
            "job.yaml, line 4: trainer.rate: expected true or false, found '0.5'");
  EXPECT_EQ(Said(root["trainer"]["epochs"].Whole()),
            "job.yaml, line 2: trainer.epochs: expected a whole number, found nothing");
  EXPECT_EQ(Said(root["trainer"]["none"].Text()),
            "job.yaml, line 7: trainer.none: expected a text, found nothing");
  EXPECT_EQ(Said(root["trainer"].Text()),
            "job.yaml, line 2: trainer: expected a text, found a mapping");
  EXPECT_EQ(Said(root["hosts"].items()[0]["cpus"].Number(0.01)),
            "job.yaml, line 10: hosts[0].cpus: expected a number from 0.01 on, found '0'");
  EXPECT_THAT(Said(Read("n: 1.5")["n"].Whole()), HasSubstr("found '1.5'"));
  EXPECT_THAT(Said(Read("n: 99999999999999999999")["n"].Whole()), HasSubstr("a whole number"));
}

TEST(YamlTest, SyntaxErrorsHaveALine) {
  EXPECT_THAT(Said(Yaml::Parse("a: 1\nb: [1\n", "j.yaml")), HasSubstr("j.yaml, line "));
  EXPECT_EQ(Said(Yaml::Parse("a: 1\nb: 2\na: 3\n", "j.yaml")),
            "j.yaml, line 3: 'a' was given before");
  EXPECT_THAT(Said(Yaml::Parse("a: 1\n[x]: 2\n", "j.yaml")),
              HasSubstr("j.yaml, line 2: expected a name"));
  EXPECT_THAT(Said(Yaml::Parse("a: 1\n---\nb: 2\n", "j.yaml")), HasSubstr("expected one document"));
  EXPECT_THAT(Said(Yaml::Parse("a: \xff", "j.yaml")), HasSubstr("not UTF-8"));
  EXPECT_EQ(Yaml::Parse("a: [", "j").error().code(), base::ErrorCode::kBadInput);
}

TEST(YamlTest, AnchorsWorkButCannotMultiplyWithoutEnd) {
  const Yaml shared = Read("a: &x {n: 1}\nb: *x\n");
  EXPECT_EQ(shared["b"]["n"].Whole().value(), 1);
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += "*a" + std::to_string(i - 1) + ", ";
    bomb += "]\n";
  }
  EXPECT_THAT(Said(Yaml::Parse(bomb, "j.yaml")), HasSubstr("expected at most"));
  EXPECT_FALSE(Yaml::Parse(std::string(10'000, '['), "j.yaml").ok());
  EXPECT_FALSE(Yaml::Parse(std::string(100, '[') + std::string(100, ']'), "j.yaml").ok());
}

TEST(YamlTest, UnknownKeysAreNamedWithTheNearest) {
  const std::vector<std::string> keys{"batch", "rate"};
  EXPECT_EQ(Said(Read("trainer:\n  batch: 1\n  rat: 2\n")["trainer"].AllowKeys(keys)),
            "job.yaml, line 3: trainer.rat: not a field here; did you mean 'rate'?");
  EXPECT_TRUE(Read("{rate: 1}").AllowKeys(keys).ok());
  EXPECT_THAT(Said(Read("[1]").AllowKeys(keys)), HasSubstr("found a list"));
}

TEST(YamlTest, ValuesCanBeSetByPath) {
  const Yaml root = Read(kJob);
  const Yaml set = root.With("trainer.batch", "64").value();
  EXPECT_EQ(set["trainer"]["batch"].Whole().value(), 64);
  EXPECT_EQ(set["trainer"]["rate"].Number().value(), 0.5);
  EXPECT_EQ(root["trainer"]["batch"].Text().value(), "x") << "the original stays";
  EXPECT_EQ(Said(set["trainer"]["batch"].Whole(100)),
            "--set trainer.batch: expected a whole number from 100 on, found '64'");
  const Yaml made = Read("a: 1").With("b.c.d", "[1, 2]").value();
  EXPECT_THAT(made["b"]["c"]["d"].Texts().value(), ElementsAre("1", "2"));
  EXPECT_EQ(made["a"].Whole().value(), 1);
  EXPECT_EQ(Said(made["b"]["c"]["d"].items()[1].Flag()),
            "--set b.c.d: b.c.d[1]: expected true or false, found '2'");
  EXPECT_EQ(
      Said(root.With("trainer.batch.x", "1")),
      "--set trainer.batch.x: job.yaml, line 3: trainer.batch: expected a mapping, found 'x'");
  EXPECT_THAT(Said(root.With("trainer..x", "1")), HasSubstr("names separated by dots"));
  EXPECT_THAT(Said(root.With("trainer.x", "[1")), HasSubstr("--set trainer.x: "));
}

TEST(YamlTest, ReadsFiles) {
  support::TempFolder folder;
  std::ofstream(folder / "a.yaml") << "n: x\n";
  EXPECT_THAT(Said(Yaml::ReadFile(folder / "a.yaml").value()["n"].Whole()),
              HasSubstr("a.yaml, line 1: n: expected"));
  EXPECT_FALSE(Yaml::ReadFile(folder / "absent.yaml").ok());
}

}  // namespace
}  // namespace reckon::spec
