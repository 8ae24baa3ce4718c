#include "app/data_store/kept_model.h"

#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"

namespace reckon::app {

using base::ErrorCode;
using base::Json;
using base::Status;

bool KeptModel::Exists() const {
  std::error_code none;
  return !request_.model.empty() && std::filesystem::exists(request_.model, none);
}

Status KeptModel::Take(int64_t run) {
  RECKON_TRY(Keep(run));
  return Publish(run);
}

// Takes the place of what was there, unless it is worse on the same images.
Status KeptModel::Keep(int64_t run) {
  if (request_.model.empty()) return {};
  const auto model = remote_.Model(run);
  if (!model.ok() && model.error().code() == ErrorCode::kNotFound) {
    tell_(fmt::format("run {}: {}", run, model.error().Describe()), /*trouble=*/true);
    return {};
  }
  if (!model.ok()) return model.error();
  RECKON_ASSIGN(const Json report, remote_.Show(std::to_string(run)));
  const Json epochs = report.value("epochs", Json::array());
  std::optional<double> accuracy;
  if (!epochs.empty() && epochs.back().is_object()) {
    const auto last = epochs.back().find("accuracy");
    if (last != epochs.back().end() && last->is_number()) accuracy = last->get<double>();
  }
  const bool comparable =
      accuracy && state_.accuracy && Exists() && state_.judged_by == state_.validation;
  if (comparable && *accuracy < *state_.accuracy) {
    tell_(fmt::format("run {}: its model is worse than the present one ({:.4f}, before {:.4f}) and "
                      "is left where it is",
                      run, *accuracy, *state_.accuracy),
          /*trouble=*/false);
    return {};
  }
  RECKON_TRY(base::WriteFile(request_.model, *model));
  state_.accuracy = accuracy;
  state_.judged_by = state_.validation;
  tell_(fmt::format("run {}: its model is {} now{}", run, request_.model,
                    accuracy ? fmt::format(", accuracy {:.4f}", *accuracy) : ""),
        /*trouble=*/false);
  return {};
}

Status KeptModel::Publish(int64_t run) {
  if (request_.publish.empty()) return {};
  RECKON_ASSIGN(const Json shown, remote_.Published(""));
  for (const Json& one : shown.value("published", Json::array())) {
    if (one.value("name", "") != request_.publish) continue;
    for (const Json& version : one.value("versions", Json::array())) {
      if (version.value("run", int64_t{0}) == run) return {};  // before it was killed
    }
  }
  const auto answer = remote_.Publish(request_.publish, run, false);
  if (!answer.ok()) {
    if (answer.error().code() != ErrorCode::kNotFound) return answer.error();
    tell_(fmt::format("run {}: {}", run, answer.error().Describe()), /*trouble=*/true);
    return {};
  }
  const Json made = answer->value("published", Json::object());
  const std::string why_not = made.value("why_not", "");
  tell_(fmt::format("run {}: version {} of '{}'{}", run, made.value("version", int64_t{0}),
                    request_.publish, why_not.empty() ? " is live" : " stays aside: " + why_not),
        /*trouble=*/false);
  return {};
}

}  // namespace reckon::app
