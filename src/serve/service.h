// reckon serve: the manager behind HTTP.
#pragma once

#include <functional>
#include <string>

#include "app/context.h"
#include "app/manage/manager.h"
#include "base/result.h"

namespace reckon::serve {

struct ServeRequest {
  std::string listen = "127.0.0.1:4180";  // port 0: any free one
  std::string token_file;  // holds the token that every caller shows; empty: none is needed
  app::ManagerOptions manager;
};

// Until `context.stop`; runs go on meanwhile, and with the next manager. `ready` is told the URL
// once it listens. kBadInput: without a token for an address that others reach. kUnavailable: the
// port is taken, or the store has a manager.
base::Status Serve(const ServeRequest& request, const app::Context& context,
                   const std::function<void(const std::string& url)>& ready);

}  // namespace reckon::serve
