// profile: measures what a campaign asks for.
#include <algorithm>
#include <cstdio>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/campaigns/profile.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/commands/campaign_text.h"

namespace reckon::cli {
namespace {

base::Result<std::optional<double>> DurationOption(const char* option, const std::string& text) {
  if (text.empty()) return std::optional<double>();
  auto seconds = base::ParseDurationS(text);
  if (!seconds.ok()) return std::move(seconds).error().Wrap(option);
  return std::optional(*seconds);
}

base::Result<std::optional<double>> AmountOption(const char* option, const std::string& text) {
  if (text.empty()) return std::optional<double>();
  const auto number = base::ParseNumber(text);
  if (!number || *number < 0) {
    return base::BadInput(
        fmt::format("{}: expected an amount like 2.50, found '{}'", option, text));
  }
  return number;
}

base::Result<std::optional<double>> ShareOption(const char* option, std::string text) {
  if (text.empty()) return std::optional<double>();
  const std::string given = text;
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  const auto number = base::ParseNumber(text);
  if (!number || *number <= 0) {
    return base::BadInput(
        fmt::format("{}: expected a share like 5% or 0.05, found '{}'", option, given));
  }
  return std::optional(percent ? *number / 100 : *number);
}

class ProfileCommand final : public Command {
 public:
  std::string name() const override { return "profile"; }
  std::string summary() const override { return "measure what a campaign asks for, no more"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon profile campaign.yaml\n"
           "  reckon profile campaign.yaml --design optimal --until-error 5% --max-time 30m\n"
           "Ctrl-C stops the run under way. Interrupted or killed, the same command goes on where\n"
           "it was. What was measured is kept as samples NAME.runs and NAME.epochs.\n";
  }
  void Declare(OptionSet& options) override {
    options.Positional("campaign", &request_.file, "the campaign file (docs/profiling.md)");
    options.Text("--design", &request_.design, "grid, random or optimal; in place of the file's");
    options.Text("--criterion", &request_.criterion, "of optimal: a (default) or d");
    options.Text("--max-time", &max_time_, "measure no longer than this in all, like 30m");
    options.Text("--max-cost", &max_cost_, "spend no more than this in all");
    options.Text("--until-error", &until_error_, "stop when forecasts are this good, like 5%");
    options.OptionalWhole("--repeats", &request_.repeats, 1, "runs of each point");
    options.Flag("--keep-lab", &request_.keep_lab, "leave the lab up at the end");
  }
  void ChooseFormat(bool json) override { json_ = json; }

  base::Result<Output> Run(const app::Context& context) override {
    if (request_.file.empty()) return base::BadInput("no campaign file to carry out");
    RECKON_ASSIGN(request_.max_time_s, DurationOption("--max-time", max_time_));
    RECKON_ASSIGN(request_.max_cost, AmountOption("--max-cost", max_cost_));
    RECKON_ASSIGN(request_.until_error, ShareOption("--until-error", until_error_));
    for (const auto& [option, value, known] :
         {std::tuple("--design", request_.design, "grid, random, optimal"),
          std::tuple("--criterion", request_.criterion, "a, d")}) {
      std::vector<std::string> words;
      for (const std::string_view word : base::Split(known, ',')) {
        words.emplace_back(base::Trim(word));
      }
      if (value.empty() || std::find(words.begin(), words.end(), value) != words.end()) continue;
      return base::BadInput(
          fmt::format("{}: expected one of {}, found '{}'", option, known, value));
    }
    const app::OnAttempt told = [this](const auto& report, const auto& point, const auto& attempt) {
      if (json_) return;
      fmt::print("{}", AttemptLine(report, point, attempt));
      std::fflush(stdout);
    };
    RECKON_ASSIGN(const app::CampaignReport report, app::Profile(request_, context, told));
    Output output;
    output.text = "\n" + CampaignText(report);
    output.json = base::DumpJson(app::ToJson(report));
    if (report.runs == 0) output.exit_code = 1;
    if (report.interrupted) output.exit_code = 130;
    return output;
  }

 private:
  app::CampaignRequest request_;
  std::string max_time_;
  std::string max_cost_;
  std::string until_error_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeProfileCommand() { return std::make_unique<ProfileCommand>(); }

}  // namespace reckon::cli
