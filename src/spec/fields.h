// Fields of a map of a document, read into variables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"
#include "base/units.h"
#include "spec/yaml.h"

namespace reckon::spec {

inline constexpr int64_t kMostCount = 1'000'000'000;

// Reads fields of one map into variables; a field that is not there leaves its variable alone.
class Fields {
 public:
  explicit Fields(Yaml map, std::filesystem::path folder = {})
      : map_(std::move(map)), folder_(std::move(folder)) {}

  base::Status Text(const char* key, std::string& out) const {
    return Take(key, out, [](const Yaml& node) { return node.Text(); });
  }
  base::Status Whole(const char* key, int64_t least, int64_t most, int64_t& out) const {
    return Take(key, out, [&](const Yaml& node) { return node.Whole(least, most); });
  }
  base::Status Number(const char* key, double least, double most, double& out) const {
    return Take(key, out, [&](const Yaml& node) { return node.Number(least, most); });
  }
  base::Status Flag(const char* key, bool& out) const {
    return Take(key, out, [](const Yaml& node) { return node.Flag(); });
  }
  base::Status Duration(const char* key, double& out) const {
    return Take(key, out, [](const Yaml& node) -> base::Result<double> {
      RECKON_ASSIGN(const std::string text, node.Text());
      const auto seconds = base::ParseDurationS(text);
      if (!seconds.ok()) return node.Wrong("a duration like 90s, 30m or 1.5h");
      // Whoever counts in milliseconds or waits until a moment must not overflow.
      constexpr double kMostS = 3650 * 86'400.0;
      if (*seconds > kMostS) return node.Wrong("a duration of at most 10 years (3650d)");
      return *seconds;
    });
  }
  // "5%" or "5": both 0.05. At most `most`, a share too.
  base::Status Percent(const char* key, double most, double& out) const {
    return Take(key, out, [&](const Yaml& node) -> base::Result<double> {
      RECKON_ASSIGN(std::string text, node.Text());
      if (text.ends_with('%')) text.pop_back();
      const auto number = base::ParseNumber(base::Trim(text));
      if (number && *number >= 0 && *number <= 100 * most) return *number / 100;
      return node.Wrong(fmt::format("a percentage from 0 to {:.4g}", 100 * most));
    });
  }
  // A path; not empty, and from the file's folder.
  base::Status Path(const char* key, std::string& out) const {
    return Take(key, out, [&](const Yaml& node) { return Absolute(node); });
  }
  base::Status Paths(const char* key, std::vector<std::string>& out) const {
    const Yaml node = map_[key];
    if (!node) return {};
    out.clear();
    for (const Yaml& item : node.IsList() ? node.items() : std::vector<Yaml>{node}) {
      RECKON_ASSIGN(std::string path, Absolute(item));
      out.push_back(std::move(path));
    }
    return {};
  }
  // One whole number or a list of them, each 1 or more.
  base::Status Counts(const char* key, std::vector<int64_t>& out) const {
    const Yaml node = map_[key];
    if (!node) return {};
    if (node.IsList() && node.items().empty())
      return node.Wrong("a whole number or a list of them");
    out.clear();
    for (const Yaml& item : node.IsList() ? node.items() : std::vector<Yaml>{node}) {
      RECKON_ASSIGN(const int64_t count, item.Whole(1, kMostCount));
      out.push_back(count);
    }
    return {};
  }
  // Variables of an environment: the system cuts a name at its first '='.
  base::Status Variables(const char* key, std::map<std::string, std::string>& out) const {
    RECKON_TRY(TextMap(key, out));
    for (const auto& [name, value] : map_[key].entries()) {
      const bool named =
          !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string::npos;
      if (!named) {
        return base::BadInput(fmt::format(
            "{}: expected a name of a variable, without '=', found '{}'", value.Place(), name));
      }
      if (out[name].find('\0') != std::string::npos) {
        return value.Wrong("a text without NUL");
      }
    }
    return {};
  }
  base::Status TextMap(const char* key, std::map<std::string, std::string>& out) const {
    const Yaml node = map_[key];
    if (!node) return {};
    if (!node.IsMap()) return node.Wrong("names and their values");
    for (const auto& [name, value] : node.entries()) {
      // A list is written as its items with commas: hidden: [512, 256].
      RECKON_ASSIGN(const std::vector<std::string> texts, value.Texts());
      out[name] = base::Join(texts, ",");
    }
    return {};
  }

 private:
  template <typename Value, typename Read>
  base::Status Take(const char* key, Value& out, Read read) const {
    const Yaml node = map_[key];
    if (!node) return {};
    RECKON_ASSIGN(out, read(node));
    return {};
  }

  base::Result<std::string> Absolute(const Yaml& node) const {
    RECKON_ASSIGN(const std::string text, node.Text());
    if (text.empty()) return node.Wrong("a path");
    return (folder_ / text).lexically_normal().string();
  }

  Yaml map_;
  std::filesystem::path folder_;
};

}  // namespace reckon::spec
