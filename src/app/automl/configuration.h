// Options of a configuration with their types: what is wrong names file, line, section and option.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/automl/ini_file.h"
#include "app/automl/literal.h"
#include "base/result.h"

namespace reckon::app {

// One option with its value as literal_eval gives it: what is no literal is text, as it stands.
struct ConfiguredOption {
  std::string section;
  std::string name;
  size_t line = 0;
  Literal value;
  std::string problem;  // why the text is no literal; empty when it is one
};

// Remembers what was asked for, so that what nobody knows can be named at the end.
class Configuration {
 public:
  static base::Result<Configuration> Parse(std::string_view text, const std::string& source);

  bool HasSection(const std::string& section) const;
  // nullopt: there is no such option.
  std::optional<ConfiguredOption> Find(const std::string& section, const std::string& name);
  // Every option of a section, in the order of the file.
  std::vector<ConfiguredOption> All(const std::string& section);

  // Typed values; nullopt when the option is missing, kBadInput when it is of another kind.
  using Names = std::vector<std::string>;
  base::Result<std::optional<std::string>> Text(const std::string& section,
                                                const std::string& name);
  base::Result<std::optional<bool>> Truth(const std::string& section, const std::string& name);
  base::Result<std::optional<size_t>> Whole(const std::string& section, const std::string& name,
                                            size_t least);
  // Above 0 and below 1.
  base::Result<std::optional<double>> Share(const std::string& section, const std::string& name);
  base::Result<std::optional<Names>> Texts(const std::string& section, const std::string& name);
  // {'name': value}; the values are for the caller to look at.
  using Entries = std::vector<std::pair<std::string, Literal>>;
  base::Result<std::optional<Entries>> Dictionary(const std::string& section,
                                                  const std::string& name,
                                                  const std::string& expected);

  // "conf.ini, line 7, [General] run_num: expected a whole number, found 'x'".
  base::Error Wrong(const ConfiguredOption& option, const std::string& expected) const;
  // "conf.ini, line 7, [General] run_num".
  std::string Place(const ConfiguredOption& option) const;
  base::Error Missing(const std::string& section, const std::string& name,
                      const std::string& why) const;

  // Places of options and sections that were never asked for.
  std::vector<std::string> Unused() const;

 private:
  explicit Configuration(IniFile file) : file_(std::move(file)) {}

  IniFile file_;
  std::set<std::pair<std::string, std::string>> asked_;
};

}  // namespace reckon::app
