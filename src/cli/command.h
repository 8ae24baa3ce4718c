// A command of the program: its options, and what it prints.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/options.h"

namespace reckon::cli {

// What a command has to say: for people, and for programs.
struct Output {
  std::string text;
  std::string json;  // a whole document
  // The result itself went to standard output; what else there is to say goes to standard error.
  bool result_on_stdout = false;
  int exit_code = 0;
};

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;
  // More of the help text: an example or two.
  virtual std::string details() const { return ""; }
  virtual void Declare(OptionSet& options) = 0;
  // Before Run, for who prints while it runs instead of at the end.
  virtual void ChooseFormat(bool /*json*/) {}
  virtual base::Result<Output> Run(const app::Context& context) = 0;
};

// Every command, in the order of the help text.
std::vector<std::unique_ptr<Command>> AllCommands();

}  // namespace reckon::cli
