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

// Whether this campaign has made the lab, and not somebody else one of that name.
bool IsOurs(const core::Lab& lab, const std::filesystem::path& mark) {
  const auto text = base::ReadFile(mark);
  return text.ok() && *text == lab.name + "\n";
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
  const bool absent = !state.ok() && state.error().code() == ErrorCode::kNotFound;
  // One of ours whose parts are gone, as after the restart of a container, is made anew.
  if (!state.ok() && !absent && !IsOurs(lab, mark)) return state.error();
  if (!absent) RECKON_TRY(act::LabDown(lab.name, system));  // it was never finished, or is broken
  RECKON_TRY(base::WriteFile(mark, lab.name + "\n"));
  base::Status up = act::LabUp(lab, system, context.stop);
  std::error_code ignored;
  if (!up.ok()) std::filesystem::remove(mark, ignored);
  return up;
}

base::Status LowerLab(const core::Lab& lab, const std::filesystem::path& mark) {
  std::error_code error;
  if (!IsOurs(lab, mark)) return {};
  RECKON_TRY(act::LabDown(lab.name, {}));
  std::filesystem::remove(mark, error);
  return {};
}

}  // namespace reckon::app
