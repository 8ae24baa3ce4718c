// Defaults of options from configuration files and the environment. Later in this list is stronger:
// ./reckon.yaml, the user's file ($XDG_CONFIG_HOME/reckon/config.yaml or
// ~/.config/reckon/config.yaml), RECKON_* variables, flags.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::cli {

struct Setting {
  std::string command;  // empty: for every command that has the option
  std::string name;     // the option's long name
  std::vector<std::string> values;
  std::string origin;    // "reckon.yaml, line 3"
  bool is_list = false;  // written as a YAML list
};

// A mapping of option names to values, and of command names to such mappings. An absent file has no
// settings. kBadInput, with the line, for anything else.
base::Result<std::vector<Setting>> ReadConfigFile(const std::filesystem::path& path);

// The files above that apply here, weakest first.
std::vector<std::filesystem::path> ConfigFiles();

// RECKON_MAX_TIME for "max-time".
std::string EnvironmentName(const std::string& option);

}  // namespace reckon::cli
