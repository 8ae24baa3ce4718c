// Runs a program to its end and keeps what it said. For short tools (ip, tc), not for jobs.
#pragma once

#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::act {

struct CommandResult {
  int exit_code = 0;  // 128 + signal when one ended it
  std::string out;
  std::string err;
};

struct CommandOptions {
  std::chrono::milliseconds limit{20'000};  // then it and its children are killed: kUnavailable
  // A descriptor the program shall inherit; -1: none. A lock that must outlive us as long as the
  // program still works is kept that way.
  int inherit = -1;
  std::string workdir;                             // empty: ours
  std::map<std::string, std::string> environment;  // in addition to ours, and stronger
  std::stop_token stop;                            // then likewise killed: kInterrupted
};

// Whether RunCommand would find it.
bool IsInstalled(const std::string& program);

// Found through PATH and the folders of system programs. kUnavailable when there is no such program
// and after the limit, kIo when its end cannot be known. Whatever its exit code, the program's end
// is a success here. At most 1 MiB of each output is kept.
base::Result<CommandResult> RunCommand(const std::vector<std::string>& arguments,
                                       const CommandOptions& options = {});

// The same; an exit code other than 0 is kFailed with what the program said.
base::Result<std::string> RunChecked(const std::vector<std::string>& arguments,
                                     const CommandOptions& options = {});

}  // namespace reckon::act
