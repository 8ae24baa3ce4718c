#include <fstream>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

#include "cli/config.h"
#include "cli/options.h"
#include "cli/terminal_progress.h"
#include "cli/text_table.h"
#include "tests/support/temp_folder.h"

namespace reckon::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TextTableTest, AlignsByCharactersNotBytes) {
  TextTable table;
  table.AddColumn("name", TextTable::Align::kLeft);
  table.AddColumn("n", TextTable::Align::kRight);
  table.AddRow({"zürich", "1"});
  table.AddRow({"bern", "100"});
  EXPECT_EQ(table.Render(),
            "  name      n\n"
            "  ------  ---\n"
            "  zürich    1\n"
            "  bern    100\n");
}

TEST(ProgressTest, SaysHowLongIsLeft) {
  EXPECT_THAT(ProgressLine({"work", 5, 0.25, 15}), HasSubstr(" 25 %  about 15 s left"));
  EXPECT_THAT(ProgressLine({"work", 5, 1, {}}), HasSubstr("100 %"));
  EXPECT_THAT(ProgressLine({"work", 5, 0, {}}), HasSubstr("  0 %"));
  EXPECT_EQ(ProgressLine({"running", 5, {}, {}}), "running for 5 s");
}

struct Parsed {
  std::string text = "default";
  std::vector<std::string> names;
  std::vector<std::string> texts;
  uint64_t whole = 1;
  std::optional<double> share;
  bool flag = false;
  base::Status status;
};

Parsed Parse(std::vector<std::string> arguments,
             const std::map<std::string, std::vector<std::string>>& defaults = {}) {
  Parsed parsed;
  CLI::App app;
  OptionSet options(app);
  options.Text("--text", &parsed.text, "");
  options.Names("--name", &parsed.names, "");
  options.Texts("--set", &parsed.texts, "");
  options.Whole("-w,--whole", &parsed.whole, 1, 9, "");
  options.Share("--share", &parsed.share, "");
  options.Flag("--flag", &parsed.flag, "");
  std::reverse(arguments.begin(), arguments.end());
  app.parse(arguments);
  for (const auto& [name, values] : defaults) {
    parsed.status = options.Default(name, values, false, "reckon.yaml, line 1");
    if (!parsed.status.ok()) return parsed;
  }
  parsed.status = options.Collect();
  return parsed;
}

TEST(OptionsTest, TakesFlagsOverDefaults) {
  const Parsed parsed = Parse(
      {"--text", "a", "--name", "x,y", "--name", "z", "--set", "w=1,2", "--set", "b=3", "--flag"},
      {{"text", {"weaker"}}, {"whole", {"7"}}});
  ASSERT_TRUE(parsed.status.ok());
  EXPECT_EQ(parsed.text, "a");
  EXPECT_THAT(parsed.names, ElementsAre("x", "y", "z"));
  EXPECT_THAT(parsed.texts, ElementsAre("w=1,2", "b=3"));
  EXPECT_EQ(parsed.whole, 7);
  EXPECT_TRUE(parsed.flag);
}

TEST(OptionsTest, BadValuesNameTheirOrigin) {
  EXPECT_THAT(Parse({"--whole", "10"}).status.error().Describe(),
              HasSubstr("'10' is not a whole number from 1 to 9"));
  EXPECT_THAT(Parse({"-w", "x"}).status.error().Describe(), HasSubstr("--whole"));
  EXPECT_THAT(Parse({"--share", "2"}).status.error().Describe(), HasSubstr("between 0 and 1"));
  EXPECT_THAT(Parse({}, {{"whole", {"0"}}}).status.error().Describe(),
              HasSubstr("reckon.yaml, line 1, whole"));
  EXPECT_THAT(Parse({}, {{"flag", {"maybe"}}}).status.error().Describe(),
              HasSubstr("neither true nor false"));
}

TEST(ConfigTest, ReadsScalarsListsAndCommands) {
  support::TempFolder folder;
  std::ofstream(folder / "c.yaml") << "seed: 3\nfit:\n  technique: [ridge, tree]\n";
  const std::vector<Setting> settings = ReadConfigFile(folder / "c.yaml").value();
  ASSERT_EQ(settings.size(), 2);
  EXPECT_EQ(settings[0].command, "");
  EXPECT_THAT(settings[0].values, ElementsAre("3"));
  EXPECT_EQ(settings[1].command, "fit");
  EXPECT_THAT(settings[1].values, ElementsAre("ridge", "tree"));
  EXPECT_THAT(settings[1].origin, HasSubstr("c.yaml, line 3"));
  EXPECT_TRUE(ReadConfigFile(folder / "absent.yaml")->empty());
}

TEST(ConfigTest, MistakesHaveALine) {
  support::TempFolder folder;
  std::ofstream(folder / "a.yaml") << "ok: 1\nbad: [1\n";
  EXPECT_THAT(ReadConfigFile(folder / "a.yaml").error().Describe(), HasSubstr("a.yaml, line"));
  std::ofstream(folder / "b.yaml") << "- 1\n";
  EXPECT_FALSE(ReadConfigFile(folder / "b.yaml").ok());
  std::ofstream(folder / "c.yaml") << "fit:\n  seed: {a: 1}\n";
  EXPECT_THAT(ReadConfigFile(folder / "c.yaml").error().Describe(), HasSubstr("line 2"));
}

TEST(ConfigTest, EnvironmentNames) { EXPECT_EQ(EnvironmentName("max-time"), "RECKON_MAX_TIME"); }

}  // namespace
}  // namespace reckon::cli
