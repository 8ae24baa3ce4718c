// Tells others over HTTP what happens to runs and nodes: every event of the store is posted to
// every address, in its order, until it has been taken.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "core/run.h"
#include "net/http_client.h"
#include "net/tls.h"
#include "store/store.h"

namespace reckon::app {

struct WebhookOptions {
  std::vector<std::string> urls;  // "https://host:port/path"; of http, too
  std::filesystem::path folder;   // keeps how far each has been told
  std::chrono::milliseconds look{500};
  std::chrono::milliseconds first_pause{1'000};  // after a failure; doubles until the longest
  std::chrono::milliseconds longest_pause{60'000};
  std::chrono::milliseconds patience{5'000};
};

// Each address has a thread and a cursor of its own, so that one that is away delays nobody; the
// cursor outlives the program, so an event comes at least once. An address that is new hears of
// what happens from then on. Answers below 300 mean taken; 400 to 499, but for 408 and 429, that it
// will never be: such an event is passed over, and the log says so.
class Webhooks {
 public:
  // kBadInput: no such address. kIo: the folder cannot be written. The store and log outlive it.
  static base::Result<std::unique_ptr<Webhooks>> Start(const WebhookOptions& options,
                                                       store::Store& store, base::Logger& log);
  ~Webhooks();
  Webhooks(const Webhooks&) = delete;
  Webhooks& operator=(const Webhooks&) = delete;

 private:
  struct Target {
    net::Url url;
    std::shared_ptr<const net::TlsTrust> tls = nullptr;  // of https
    std::string shown;                                   // for the log: the path may hold a secret
    std::filesystem::path file;
    int64_t cursor = 0;
  };

  Webhooks(const WebhookOptions& options, store::Store& store, base::Logger& log)
      : options_(options), store_(store), log_(log) {}

  base::Result<Target> Open(const std::string& url);
  void Serve(Target target, const std::stop_token& stop);
  // False: to be tried again.
  bool Tell(Target& target, net::HttpClient& client, const core::Event& event);
  void Pause(std::chrono::milliseconds time, const std::stop_token& stop);

  const WebhookOptions options_;
  store::Store& store_;
  base::Logger& log_;
  std::mutex mutex_;  // for pauses
  std::condition_variable_any never_;
  std::vector<std::jthread> threads_;  // the last: they use all of the above
};

}  // namespace reckon::app
