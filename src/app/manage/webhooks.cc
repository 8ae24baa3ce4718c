#include "app/manage/webhooks.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/fingerprint.h"
#include "base/json.h"
#include "base/text.h"

namespace reckon::app {

namespace fs = std::filesystem;
using base::Json;
using base::Result;
using base::Status;

namespace {

bool IsTold(const std::string& kind) {
  return kind.starts_with("run.") || kind.starts_with("node.");
}

// Never will be taken, however often it comes.
bool IsFinalRefusal(int status) {
  constexpr int kTimeout = 408;
  constexpr int kTooMany = 429;
  return status >= 400 && status < 500 && status != kTimeout && status != kTooMany;
}

}  // namespace

Result<std::unique_ptr<Webhooks>> Webhooks::Start(const WebhookOptions& options,
                                                  store::Store& store, base::Logger& log) {
  std::error_code error;
  fs::create_directories(options.folder, error);
  std::unique_ptr<Webhooks> hooks(new Webhooks(options, store, log));
  std::vector<Target> targets;
  for (const std::string& url : options.urls) {
    auto target = hooks->Open(url);
    if (!target.ok()) return std::move(target).error().Wrap("--webhook");
    targets.push_back(*std::move(target));
  }
  for (Target& target : targets) {
    hooks->threads_.emplace_back([hooks = hooks.get(), target = std::move(target)](
                                     const std::stop_token& stop) { hooks->Serve(target, stop); });
  }
  return hooks;
}

Webhooks::~Webhooks() {
  // All at once: each may be waiting for an answer.
  for (std::jthread& thread : threads_) thread.request_stop();
}

Result<Webhooks::Target> Webhooks::Open(const std::string& url) {
  Target target;
  RECKON_ASSIGN(target.url, net::ParseUrl(url));
  target.shown = target.url.address.ToText();
  if (target.url.secure) {
    RECKON_ASSIGN(target.tls, net::TlsTrust::Load(""));
  }
  base::Fingerprint print;
  print.Add(url);
  target.file = options_.folder / ("webhook-" + print.Hex());
  auto text = base::ReadFile(target.file);
  if (text.ok()) {
    const auto cursor = base::ParseInteger(*text);
    RECKON_ASSIGN(const int64_t newest, store_.NewestEventId());
    if (cursor && *cursor >= 0 && *cursor <= newest) {
      target.cursor = *cursor;
      return target;
    }
    log_.Warn(fmt::format("{} is of another store: {} hears of what happens from now on",
                          target.file.string(), target.shown));
  }
  RECKON_ASSIGN(target.cursor, store_.NewestEventId());
  RECKON_TRY(base::WriteFile(target.file, std::to_string(target.cursor)));
  return target;
}

void Webhooks::Pause(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  never_.wait_for(lock, stop, time, [] { return false; });
}

void Webhooks::Serve(Target target, const std::stop_token& stop) {
  constexpr size_t kPage = 100;
  net::HttpClient client(target.url.address, {.connect_patience = options_.patience,
                                              .answer_patience = options_.patience,
                                              .most_body_bytes = 64 << 10,
                                              .tls = target.tls});
  auto pause = options_.first_pause;
  while (!stop.stop_requested()) {
    const auto page = store_.ListEvents({}, target.cursor, kPage);
    if (!page.ok() || page->empty()) {
      Pause(options_.look, stop);
      continue;
    }
    const int64_t before = target.cursor;
    bool away = false;
    for (const core::Event& event : *page) {
      if (stop.stop_requested()) break;
      if (IsTold(event.kind) && !Tell(target, client, event)) {
        away = true;
        break;
      }
      target.cursor = event.id;
    }
    if (target.cursor != before) {
      const Status kept = base::WriteFile(target.file, std::to_string(target.cursor));
      if (!kept.ok()) log_.Warn(kept.error().Describe());
      pause = options_.first_pause;
    }
    if (!away) continue;
    Pause(pause, stop);
    pause = std::min(2 * pause, options_.longest_pause);
  }
}

bool Webhooks::Tell(Target& target, net::HttpClient& client, const core::Event& event) {
  Json body{{"id", event.id},
            {"kind", event.kind},
            {"at", base::FormatTime(event.at)},
            {"detail", Json::parse(event.detail, nullptr, false)}};
  if (event.run_id) {
    body["run"] = *event.run_id;
    const auto run = store_.FindRun(*event.run_id);
    if (run.ok()) body["name"] = run->name;
  }
  const auto answer = client.Post(target.url.target, base::DumpJsonLine(body));
  if (answer.ok() && answer->status < 300) return true;
  if (answer.ok() && IsFinalRefusal(answer->status)) {
    log_.Warn(fmt::format("webhook {}: event {} was refused with {}; it is passed over",
                          target.shown, event.id, answer->status));
    return true;
  }
  log_.Warn(fmt::format(
      "webhook {}: event {} waits: {}", target.shown, event.id,
      answer.ok() ? fmt::format("status {}", answer->status) : answer.error().Describe()));
  return false;
}

}  // namespace reckon::app
