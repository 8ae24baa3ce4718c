// What handlers leave for a connection, from any thread, and the server's thread collects. Private
// to net.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "net/http_message.h"
#include "net/http_reply.h"

namespace reckon::net {

class HttpMailbox : public std::enable_shared_from_this<HttpMailbox> {
 public:
  // `wake` is called, from any thread, when there is something to collect; never after Detach has
  // returned.
  explicit HttpMailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  HttpReply Reply();

  struct Mail {
    std::optional<HttpResponse> response;  // the answer, or the head of a stream; at most once
    bool streaming = false;
    std::string text;    // to send, of a stream
    bool ended = false;  // nothing will follow
    bool too_slow = false;
  };
  // What has come since the last call.
  Mail Collect();
  // Nobody is there any more.
  void Detach();

  void Answer(HttpResponse response, bool streaming);
  void AnswerIfNobodyDid(HttpResponse response);
  bool Write(std::string text);
  void Close();
  bool open() const;

 private:
  // A listener that is further behind is given up: memory must not depend on who is slow.
  static constexpr size_t kMostWaiting = 4 << 20;

  void Wake();  // with mutex_ held

  mutable std::mutex mutex_;
  std::function<void()> wake_;  // empty: detached
  Mail mail_;
  bool answered_ = false;
  bool streaming_ = false;
  bool ended_ = false;
};

}  // namespace reckon::net
