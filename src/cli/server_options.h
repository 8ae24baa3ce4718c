// Options of commands that may ask a manager elsewhere.
#pragma once

#include "app/manage/remote.h"
#include "cli/options.h"

namespace reckon::cli {

void DeclareServer(OptionSet& options, app::RemoteRequest& remote);

}  // namespace reckon::cli
