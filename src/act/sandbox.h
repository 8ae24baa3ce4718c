// What keeps programs that others have sent away from the node they run on: bubblewrap.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace reckon::act {

// Its processes see the system's programs and libraries read-only, their own folder, what is
// shared with them, and each other: no home, no files of other runs, no processes of the node. The
// network is that of the node: ranks have to find each other.
struct Sandbox {
  std::string folder;               // theirs, to read and write; they know it as /job
  int64_t user = 0;                 // that they are, where we are root; 0: whoever we are
  std::vector<std::string> shared;  // folders that they may read

  friend bool operator==(const Sandbox&, const Sandbox&) = default;
};

// Which commands of jobs run in one on a node: those whose code was sent, all, or none. Programs of
// ours never do.
enum class SandboxUse { kSent, kAll, kNone };

inline constexpr const char* kSandboxFolder = "/job";

// Tries whether it works here, on an empty folder. kUnavailable: what is missing, or what it says.
base::Status TrySandbox(const std::string& folder);

// Who a run's processes are, of the numbers that no account has: every run somebody else.
int64_t SandboxUserOf(int64_t run_id);

// The command that runs `argv` in it, to be started with SandboxEnvironment and from "/": it begins
// as us, so nothing of the job's may reach it. `environment_file`: an open file with
// SandboxVariables, which are the program's alone; -1: it gets none. The process that it begins
// with only waits for the end.
std::vector<std::string> SandboxCommand(const Sandbox& sandbox,
                                        const std::vector<std::string>& argv, int environment_file);

// Of the sandbox itself: NAME=VALUE. `mark` of all processes of the run too.
std::vector<std::string> SandboxEnvironment(const std::string& mark);

// What a shell reads to have these variables; those whose names no shell has are left out.
std::string SandboxVariables(const std::map<std::string, std::string>& variables);

// Ends in `argv` within the sandbox, or says why not. For a process that was just forked.
base::Error EnterSandbox(const Sandbox& sandbox, const std::vector<std::string>& argv,
                         const std::map<std::string, std::string>& variables);

base::Json ToJson(const Sandbox& sandbox);
// kBadInput with the path of what is wrong.
base::Result<Sandbox> SandboxFromJson(const base::Json& json, const std::string& path);

}  // namespace reckon::act
