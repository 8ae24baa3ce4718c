// Sections of options, read as Python's ConfigParser reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace reckon::app {

struct IniOption {
  std::string name;  // upper and lower case are kept
  std::string text;  // of several lines when the lines behind it are indented
  size_t line = 0;
};

struct IniSection {
  std::string name;
  size_t line = 0;
  std::vector<IniOption> options;

  const IniOption* Find(std::string_view name) const;
};

struct IniFile {
  std::string source;
  std::vector<IniSection> sections;  // without [DEFAULT], whose options are part of every section

  const IniSection* Find(std::string_view name) const;
};

// `name = value` or `name: value`; lines that begin with '#' or ';' are comments; "%%" is a percent
// sign. kBadInput with the line: an option outside a section, a line that is no option, a section
// or an option that is there twice, a reference such as %(name)s, text that is no UTF-8.
base::Result<IniFile> ParseIni(std::string_view text, std::string_view source);

}  // namespace reckon::app
