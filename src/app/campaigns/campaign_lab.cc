#include "app/campaigns/campaign_lab.h"

#include <system_error>

#include <fmt/format.h>

#include "act/lab/lab.h"
#include "base/file.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;

bool Same(const act::LabState& state, const core::Lab& lab) {
  if (state.dilation != lab.dilation || state.hosts.size() != lab.hosts.size()) return false;
  for (size_t i = 0; i < lab.hosts.size(); ++i) {
    if (!(state.hosts[i].host == lab.hosts[i])) return false;
  }
  return true;
}

}  // namespace

base::Status RaiseLab(const core::Lab& lab, const std::filesystem::path& mark,
                      const Context& context) {
  const act::LabSystem system;
  const auto state = act::LabStatus(lab.name, system);
  if (state.ok() && state->finished) {
    if (Same(*state, lab)) return {};
    return Error(ErrorCode::kFailed,
                 fmt::format("a lab '{}' is up that is not the campaign's; 'reckon lab down {}' "
                             "removes it",
                             lab.name, lab.name));
  }
  if (!state.ok() && state.error().code() != ErrorCode::kNotFound) return state.error();
  if (state.ok()) RECKON_TRY(act::LabDown(lab.name, system));  // it was never finished
  RECKON_TRY(base::WriteFile(mark, lab.name + "\n"));
  return act::LabUp(lab, system, context.stop);
}

base::Status LowerLab(const core::Lab& lab, const std::filesystem::path& mark) {
  std::error_code error;
  if (!std::filesystem::exists(mark, error)) return {};
  RECKON_TRY(act::LabDown(lab.name, {}));
  std::filesystem::remove(mark, error);
  return {};
}

}  // namespace reckon::app
