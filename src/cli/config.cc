#include "cli/config.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "base/file.h"

namespace reckon::cli {
namespace {

using base::BadInput;
using base::Result;

std::string Origin(const std::filesystem::path& path, const YAML::Node& node) {
  return fmt::format("{}, line {}", path.string(), node.Mark().line + 1);
}

Result<Setting> ReadSetting(const std::filesystem::path& path, const std::string& command,
                            const YAML::Node& key, const YAML::Node& value) {
  Setting setting{command, key.as<std::string>(), {}, Origin(path, key)};
  if (value.IsScalar()) {
    setting.values.push_back(value.as<std::string>());
    return setting;
  }
  if (value.IsSequence()) {
    setting.is_list = true;
    for (const YAML::Node& item : value) {
      if (!item.IsScalar()) break;
      setting.values.push_back(item.as<std::string>());
    }
    if (setting.values.size() == value.size()) return setting;
  }
  return BadInput(fmt::format("{}: '{}' is neither a value nor a list of values", setting.origin,
                              setting.name));
}

}  // namespace

Result<std::vector<Setting>> ReadConfigFile(const std::filesystem::path& path) {
  std::vector<Setting> settings;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return settings;
  RECKON_ASSIGN(const std::string text, base::ReadFile(path));
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return settings;
    if (!root.IsMap()) {
      return BadInput(
          fmt::format("{}: expected options and their values, like 'seed: 7'", path.string()));
    }
    for (const auto& entry : root) {
      if (!entry.second.IsMap()) {
        RECKON_ASSIGN(Setting setting, ReadSetting(path, "", entry.first, entry.second));
        settings.push_back(std::move(setting));
        continue;
      }
      for (const auto& inner : entry.second) {
        RECKON_ASSIGN(Setting setting,
                      ReadSetting(path, entry.first.as<std::string>(), inner.first, inner.second));
        settings.push_back(std::move(setting));
      }
    }
  } catch (const YAML::Exception& error) {
    return BadInput(fmt::format("{}, line {}: {}", path.string(), error.mark.line + 1, error.msg));
  }
  return settings;
}

std::vector<std::filesystem::path> ConfigFiles() {
  std::vector<std::filesystem::path> files{"reckon.yaml"};
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != 0) {
    files.push_back(std::filesystem::path(config) / "reckon/config.yaml");
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) {
    files.push_back(std::filesystem::path(home) / ".config/reckon/config.yaml");
  }
  return files;
}

std::string EnvironmentName(const std::string& option) {
  std::string name = "RECKON_" + option;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return name;
}

}  // namespace reckon::cli
