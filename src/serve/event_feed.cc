#include "serve/event_feed.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/json.h"

namespace reckon::serve {

using base::Json;
using base::Status;

namespace {

constexpr size_t kPage = 1000;
// How long a browser waits before it comes again.
constexpr const char* kHead = "retry: 2000\n\n";

}  // namespace

std::string EventText(const std::string& kind, const std::string& data) {
  return fmt::format("event: {}\ndata: {}\n\n", kind, data);
}

std::string EventText(const core::Event& event) {
  const Json data{{"id", event.id},
                  {"run", event.run_id ? Json(*event.run_id) : Json()},
                  {"at", base::FormatTime(event.at)},
                  {"detail", Json::parse(event.detail, nullptr, false)}};
  return fmt::format("id: {}\n{}", event.id, EventText(event.kind, base::DumpJsonLine(data)));
}

EventFeed::EventFeed(const FeedOptions& options, store::Store& store, base::Logger& log,
                     LookAtRun look)
    : options_(options),
      store_(store),
      log_(log),
      look_(std::move(look)),
      thread_([this](const std::stop_token& stop) { Serve(stop); }) {}

EventFeed::~EventFeed() {
  thread_.request_stop();
  thread_.join();
}

Status EventFeed::FollowRun(net::HttpReply& reply, int64_t run_id, std::optional<int64_t> after) {
  RECKON_TRY(store_.FindRun(run_id));
  return Add(reply, run_id, after.value_or(0));
}

Status EventFeed::FollowAll(net::HttpReply& reply, std::optional<int64_t> after) {
  // Those to come begin now, not when the thread first looks after this listener.
  if (!after) {
    RECKON_ASSIGN(after, store_.NewestEventId());
  }
  return Add(reply, std::nullopt, after);
}

Status EventFeed::Add(net::HttpReply& reply, std::optional<int64_t> run,
                      std::optional<int64_t> after) {
  if (count_.fetch_add(1) >= options_.most_listeners) {
    --count_;
    return base::Error(base::ErrorCode::kUnavailable,
                       fmt::format("{} listen already", options_.most_listeners));
  }
  Listener listener{.stream = reply.Stream({200, "text/event-stream", kHead}),
                    .run = run,
                    .after = after,
                    .told_at = std::chrono::steady_clock::now()};
  const std::scoped_lock lock(mutex_);
  joined_.push_back(std::move(listener));
  wake_.notify_all();
  return {};
}

void EventFeed::Write(Listener& listener, const std::string& text) {
  if (!listener.stream.Write(text)) listener.over = true;
  listener.told_at = std::chrono::steady_clock::now();
}

void EventFeed::Serve(const std::stop_token& stop) {
  std::string trouble;
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      const auto joined = [this] { return !joined_.empty(); };
      if (listeners_.empty()) {
        wake_.wait(lock, stop, joined);
      } else {
        wake_.wait_for(lock, stop, options_.period, joined);
      }
      for (Listener& listener : joined_) listeners_.push_back(std::move(listener));
      joined_.clear();
    }
    if (stop.stop_requested()) return;
    const Status told = TellEvents();
    // A store that cannot be read now is asked again; who listens hears it then.
    if (!told.ok() && told.error().Describe() != trouble) {
      trouble = told.error().Describe();
      log_.Warn("events: " + trouble);
    }
    const Time now = std::chrono::steady_clock::now();
    if (told.ok() && now - looked_at_ >= options_.progress) {
      looked_at_ = now;
      TellProgress();
    }
    for (Listener& listener : listeners_) {
      if (!listener.stream.open()) listener.over = true;
      if (!listener.over && now - listener.told_at >= options_.alive) Write(listener, ":\n\n");
    }
    count_ -= std::erase_if(listeners_, [](const Listener& listener) { return listener.over; });
  }
}

// What a listener missed before it came; it is told again by nobody.
Status EventFeed::CatchUp(Listener& listener) {
  while (!listener.over) {
    RECKON_ASSIGN(const std::vector<core::Event> page,
                  store_.ListEvents(listener.run, *listener.after, kPage));
    std::string text;
    for (const core::Event& event : page) {
      text += EventText(event);
      listener.after = event.id;
    }
    if (!text.empty()) Write(listener, text);
    if (page.size() < kPage) break;
  }
  listener.caught_up = true;
  return {};
}

Status EventFeed::TellEvents() {
  const bool nobody_before = std::none_of(listeners_.begin(), listeners_.end(),
                                          [](const Listener& one) { return one.caught_up; });
  // While nobody listened, nobody looked: what happened then is for those who ask for it.
  if (nobody_before) {
    RECKON_ASSIGN(cursor_, store_.NewestEventId());
  }
  for (Listener& listener : listeners_) {
    if (listener.caught_up) continue;
    if (!listener.after) listener.after = cursor_;
    RECKON_TRY(CatchUp(listener));
  }
  for (;;) {
    RECKON_ASSIGN(const std::vector<core::Event> page,
                  store_.ListEvents(std::nullopt, cursor_, kPage));
    for (const core::Event& event : page) {
      const std::string text = EventText(event);
      for (Listener& listener : listeners_) {
        if (listener.over || event.id <= *listener.after) continue;
        listener.after = event.id;
        if (!listener.run || listener.run == event.run_id) Write(listener, text);
      }
      cursor_ = event.id;
    }
    if (page.size() < kPage) return {};
  }
}

void EventFeed::TellProgress() {
  std::map<int64_t, std::optional<RunNews>> news;
  for (Listener& listener : listeners_) {
    if (listener.over || !listener.run) continue;
    const auto [found, added] = news.try_emplace(*listener.run);
    if (added) {
      auto looked = look_(*listener.run);
      if (looked.ok()) found->second = *std::move(looked);
    }
    if (!found->second) continue;
    std::string text = EventText("progress", found->second->report);
    if (text != listener.progress) {
      listener.progress = std::move(text);
      Write(listener, listener.progress);
    }
    if (found->second->ended) {
      // It may have ended since the events were read.
      if (!CatchUp(listener).ok()) continue;
      Write(listener, EventText("end", fmt::format("{{\"run\":{}}}", *listener.run)));
      listener.stream.Close();
      listener.over = true;
    }
  }
}

}  // namespace reckon::serve
