#include "cli/program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/error_json.h"
#include "base/log.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/config.h"
#include "cli/interrupt.h"
#include "cli/terminal_progress.h"

namespace reckon::cli {
namespace {

using base::Error;
using base::ErrorCode;
using base::Status;

struct GlobalOptions {
  std::string db = "reckon.db";
  std::string log_level = "warn";
  uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  bool json = false;
  bool quiet = false;

  void Declare(OptionSet& options) {
    options.Text("--db", &db, "the store's file (default: reckon.db)");
    options.Whole("-j,--jobs", &jobs, 1, 1024, "threads to use (default: all processors)");
    options.Flag("--json", &json, "print the result as JSON");
    options.Flag("-q,--quiet", &quiet, "no progress on standard error");
    options.Text("--log-level", &log_level, "debug, info, warn, error or off (default: warn)");
  }
};

// One subcommand with its place in the parser.
struct Declared {
  std::unique_ptr<Command> command;
  CLI::App* parser = nullptr;
  std::unique_ptr<OptionSet> options;
  GlobalOptions globals;
};

int ExitCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadInput:
    case ErrorCode::kNotFound:
    case ErrorCode::kCorrupt:
      return 2;
    case ErrorCode::kInterrupted:
      return 130;
    case ErrorCode::kUnavailable:
    case ErrorCode::kIo:
    case ErrorCode::kFailed:
      return 1;
  }
  return 1;
}

bool Print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

int Report(const Error& error, bool json) {
  std::fprintf(stderr, "reckon: %s\n", error.Describe().c_str());
  if (json && !Print(app::ErrorJson(error))) return 1;
  return ExitCode(error.code());
}

// Known before anything is parsed, so that every mistake can be answered in JSON.
bool WantsJson(int argc, char** argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* argument) { return std::string_view(argument) == "--json"; });
}

Status CheckNames(const std::vector<Setting>& settings, const std::vector<Declared>& all) {
  for (const Setting& setting : settings) {
    std::vector<std::string> names;
    bool known_command = setting.command.empty();
    for (const Declared& declared : all) {
      if (!setting.command.empty() && declared.command->name() != setting.command) continue;
      known_command = true;
      const std::vector<std::string> of_command = declared.options->names();
      names.insert(names.end(), of_command.begin(), of_command.end());
    }
    if (!known_command) {
      return base::BadInput(fmt::format("{}: no command '{}'", setting.origin, setting.command));
    }
    if (std::find(names.begin(), names.end(), setting.name) == names.end()) {
      std::sort(names.begin(), names.end());
      names.erase(std::unique(names.begin(), names.end()), names.end());
      return base::BadInput(fmt::format("{}: no option '{}'{}", setting.origin, setting.name,
                                        base::SuggestFrom(setting.name, names)));
    }
  }
  return {};
}

// Flags first, so that --json is known when something else is wrong; they are stronger than files
// and the environment, which follow from the weakest to the strongest.
Status ReadSettings(Declared& chosen, const std::vector<Declared>& all) {
  RECKON_TRY(chosen.options->Collect());
  for (const std::filesystem::path& file : ConfigFiles()) {
    RECKON_ASSIGN(const std::vector<Setting> settings, ReadConfigFile(file));
    RECKON_TRY(CheckNames(settings, all));
    // What is said for one command is stronger than what is said for all.
    for (const bool specific : {false, true}) {
      for (const Setting& setting : settings) {
        if (specific != !setting.command.empty()) continue;
        if (specific && setting.command != chosen.command->name()) continue;
        RECKON_TRY(chosen.options->Default(setting.name, setting.values, setting.origin));
      }
    }
  }
  for (const std::string& name : chosen.options->names()) {
    const std::string variable = EnvironmentName(name);
    if (const char* value = std::getenv(variable.c_str()); value != nullptr) {
      RECKON_TRY(chosen.options->Default(name, {value}, variable));
    }
  }
  return {};
}

int RunCommand(Declared& chosen, const std::vector<Declared>& all, bool wants_json) {
  const Status ready = ReadSettings(chosen, all);
  if (!ready.ok()) return Report(ready.error(), wants_json || chosen.globals.json);
  const auto level = base::ParseLogLevel(chosen.globals.log_level);
  if (!level.ok()) return Report(level.error(), chosen.globals.json);

  const InterruptWatch interrupt;
  const base::SystemClock clock;
  base::Logger log(*level);
  TerminalProgress bar(clock, isatty(STDERR_FILENO) != 0);
  base::NoProgress silence;
  const app::Context context{
      clock,
      log,
      chosen.globals.quiet ? static_cast<base::Progress&>(silence) : bar,
      interrupt.token(),
      chosen.globals.jobs,
      chosen.globals.db,
  };
  auto output = chosen.command->Run(context);
  if (!output.ok()) {
    if (output.error().code() == ErrorCode::kInterrupted) {
      return Report(Error(ErrorCode::kInterrupted, "interrupted; nothing was changed"),
                    chosen.globals.json);
    }
    return Report(output.error(), chosen.globals.json);
  }
  if (!Print(chosen.globals.json ? output->json : output->text)) {
    std::fprintf(stderr, "reckon: cannot write to standard output\n");
    return 1;
  }
  return output->exit_code;
}

}  // namespace

int RunProgram(int argc, char** argv) {
  CLI::App parser("How long a distributed training job will take, before it runs.", "reckon");
  parser.set_version_flag("--version", std::string("reckon ") + base::Version());
  parser.require_subcommand(1);
  parser.failure_message(CLI::FailureMessage::simple);
  std::vector<Declared> all;
  for (std::unique_ptr<Command>& command : AllCommands()) {
    Declared declared;
    declared.command = std::move(command);
    declared.parser = parser.add_subcommand(declared.command->name(), declared.command->summary());
    declared.parser->footer(declared.command->details());
    declared.options = std::make_unique<OptionSet>(*declared.parser);
    all.push_back(std::move(declared));
  }
  // Only now, since the options point into elements of `all`.
  for (Declared& declared : all) {
    declared.command->Declare(*declared.options);
    declared.globals.Declare(*declared.options);
  }
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are no errors.
    if (error.get_exit_code() == 0) return parser.exit(error);
    const Error wrong_use = base::BadInput(error.what());
    const int code = Report(wrong_use, WantsJson(argc, argv));
    std::fprintf(stderr, "Try 'reckon --help' or 'reckon COMMAND --help'.\n");
    return code;
  }
  for (Declared& declared : all) {
    if (declared.parser->parsed()) return RunCommand(declared, all, WantsJson(argc, argv));
  }
  return 2;
}

}  // namespace reckon::cli
