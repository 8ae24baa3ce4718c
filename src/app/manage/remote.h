// A manager elsewhere, asked over HTTP: what commands with --server do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/access/tokens.h"
#include "app/context.h"
#include "app/manage/managed_json.h"
#include "base/json.h"
#include "base/result.h"
#include "bundle/bundle.h"
#include "net/http_client.h"

namespace reckon::app {

struct RemoteRequest {
  std::string server;  // "host:port", "http://host:port" or "https://host:port"
  std::string token_file;
  std::string tls_ca;  // whom to believe with https; empty: the system's roots
};

// For one thread. Every call: kUnavailable when the manager cannot be reached; what the manager
// finds wrong as the error that it was there.
class Remote {
 public:
  // kBadInput: no such address.
  static base::Result<Remote> Open(const RemoteRequest& request);

  // The number of the new run.
  base::Result<int64_t> Submit(const JobText& job);
  // Sends a folder of code, as far as the manager does not have it, and says what it is known by
  // there. kBadInput: something in it cannot be sent, or it is too large.
  base::Result<std::string> SendFolder(const std::filesystem::path& folder, const Context& context);
  // `run`: its number, or "" or "last" for the newest.
  base::Result<base::Json> Show(const std::string& run);
  // Without a number: the newest run that has not ended. Waits for its end.
  base::Result<base::Json> Stop(const std::string& run, const Context& context);
  // Waits for the end, with progress. A request to stop stops the run.
  base::Result<base::Json> Follow(int64_t run, const Context& context);
  base::Result<base::Json> Nodes();
  base::Result<base::Json> ForgiveNode(const std::string& name);
  base::Result<base::Json> RemoveNode(const std::string& name);

  // The new token, with its secret.
  base::Result<base::Json> MakeToken(const TokenWish& wish);
  base::Result<base::Json> Tokens();
  // By its name or number.
  base::Result<base::Json> RevokeToken(const std::string& which);
  // Of a model; empty: of all.
  base::Result<base::Json> Calibration(const std::string& model);
  base::Result<base::Json> AskForRefit(const std::string& model);

  // Of runs that ended within so many days and those at work; nullopt: of all.
  base::Result<base::Json> Spend(std::optional<uint64_t> days);

  // The newest lines.
  base::Result<base::Json> Audit(size_t limit);

  base::Result<base::Json> DataStores();
  base::Result<base::Json> WantUpdate(const std::string& data_store);

  // The file of the model that a run has trained.
  base::Result<std::string> Model(int64_t run);

  // What code that was sent for a run has left, into a new folder. kNotFound: it has left nothing;
  // kBadInput: the folder is not free.
  base::Result<bundle::Contents> FetchResults(int64_t run, const std::filesystem::path& folder);

  // Published models: all of them; a run's model as the next version of a name; another version;
  // the one before. Answers are those of the service.
  base::Result<base::Json> Published(const std::string& name);
  base::Result<base::Json> Publish(const std::string& name, int64_t run, bool force);
  base::Result<base::Json> Promote(const std::string& name, int64_t version);
  base::Result<base::Json> RollBack(const std::string& name);

  // Any call below /api/v1; null: without a body.
  base::Result<base::Json> Ask(const std::string& method, const std::string& target,
                               const base::Json& body);

 private:
  Remote(net::HttpClient client, std::string token)
      : client_(std::move(client)), token_(std::move(token)) {}
  base::Result<net::HttpResponse> Send(const std::string& method, const std::string& target,
                                       const std::string& body,
                                       const std::string& type = "application/json");
  base::Result<base::Json> Call(const std::string& method, const std::string& target,
                                const std::string& body = "");
  base::Result<int64_t> NewestRun(bool at_work);
  base::Result<base::Json> ShowNumber(int64_t run);

  net::HttpClient client_;
  std::string token_;
};

// What asks for a run of the job.
base::Json JobBody(const JobText& job);

// A job on its way to a manager.
struct JobToSend {
  JobText job;
  std::filesystem::path code;  // the folder that its command runs in; empty: it names none
};

// The job file's text and the changes to it. What the job's `describe` script tells is among them:
// it runs here, and never at the manager.
base::Result<JobToSend> ReadJobToSend(const std::string& path,
                                      std::vector<spec::Override> overrides,
                                      const std::stop_token& stop);

}  // namespace reckon::app
