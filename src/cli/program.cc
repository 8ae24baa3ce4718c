#include "cli/program.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/error_json.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/config.h"
#include "cli/terminal_progress.h"

namespace reckon::cli {
namespace {

using base::Error;
using base::ErrorCode;
using base::Status;

struct GlobalOptions {
  std::string db = "reckon.db";
  std::string runs_folder;  // empty: where the store says
  std::string log_level = "warn";
  uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  bool json = false;
  bool quiet = false;

  void Declare(OptionSet& options) {
    options.Text("--db", &db,
                 "the store: a file, or postgresql://USER@HOST/DATABASE (default: reckon.db)");
    options.Text("--runs-folder", &runs_folder, "where runs keep their files");
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

bool Print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

int Report(const Error& error, bool json) {
  std::fprintf(stderr, "reckon: %s\n", error.Describe().c_str());
  if (json && !Print(app::ErrorJson(error))) return 1;
  return base::ExitCode(error.code());
}

// Known before anything is parsed, so that every mistake can be answered in JSON.
bool WantsJson(int argc, char** argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* argument) { return std::string_view(argument) == "--json"; });
}

// CLI11 marks options that may be repeated by "...", which reads as if values could follow each
// other.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.empty() ? "" : " " + type;
  }
};

std::vector<std::string> CommandNames(const std::vector<Declared>& all) {
  std::vector<std::string> names;
  for (const Declared& declared : all) names.push_back(declared.command->name());
  return names;
}

const Declared* FindCommand(const std::vector<Declared>& all, std::string_view name) {
  for (const Declared& declared : all) {
    if (declared.command->name() == name) return &declared;
  }
  return nullptr;
}

// `reckon help [COMMAND]`, and what the parser would report in its own words: no command, or one
// that does not exist. nullopt: a command, or an option of the program itself.
std::optional<int> AnswerFirstWord(int argc, char** argv, const CLI::App& parser,
                                   const std::vector<Declared>& all) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "help") {
    const std::string_view topic = argc > 2 ? argv[2] : "";
    const Declared* asked = FindCommand(all, topic);
    if (topic.empty()) return Print(parser.help()) ? 0 : 1;
    if (asked != nullptr) return Print(asked->parser->help("reckon")) ? 0 : 1;
    return Report(base::BadInput(fmt::format("no command '{}'{}", topic,
                                             base::SuggestFrom(topic, CommandNames(all)))),
                  false);
  }
  if (word == "-h" || word == "--help" || word == "--version" ||
      FindCommand(all, word) != nullptr) {
    return std::nullopt;
  }
  std::string what = fmt::format("no command '{}'", word);
  if (word.empty()) what = "no command given";
  if (word.starts_with('-')) what = fmt::format("the command comes first, {} behind it", word);
  const int code = Report(base::BadInput(what + base::SuggestFrom(word, CommandNames(all))),
                          WantsJson(argc, argv));
  std::fprintf(stderr, "Try 'reckon help'.\n");
  return code;
}

// Variables that look like settings and are none are slips; saying so is enough, since other
// programs may have variables of that prefix too. Those that ranks of a run find are no slips: a
// job may call reckon.
void WarnOfVariables(const std::vector<Declared>& all, base::Logger& log) {
  constexpr std::string_view kPrefix = "RECKON_";
  constexpr std::array<std::string_view, 8> kOfRanks{"RUN_ID",  "STATUS_URL", "TOKEN",  "ROLE",
                                                     "ADDRESS", "SERVERS",    "SERVER", "LISTEN"};
  std::vector<std::string> known;  // without the prefix, so that it does not count as likeness
  for (const Declared& declared : all) {
    for (const std::string& name : declared.options->names()) {
      known.push_back(EnvironmentName(name).substr(kPrefix.size()));
    }
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with(kPrefix)) continue;
    const std::string name(text.substr(kPrefix.size(), text.find('=') - kPrefix.size()));
    if (std::binary_search(known.begin(), known.end(), name)) continue;
    if (std::find(kOfRanks.begin(), kOfRanks.end(), name) != kOfRanks.end()) continue;
    const auto nearest = base::NearestWord(name, known);
    log.Warn(fmt::format("{}{} sets no option{}", kPrefix, name,
                         nearest ? fmt::format("; did you mean {}{}?", kPrefix, *nearest) : ""));
  }
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
    if (setting.command.empty() && FindCommand(all, setting.name) != nullptr &&
        std::find(names.begin(), names.end(), setting.name) == names.end()) {
      return base::BadInput(
          fmt::format("{}: '{}' is a command; expected its options below it, like '{}:' and then ' "
                      " json: true'",
                      setting.origin, setting.name, setting.name));
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
        RECKON_TRY(
            chosen.options->Default(setting.name, setting.values, setting.is_list, setting.origin));
      }
    }
  }
  for (const std::string& name : chosen.options->names()) {
    const std::string variable = EnvironmentName(name);
    if (const char* value = std::getenv(variable.c_str()); value != nullptr) {
      RECKON_TRY(chosen.options->Default(name, {value}, false, variable));
    }
  }
  return {};
}

int RunCommand(Declared& chosen, const std::vector<Declared>& all, bool wants_json) {
  const Status ready = ReadSettings(chosen, all);
  if (!ready.ok()) return Report(ready.error(), wants_json || chosen.globals.json);
  const auto level = base::ParseLogLevel(chosen.globals.log_level);
  if (!level.ok()) return Report(level.error(), chosen.globals.json);

  const base::InterruptWatch interrupt;
  const base::SystemClock clock;
  base::Logger log(*level);
  WarnOfVariables(all, log);
  TerminalProgress bar(clock, isatty(STDERR_FILENO) != 0);
  base::NoProgress silence;
  const app::Context context{
      clock,
      log,
      chosen.globals.quiet ? static_cast<base::Progress&>(silence) : bar,
      interrupt.token(),
      chosen.globals.jobs,
      {chosen.globals.db, chosen.globals.runs_folder},
  };
  chosen.command->ChooseFormat(chosen.globals.json);
  auto output = chosen.command->Run(context);
  if (!output.ok()) {
    // Work that only computes, or writes at its end, says no more than that; who has done
    // something by then says what.
    const bool untouched = output.error().code() == ErrorCode::kInterrupted &&
                           output.error().Describe() == "interrupted";
    return Report(untouched ? Error(ErrorCode::kInterrupted, "interrupted; nothing was changed")
                            : output.error(),
                  chosen.globals.json);
  }
  const std::string& said = chosen.globals.json ? output->json : output->text;
  if (output->result_on_stdout) {
    std::fputs(said.c_str(), stderr);
  } else if (!Print(said)) {
    std::fprintf(stderr, "reckon: cannot write to standard output\n");
    return 1;
  }
  return output->exit_code;
}

}  // namespace

int RunProgram(int argc, char** argv) {
  base::ExpectChildren();
  CLI::App parser("How long a distributed training job will take, before it runs.", "reckon");
  parser.set_version_flag("--version", std::string("reckon ") + base::Version());
  parser.require_subcommand(1);
  parser.failure_message(CLI::FailureMessage::simple);
  parser.formatter(std::make_shared<HelpFormatter>());
  parser.footer("'reckon help COMMAND' has the options and examples of a command.");
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
  if (const auto code = AnswerFirstWord(argc, argv, parser, all)) return *code;
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are no errors.
    if (error.get_exit_code() == 0) {
      parser.exit(error);
      return std::cout.flush().good() ? 0 : 1;
    }
    const Error wrong_use = base::BadInput(error.what());
    const int code = Report(wrong_use, WantsJson(argc, argv));
    const Declared* command = FindCommand(all, argc > 1 ? argv[1] : "");
    std::fprintf(stderr, "Try 'reckon help%s%s'.\n", command != nullptr ? " " : "",
                 command != nullptr ? command->command->name().c_str() : "");
    return code;
  }
  for (Declared& declared : all) {
    if (declared.parser->parsed()) return RunCommand(declared, all, WantsJson(argc, argv));
  }
  return 2;
}

}  // namespace reckon::cli
