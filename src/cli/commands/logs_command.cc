// logs: what the processes of a run print, handed on as it is read.
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/runs.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/commands/all.h"

namespace reckon::cli {
namespace {

// Logs may be longer than memory, so lines go out one by one. As JSON they are a list; for who
// follows them an object a line, since such a list has no end.
class LogsCommand final : public Command {
 public:
  std::string name() const override { return "logs"; }
  std::string summary() const override { return "what the processes of a run print"; }
  void Declare(OptionSet& options) override {
    options.Positional("run", &request_.run, "number of the run (default: the newest)");
    options.Flag("-f,--follow", &request_.follow, "go on until the run ends");
    options.Names("--process", &request_.processes, "only of these: worker-0, server-1, ...");
  }
  void ChooseFormat(bool json) override { json_ = json; }

  base::Result<Output> Run(const app::Context& context) override {
    const bool list = json_ && !request_.follow;
    bool first = true;
    RECKON_TRY(app::ReadLogs(request_, context,
                             [&](std::string_view process, std::string_view line) -> base::Status {
                               RECKON_TRY(Write(list ? (first ? "[\n" : ",\n") : ""));
                               first = false;
                               RECKON_TRY(Write(Shown(process, line)));
                               return request_.follow ? Flush() : base::Status();
                             }));
    Output output;
    if (list) output.json = first ? "[]\n" : "\n]\n";
    return output;
  }

 private:
  std::string Shown(std::string_view process, std::string_view line) const {
    if (!json_) return fmt::format("{} | {}\n", process, line);
    if (request_.follow) return base::DumpJsonLine({{"process", process}, {"line", line}}) + "\n";
    return fmt::format("  {{\n    \"process\": {},\n    \"line\": {}\n  }}",
                       base::DumpJsonLine(base::Json(process)),
                       base::DumpJsonLine(base::Json(line)));
  }

  static base::Status Write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return {};
    return CannotWrite();
  }
  static base::Status Flush() {
    if (std::fflush(stdout) == 0) return {};
    return CannotWrite();
  }
  static base::Error CannotWrite() {
    return {base::ErrorCode::kIo, "cannot write to standard output"};
  }

  app::LogsRequest request_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeLogsCommand() { return std::make_unique<LogsCommand>(); }

}  // namespace reckon::cli
