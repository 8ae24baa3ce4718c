// The options of a command: declared once, set by flags, environment and configuration files.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace reckon::cli {

// Every value arrives as text and goes through one setter, whatever its origin, so that messages
// are the same everywhere. The variables must outlive the set.
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(app) {}

  // `flags` as on the command line: "--target" or "-j,--jobs".
  void Text(const std::string& flags, std::string* value, const std::string& help);
  // May be given several times.
  void Texts(const std::string& flags, std::vector<std::string>* values, const std::string& help);
  // May be given several times, and several names may be joined by commas.
  void Names(const std::string& flags, std::vector<std::string>* values, const std::string& help);
  void Flag(const std::string& flags, bool* value, const std::string& help);
  void Whole(const std::string& flags, uint64_t* value, uint64_t least, uint64_t most,
             const std::string& help);
  void Share(const std::string& flags, std::optional<double>* value, const std::string& help);
  void OptionalWhole(const std::string& flags, std::optional<size_t>* value, uint64_t least,
                     const std::string& help);
  // A word that needs no flag.
  void Positional(const std::string& name, std::string* value, const std::string& help);

  // Settings from elsewhere, by long name without dashes ("max-time"); used for options that the
  // command line left alone. False when there is no such option.
  bool Has(const std::string& name) const;
  // `is_list`: the values were written as a list, not as text that may be one.
  base::Status Default(const std::string& name, std::vector<std::string> values, bool is_list,
                       const std::string& origin);

  // Hands the values of the command line to the setters.
  base::Status Collect();

  std::vector<std::string> names() const;

 private:
  struct Entry;
  using Setter = std::function<base::Status(const std::vector<std::string>&)>;
  enum class Kind { kFlag, kOne, kMany, kNames };
  void Add(const std::string& flags, Kind kind, const std::string& help, Setter setter);
  Entry* Find(const std::string& name) const;

  CLI::App& app_;
  std::vector<std::shared_ptr<Entry>> entries_;  // shared: CLI11 keeps references into them
};

}  // namespace reckon::cli
