#include "cli/server_options.h"

namespace reckon::cli {

void DeclareServer(OptionSet& options, app::RemoteRequest& remote) {
  options.Text("--server", &remote.server,
               "a manager elsewhere (reckon serve): HOST:PORT or https://HOST:PORT");
  options.Text("--token-file", &remote.token_file, "what that manager wants to be shown");
  options.Text("--tls-ca", &remote.tls_ca, "PEM: whom to believe (default: the system's roots)");
}

}  // namespace reckon::cli
