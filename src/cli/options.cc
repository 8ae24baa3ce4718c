#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace reckon::cli {

struct OptionSet::Entry {
  std::string name;  // long, without dashes
  CLI::Option* option = nullptr;
  Kind kind = Kind::kOne;
  bool flag = false;
  std::vector<std::string> values;  // from the command line
  std::string word;                 // the same of a positional
  Setter setter;
};

namespace {

using base::BadInput;
using base::Status;

base::Result<uint64_t> ParseWhole(const std::string& text, uint64_t least, uint64_t most) {
  const auto number = base::ParseInteger(text);
  if (number && *number >= 0) {
    const auto whole = static_cast<uint64_t>(*number);
    if (whole >= least && whole <= most) return whole;
  }
  if (most >= (1ULL << 62)) {
    return BadInput(fmt::format("'{}' is not a whole number from {} on", text, least));
  }
  return BadInput(fmt::format("'{}' is not a whole number from {} to {}", text, least, most));
}

}  // namespace

void OptionSet::Add(const std::string& flags, Kind kind, const std::string& help, Setter setter) {
  auto entry = std::make_shared<Entry>();
  const size_t dashes = flags.rfind("--");
  entry->name = dashes == std::string::npos ? flags : flags.substr(dashes + 2);
  entry->kind = kind;
  entry->setter = std::move(setter);
  if (kind == Kind::kFlag) {
    entry->option = app_.add_flag(flags, entry->flag, help);
  } else if (dashes == std::string::npos) {
    // A list would take every word that follows.
    entry->option = app_.add_option(flags, entry->word, help)->type_name("");
  } else {
    entry->option = app_.add_option(flags, entry->values, help);
    entry->option->allow_extra_args(false)->type_name("VALUE");
  }
  entries_.push_back(std::move(entry));
}

void OptionSet::Text(const std::string& flags, std::string* value, const std::string& help) {
  Add(flags, Kind::kOne, help, [value](const std::vector<std::string>& given) -> Status {
    *value = given.back();
    return {};
  });
}

void OptionSet::Texts(const std::string& flags, std::vector<std::string>* values,
                      const std::string& help) {
  Add(flags, Kind::kMany, help, [values](const std::vector<std::string>& given) -> Status {
    *values = given;
    return {};
  });
}

void OptionSet::Names(const std::string& flags, std::vector<std::string>* values,
                      const std::string& help) {
  Add(flags, Kind::kNames, help, [values](const std::vector<std::string>& given) -> Status {
    values->clear();
    for (const std::string& text : given) {
      auto names = base::SplitList(text);
      if (!names) return BadInput(fmt::format("'{}': {}", text, base::kBadList));
      for (base::ListEntry& name : *names) {
        if (!name.text.empty()) values->push_back(std::move(name.text));
      }
    }
    return {};
  });
}

void OptionSet::Flag(const std::string& flags, bool* value, const std::string& help) {
  Add(flags, Kind::kFlag, help, [value](const std::vector<std::string>& given) -> Status {
    const std::string& text = given.back();
    const bool on = text == "true" || text == "1" || text == "yes";
    if (!on && text != "false" && text != "0" && text != "no" && !text.empty()) {
      return BadInput(fmt::format("'{}' is neither true nor false", text));
    }
    *value = on;
    return {};
  });
}

void OptionSet::Whole(const std::string& flags, uint64_t* value, uint64_t least, uint64_t most,
                      const std::string& help) {
  Add(flags, Kind::kOne, help, [=](const std::vector<std::string>& given) -> Status {
    RECKON_ASSIGN(*value, ParseWhole(given.back(), least, most));
    return {};
  });
}

void OptionSet::OptionalWhole(const std::string& flags, std::optional<size_t>* value,
                              uint64_t least, const std::string& help) {
  Add(flags, Kind::kOne, help, [=](const std::vector<std::string>& given) -> Status {
    RECKON_ASSIGN(*value, ParseWhole(given.back(), least, INT64_MAX));
    return {};
  });
}

void OptionSet::Share(const std::string& flags, std::optional<double>* value,
                      const std::string& help) {
  Add(flags, Kind::kOne, help, [=](const std::vector<std::string>& given) -> Status {
    const auto number = base::ParseNumber(given.back());
    if (!number || *number <= 0 || *number >= 1) {
      return BadInput(fmt::format("'{}' is not a share between 0 and 1", given.back()));
    }
    *value = *number;
    return {};
  });
}

void OptionSet::Positional(const std::string& name, std::string* value, const std::string& help) {
  Text(name, value, help);
}

OptionSet::Entry* OptionSet::Find(const std::string& name) const {
  for (const auto& entry : entries_) {
    if (entry->name == name) return entry.get();
  }
  return nullptr;
}

bool OptionSet::Has(const std::string& name) const { return Find(name) != nullptr; }

base::Status OptionSet::Default(const std::string& name, std::vector<std::string> values,
                                bool is_list, const std::string& origin) {
  Entry* entry = Find(name);
  if (entry == nullptr || entry->option->count() > 0 || values.empty()) return {};
  if (is_list && entry->kind == Kind::kNames) {
    // The items are apart already: a comma in one of them is part of it.
    for (std::string& value : values) value = base::ListItem(value);
  }
  Status set = entry->setter(values);
  if (!set.ok()) return std::move(set).error().Wrap(fmt::format("{}, {}", origin, name));
  return {};
}

base::Status OptionSet::Collect() {
  for (const auto& entry : entries_) {
    if (entry->option->count() == 0) continue;
    if (entry->kind == Kind::kFlag) entry->values = {entry->flag ? "true" : "false"};
    if (!entry->word.empty()) entry->values = {entry->word};
    if (entry->values.empty()) continue;  // an empty word
    if (entry->kind == Kind::kOne && entry->values.size() > 1) {
      return BadInput(fmt::format("{}: given {} times; expected once", entry->option->get_name(),
                                  entry->values.size()));
    }
    Status set = entry->setter(entry->values);
    if (!set.ok()) {
      return std::move(set).error().Wrap(entry->option->get_name());
    }
  }
  return {};
}

std::vector<std::string> OptionSet::names() const {
  std::vector<std::string> names;
  for (const auto& entry : entries_) names.push_back(entry->name);
  return names;
}

}  // namespace reckon::cli
