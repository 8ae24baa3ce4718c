// publish and published: trained models that answer what images show.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/remote.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/server_options.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using base::Json;

std::string NumberOr(const Json& value, const char* otherwise) {
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : otherwise;
}

std::string PublishedText(const Json& published) {
  TextTable table;
  table.AddColumn("model", TextTable::Align::kLeft);
  for (const char* heading : {"version", "run", "accuracy"}) {
    table.AddColumn(heading, TextTable::Align::kRight);
  }
  table.AddColumn("state", TextTable::Align::kLeft);
  std::string notes;
  for (const Json& model : published) {
    const Json served = model.value("served", Json());
    for (const Json& version : model.value("versions", Json::array())) {
      std::string state = version.value("state", "");
      if (served.is_object() && served.value("version", 0) == version.value("version", -1)) {
        state += fmt::format(", answers on {}", served.value("node", ""));
      }
      table.AddRow({model.value("name", ""), std::to_string(version.value("version", int64_t{0})),
                    std::to_string(version.value("run", int64_t{0})),
                    NumberOr(version.value("accuracy", Json()), "-"), state});
    }
    const Json judged = model.value("judged", Json::object());
    if (judged.value("count", int64_t{0}) == 0) continue;
    notes += fmt::format("{}: {} of its {} judged answers are right\n", model.value("name", ""),
                         NumberOr(judged.value("accuracy", Json()), "-"),
                         judged.value("count", int64_t{0}));
  }
  return table.Render() + notes;
}

Output ShownModel(const Json& model) {
  Output output;
  output.text = PublishedText(Json::array({model}));
  output.json = base::DumpJson(model);
  return output;
}

class PublishCommand final : public Command {
 public:
  std::string name() const override { return "publish"; }
  std::string summary() const override { return "have a trained model answer what images show"; }
  std::string details() const override {
    return "Example:\n"
           "  reckon publish 7 --as camera --server 10.0.0.1:4180\n"
           "What run 7 has trained is the next version of 'camera', and answers at once unless it\n"
           "is worse than the one that does (docs/service.md).\n";
  }
  void Declare(OptionSet& options) override {
    options.Positional("run", &run_, "a run of the manager that has trained a model");
    options.Text("--as", &name_, "the name");
    options.Flag("--force", &force_, "also when it is worse");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context&) override {
    if (remote_.server.empty()) return base::BadInput("no manager to ask (--server HOST:PORT)");
    if (name_.empty()) return base::BadInput("no name to publish it under (--as NAME)");
    const auto run = base::ParseInteger(run_);
    if (!run || *run < 1) return base::BadInput(fmt::format("'{}' is no number of a run", run_));
    RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
    RECKON_ASSIGN(const Json shown, remote.Publish(name_, *run, force_));
    Output output = ShownModel(shown);
    const Json made = shown.value("published", Json::object());
    const std::string why_not = made.value("why_not", "");
    if (!why_not.empty()) output.text += fmt::format("it is not live: {}\n", why_not);
    return output;
  }

 private:
  app::RemoteRequest remote_;
  std::string run_;
  std::string name_;
  bool force_ = false;
};

class PublishedCommand final : public Command {
 public:
  std::string name() const override { return "published"; }
  std::string summary() const override { return "models that answer, and their versions"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon published --server 10.0.0.1:4180\n"
           "  reckon published camera --roll-back --server 10.0.0.1:4180\n"
           "  reckon published camera --promote 3 --server 10.0.0.1:4180\n";
  }
  void Declare(OptionSet& options) override {
    options.Positional("name", &name_, "of one (default: all)");
    options.Flag("--roll-back", &roll_back_, "the version before is live again");
    options.OptionalWhole("--promote", &promote_, 1, "this version is live");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context&) override {
    if (remote_.server.empty()) return base::BadInput("no manager to ask (--server HOST:PORT)");
    if (name_.empty() && (roll_back_ || promote_)) {
      return base::BadInput("--roll-back and --promote are of one model: give its name");
    }
    if (roll_back_ && promote_) return base::BadInput("--roll-back and --promote are two wishes");
    RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
    if (roll_back_) RECKON_TRY(remote.RollBack(name_));
    if (promote_) RECKON_TRY(remote.Promote(name_, static_cast<int64_t>(*promote_)));
    RECKON_ASSIGN(const Json shown, remote.Published(name_));
    if (!name_.empty()) return ShownModel(shown);
    Output output;
    output.text = PublishedText(shown.value("published", Json::array()));
    output.json = base::DumpJson(shown);
    return output;
  }

 private:
  app::RemoteRequest remote_;
  std::string name_;
  bool roll_back_ = false;
  std::optional<size_t> promote_;
};

}  // namespace

std::unique_ptr<Command> MakePublishCommand() { return std::make_unique<PublishCommand>(); }
std::unique_ptr<Command> MakePublishedCommand() { return std::make_unique<PublishedCommand>(); }

}  // namespace reckon::cli
