#include "cli/config.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>

#include "spec/yaml.h"

namespace reckon::cli {
namespace {

using base::BadInput;
using base::Result;

Result<Setting> ReadSetting(const std::string& command, const std::string& name,
                            const spec::Yaml& value) {
  Setting setting{command, name, {}, value.Origin()};
  setting.is_list = value.IsList();
  if (value.IsScalar() || value.IsList()) {
    auto texts = value.Texts();
    if (texts.ok()) {
      setting.values = *std::move(texts);
      return setting;
    }
  }
  return BadInput(fmt::format("{}: '{}' is neither a value nor a list of values", setting.origin,
                              setting.name));
}

}  // namespace

Result<std::vector<Setting>> ReadConfigFile(const std::filesystem::path& path) {
  std::vector<Setting> settings;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return settings;
  RECKON_ASSIGN(const spec::Yaml root, spec::Yaml::ReadFile(path));
  if (root.IsNull()) return settings;
  if (!root.IsMap()) {
    return BadInput(
        fmt::format("{}: expected options and their values, like 'seed: 7'", path.string()));
  }
  for (const auto& [name, value] : root.entries()) {
    if (!value.IsMap()) {
      RECKON_ASSIGN(Setting setting, ReadSetting("", name, value));
      settings.push_back(std::move(setting));
      continue;
    }
    for (const auto& [option, inner] : value.entries()) {
      RECKON_ASSIGN(Setting setting, ReadSetting(name, option, inner));
      settings.push_back(std::move(setting));
    }
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
