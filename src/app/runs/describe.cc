#include "app/runs/describe.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/command.h"
#include "base/json.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using Known = std::map<std::string, double>;

constexpr std::chrono::seconds kLimit{60};
constexpr size_t kShown = 200;  // bytes of what a script has said

std::map<std::string, std::string> EnvironmentOf(const core::Job& job) {
  std::map<std::string, std::string> environment = job.envs;
  environment["WORLD_SIZE"] = std::to_string(job.workers);
  return environment;
}

// The end of it: there are the words of an exception. On one line.
std::string Shown(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  if (text.size() > kShown) text = "..." + text.substr(text.size() - kShown);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Result<Known> ReadTold(const std::string& out) {
  const base::Json json = base::Json::parse(out, nullptr, false);
  if (!json.is_object()) {
    return base::BadInput(
        fmt::format("expected a JSON object on standard output, like "
                    "{{\"multiply_adds\": 4.2e6}}, found '{}'",
                    Shown(out)));
  }
  Known known;
  for (const auto& [name, value] : json.items()) {
    RECKON_TRY(spec::CheckKnown(name));
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      return base::BadInput(
          fmt::format("'{}' is {}; expected a number", name, base::DumpJsonLine(value)));
    }
    known[name] = value.get<double>();
  }
  return known;
}

Result<Known> Ask(const core::Job& job, const std::stop_token& stop) {
  act::CommandOptions options;
  options.limit = kLimit;
  options.workdir = job.workdir;
  options.environment = EnvironmentOf(job);
  options.stop = stop;
  RECKON_ASSIGN(const act::CommandResult result,
                act::RunCommand({"/bin/sh", "-c", job.describe}, options));
  if (result.exit_code == 0) return ReadTold(result.out);
  const std::string said = Shown(result.err);
  return base::BadInput(fmt::format("the script failed with code {}: {}", result.exit_code,
                                    said.empty() ? "it said nothing" : said));
}

}  // namespace

base::Status Describer::Describe(spec::JobFile& file, const std::stop_token& stop) {
  core::Job& job = file.job;
  std::error_code none;
  // Without its folder the job is refused anyway, in better words.
  const bool asks = !base::Trim(job.describe).empty();
  if (!asks || !std::filesystem::is_directory(job.workdir, none)) return {};
  const auto wrong = [&](Error error) {
    return error.code() == ErrorCode::kInterrupted
               ? std::move(error)
               : file.Placed(std::move(error).About("describe"));
  };
  const std::string key =
      base::DumpJsonLine(base::Json{job.describe, job.workdir, EnvironmentOf(job)});
  auto found = told_.find(key);
  if (found == told_.end()) {
    auto told = Ask(job, stop);
    if (!told.ok() && told.error().code() == ErrorCode::kUnavailable) {
      return wrong(base::BadInput(told.error().Describe()));
    }
    if (!told.ok()) return wrong(std::move(told).error());
    found = told_.emplace(key, *std::move(told)).first;
  }
  for (const auto& [name, value] : found->second) {
    const auto [place, added] = job.known.emplace(name, value);
    if (added || place->second == value) continue;
    return wrong(base::BadInput(
        fmt::format("the script says {} {}, 'known' says {}", name, value, place->second)));
  }
  return {};
}

}  // namespace reckon::app
