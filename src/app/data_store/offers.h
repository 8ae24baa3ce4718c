// What a data store offers to the nodes of an update: files in a folder, and the door at which they
// are asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "act/agents/beat.h"
#include "app/data_store/image_pool.h"
#include "base/result.h"
#include "net/http_server.h"

namespace reckon::app {

// One offer at a time: of the newest attempt. Thread-safe: the door has a thread of its own.
class Offers {
 public:
  struct Options {
    std::filesystem::path folder;  // for copies of what is offered
    net::Address listen;           // port 0: any free one
    std::optional<net::TlsFiles> tls = {};
  };
  // kUnavailable: the port is taken.
  static base::Result<std::unique_ptr<Offers>> Open(Options options);
  ~Offers();

  // Replaces the last offer, under a secret of its own. kIo.
  base::Status Begin(const std::string& name);
  // A file of it; what nodes need to know to fetch it.
  base::Result<act::DataWish::File> Add(const NamedBytes& file);
  // Nothing is offered any more.
  void End();

  // Where its files are; empty: nothing is offered.
  std::string source() const;
  std::string secret() const;

 private:
  explicit Offers(Options options) : options_(std::move(options)) {}
  net::HttpResponse Answer(const net::HttpRequest& request) const;

  const Options options_;
  mutable std::mutex mutex_;
  std::string name_;  // guarded by mutex_, as the next
  std::string secret_;
  std::unique_ptr<net::HttpServer> door_;  // the last: its thread uses all of the above
};

}  // namespace reckon::app
