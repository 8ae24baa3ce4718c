// A manager elsewhere, asked over HTTP: what commands with --server do.
#pragma once

#include <cstdint>
#include <string>

#include "app/context.h"
#include "app/manage/managed_json.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

struct RemoteRequest {
  std::string server;  // "http://host:port" or "host:port"
  std::string token_file;
};

// For one thread. Every call: kUnavailable when the manager cannot be reached; what the manager
// finds wrong as the error that it was there.
class Remote {
 public:
  // kBadInput: no such address.
  static base::Result<Remote> Open(const RemoteRequest& request);

  // The number of the new run.
  base::Result<int64_t> Submit(const JobText& job);
  // `run`: its number, or "" or "last" for the newest.
  base::Result<base::Json> Show(const std::string& run);
  // Without a number: the newest run that has not ended. Waits for its end.
  base::Result<base::Json> Stop(const std::string& run, const Context& context);
  // Waits for the end, with progress. A request to stop stops the run.
  base::Result<base::Json> Follow(int64_t run, const Context& context);
  base::Result<base::Json> Nodes();

 private:
  Remote(std::string host, uint16_t port, std::string token)
      : host_(std::move(host)), port_(port), token_(std::move(token)) {}
  base::Result<base::Json> Call(const std::string& method, const std::string& target,
                                const std::string& body = "") const;
  base::Result<int64_t> NewestRun(bool at_work) const;
  base::Result<base::Json> ShowNumber(int64_t run) const;

  std::string host_;
  uint16_t port_;
  std::string token_;
};

// The job file's text and the changes to it, to be sent.
base::Result<JobText> ReadJobToSend(const std::string& path, std::vector<spec::Override> overrides);

}  // namespace reckon::app
