// Runs of tests: their specs, their events, and whether anything of them remains.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/launch.h"
#include "act/local/event_file.h"
#include "act/local/run_folder.h"
#include "base/file.h"
#include "base/json.h"
#include "tests/support/temp_folder.h"
#include "tests/support/within.h"

namespace reckon::support {

// The processes whose environment names `mark`: "pid (command line)". Zombies have none.
inline std::vector<std::string> Marked(const std::string& mark) {
  const auto read = [](const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();  // does not throw when the process goes meanwhile
    return text.str();
  };
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    if (read(entry.path() / "environ").find(mark) == std::string::npos) continue;
    found.push_back(entry.path().filename().string() + " (" + read(entry.path() / "cmdline") + ")");
  }
  return found;
}

// A run in a temporary folder, supervised by the test's own program.
class TestRun {
 public:
  TestRun() : folder(temporary.path()) {
    spec.run_id = 7;
    spec.name = "test";
    spec.token = "secret-" + temporary.path().filename().string();
    spec.stop_grace_s = 1;
  }
  // Whatever a failed test leaves.
  ~TestRun() {
    (void)act::RequestStop(folder);
    Within(std::chrono::seconds(20), [&] { return Remains().empty(); });
  }
  TestRun(const TestRun&) = delete;
  TestRun& operator=(const TestRun&) = delete;

  act::ProcessSpec& Add(const std::string& role, std::vector<std::string> argv) {
    act::ProcessSpec process;
    process.role = role;
    for (const act::ProcessSpec& other : spec.processes) process.index += other.role == role;
    process.argv = std::move(argv);
    process.log = fmt::format("{}-{}.log", role, process.index);
    process.env["RECKON_TEST_MARK"] = mark();
    spec.processes.push_back(std::move(process));
    return spec.processes.back();
  }
  act::ProcessSpec& Script(const std::string& role, const std::string& script) {
    return Add(role, {"/bin/sh", "-c", script});
  }

  base::Status Start() {
    RECKON_TRY(base::WriteFile(folder.spec(), base::DumpJson(act::ToJson(spec))));
    return act::StartSupervisor(RECKON_SUPERVISE_PROGRAM, folder);
  }
  bool WaitForEnd(std::chrono::milliseconds limit = std::chrono::seconds(30)) const {
    return Within(limit, [&] { return !act::SupervisorLives(folder).value(); });
  }

  std::vector<base::Json> Events(const std::string& kind) const {
    std::vector<base::Json> found;
    act::EventReader(folder.events())
        .Next([&](const base::Json& event) {
          if (event.value("kind", "") == kind) found.push_back(event);
        })
        .value();
    return found;
  }
  bool WaitForEvent(const std::string& kind, size_t count = 1) const {
    return Within(std::chrono::seconds(20), [&] { return Events(kind).size() >= count; });
  }
  // "starting running finished".
  std::string States() const {
    std::string states;
    for (const base::Json& event : Events("run.state")) {
      states += (states.empty() ? "" : " ") + event.value("state", "");
    }
    return states;
  }
  bool WaitForState(const std::string& state) const {
    return Within(std::chrono::seconds(20),
                  [&] { return States().find(state) != std::string::npos; });
  }
  std::string Reason() const {
    const auto states = Events("run.state");
    return states.empty() ? "" : states.back().value("reason", "");
  }
  std::string Log(const std::string& name) const {
    return base::ReadFile(folder.path / name).value();
  }
  pid_t PidOf(const std::string& role, int64_t index) const {
    pid_t pid = 0;
    for (const base::Json& event : Events("rank.started")) {
      if (event.at("role") == role && event.at("index") == index)
        pid = event.at("pid").get<pid_t>();
    }
    return pid;
  }

  std::string mark() const { return "mark-" + temporary.path().filename().string(); }
  std::vector<std::string> Remains() const { return Marked(mark()); }

  TempFolder temporary;
  act::RunFolder folder;
  act::LaunchSpec spec;
};

}  // namespace reckon::support
