// reckon serve: the manager behind HTTP.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/manage/manager.h"
#include "base/result.h"

namespace reckon::serve {

struct ServeRequest {
  std::string listen = "127.0.0.1:4180";  // port 0: any free one
  // Holds a token of an admin that the store need not know; empty: there is none. Without any token
  // nobody is asked for one.
  std::string token_file;
  // PEM; both or none. Read again when the process gets SIGHUP.
  std::string tls_cert;
  std::string tls_key;
  std::vector<std::string> webhooks;  // addresses that hear of every event
  bool keep_models = false;           // none is fitted anew that has drifted
  app::ManagerOptions manager;
};

// Until `context.stop`; runs go on meanwhile, and with the next manager. `ready` is told the URL
// once it listens. kBadInput: without any token for an address that others
// reach. kUnavailable: the
// port is taken, or the store has a manager.
base::Status Serve(const ServeRequest& request, const app::Context& context,
                   const std::function<void(const std::string& url)>& ready);

}  // namespace reckon::serve
