#include "act/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace reckon::act {
namespace {

using base::Json;

Sandbox AnySandbox() { return {"/parts/7.1/work", 1'000'000'007, {"/data"}}; }

LaunchSpec FullSpec() {
  LaunchSpec spec;
  spec.run_id = 12;
  spec.name = "a run";
  spec.setup = "make";
  spec.setup_workdir = "/tmp";
  spec.setup_env = {{"A", "1"}};
  spec.setup_sandbox = AnySandbox();
  ProcessSpec worker;
  worker.role = "worker";
  worker.index = 1;
  worker.argv = {"train", "--fast"};
  worker.env = {{"B", ""}};
  worker.workdir = "/";
  worker.place = {"edge1", "10.0.0.2", "/run/netns/edge1", {"/c/cpu", "/c/memory"}};
  worker.on_death = OnDeath::kRestart;
  worker.log = "worker-1.log";
  worker.sandbox = AnySandbox();
  spec.processes = {worker};
  spec.stop_grace_s = 2.5;
  spec.time_limit_s = 60;
  spec.most_restarts = 1;
  spec.status_host = "10.0.0.1";
  spec.token = "t";
  spec.early_stop =
      core::EarlyStop{.accuracy = 0.9, .least_gain = 0.01, .confidence = 0.8, .epochs = 7};
  spec.store = "reckon.db";
  return spec;
}

TEST(LaunchTest, ComesBackAsItWas) {
  const Json json = ToJson(FullSpec());
  const LaunchSpec again = LaunchSpecFromJson(json).value();
  EXPECT_EQ(ToJson(again), json);
  EXPECT_EQ(again.processes[0].on_death, OnDeath::kRestart);
  EXPECT_EQ(again.processes[0].place.cgroups.size(), 2U);
  EXPECT_EQ(again.processes[0].sandbox, AnySandbox());
  EXPECT_EQ(again.setup_sandbox, AnySandbox());
  EXPECT_EQ(again.time_limit_s, 60);
  EXPECT_EQ(again.early_stop->accuracy, 0.9);
  EXPECT_EQ(again.early_stop->epochs, 7);
  LaunchSpec plain = FullSpec();
  plain.time_limit_s.reset();
  plain.early_stop.reset();
  EXPECT_FALSE(LaunchSpecFromJson(ToJson(plain)).value().time_limit_s);
  EXPECT_FALSE(LaunchSpecFromJson(ToJson(plain)).value().early_stop);
}

TEST(LaunchTest, ASandboxShowsItsFolderAndWhatIsSharedAndNothingElse) {
  const std::vector<std::string> command = SandboxCommand(AnySandbox(), {"train", "--fast"}, -1);
  EXPECT_THAT(command, testing::Contains("--unshare-pid"));
  std::vector<std::string> writable;
  std::vector<std::string> readable;
  for (size_t i = 0; i + 2 < command.size(); ++i) {
    if (command[i] == "--bind") writable.push_back(command[i + 1] + " as " + command[i + 2]);
    if (command[i] == "--ro-bind") readable.push_back(command[i + 1]);
  }
  EXPECT_THAT(writable, testing::ElementsAre("/parts/7.1/work as /job"));
  EXPECT_THAT(readable, testing::Contains("/data"));
  EXPECT_THAT(readable, testing::Contains("/usr"));
  EXPECT_THAT(readable, testing::Not(testing::Contains("/")));
  EXPECT_THAT(readable, testing::Not(testing::Contains("/home")));
  EXPECT_EQ(std::vector<std::string>(command.end() - 2, command.end()),
            (std::vector<std::string>{"train", "--fast"}));
  EXPECT_NE(SandboxUserOf(7), SandboxUserOf(8));
}

TEST(LaunchTest, VariablesOfAJobAreTextToTheShell) {
  EXPECT_EQ(SandboxVariables({{"A", "it's $(id)"}, {"B_1", ""}, {"1C", "x"}, {"D-E", "x"}}),
            "export A='it'\\''s $(id)'\nexport B_1=''\n");
  for (const std::string& line : SandboxEnvironment("t/h0")) {
    EXPECT_TRUE(line.starts_with("PATH=/usr") || line == "RECKON_PART=t/h0" ||
                line.starts_with("LANG") || line.starts_with("LC_ALL") || line.starts_with("TZ"))
        << line;
  }
}

TEST(LaunchTest, DefaultsOfWhatIsNotSaid) {
  const Json json = Json::parse(
      R"({"run_id": 1, "token": "t",
          "processes": [{"role": "worker", "index": 0, "argv": ["x"], "log": "l"}]})");
  const LaunchSpec spec = LaunchSpecFromJson(json).value();
  EXPECT_EQ(spec.stop_grace_s, 5);
  EXPECT_EQ(spec.most_restarts, 3);
  EXPECT_EQ(spec.processes[0].place.address, "127.0.0.1");
  EXPECT_EQ(spec.processes[0].on_death, OnDeath::kFail);
}

TEST(LaunchTest, SaysWhichFieldIsWrong) {
  const auto problem = [](const char* pointer, const Json& value) {
    Json json = ToJson(FullSpec());
    json[Json::json_pointer(pointer)] = value;
    const auto read = LaunchSpecFromJson(json);
    return read.ok() ? "" : read.error().Describe();
  };
  EXPECT_EQ(problem("/run_id", "x"), "run_id is not a whole number");
  EXPECT_EQ(problem("/run_id", -1), "run_id is not a whole number of at least 0");
  EXPECT_EQ(problem("/run_id", nullptr), "run_id is missing");
  EXPECT_EQ(problem("/token", ""), "token is not a secret");
  EXPECT_EQ(problem("/time_limit_s", -1), "time_limit_s is not a number of at least 0");
  EXPECT_EQ(problem("/surprise", 1), "surprise is not known");
  EXPECT_EQ(problem("/processes", Json::array()), "processes is not a list with a worker in it");
  EXPECT_EQ(problem("/processes/0/argv", Json::array()),
            "processes[0].argv is not a command and its arguments");
  EXPECT_EQ(problem("/processes/0/argv", {"a", 1}), "processes[0].argv is not a list of texts");
  EXPECT_EQ(problem("/processes/0/env", Json{{"A=B", "x"}}),
            "processes[0].env.A=B is not a variable's name and its text");
  EXPECT_EQ(problem("/processes/0/on_death", "weep"),
            "processes[0].on_death is not 'fail', 'go_on' or 'restart'");
  EXPECT_EQ(problem("/processes/0/log", "../x"), "processes[0].log is not a name without '/'");
  EXPECT_EQ(problem("/processes/0/place/host", "a/b"),
            "processes[0].place.host is not a name without '/'");
  EXPECT_EQ(problem("/processes/0/place/port", 1), "processes[0].place.port is not known");
  Json twice = ToJson(FullSpec());
  twice["processes"].push_back(twice["processes"][0]);
  EXPECT_EQ(LaunchSpecFromJson(twice).error().Describe(), "processes[1] is not the only worker 1");
  EXPECT_FALSE(LaunchSpecFromJson(Json::array()).ok());
}

}  // namespace
}  // namespace reckon::act
