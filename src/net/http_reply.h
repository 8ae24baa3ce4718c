// The answer to one request: given when it is ready, from whichever thread, at once or bit by bit.
#pragma once

#include <memory>
#include <string>

#include "net/http_message.h"

namespace reckon::net {

class HttpMailbox;

// The body of an answer that has no end yet: events, logs that are followed. Handles may be copied;
// all calls are thread-safe. The answer ends with Close, or with the last handle.
class HttpStream {
 public:
  // Sends `text` as soon as the other side takes it. False: nobody is there any more, or it is so
  // slow that it was given up.
  bool Write(std::string text);
  void Close();
  // Whether somebody still listens.
  bool open() const;

 private:
  friend class HttpReply;
  class Last;
  explicit HttpStream(std::shared_ptr<HttpMailbox> mailbox);
  std::shared_ptr<Last> last_;  // shared by the copies: the last one closes
};

// Handles may be copied; the first answer counts. When the last handle goes without an answer the
// other side gets a 500. Thread-safe. Outliving the server is allowed and does nothing.
class HttpReply {
 public:
  void Send(HttpResponse response);
  // Begins an answer with this status and type; `head.body` is its first part.
  HttpStream Stream(HttpResponse head);

 private:
  friend class HttpMailbox;
  class Last;
  explicit HttpReply(std::shared_ptr<HttpMailbox> mailbox);
  std::shared_ptr<Last> last_;
};

}  // namespace reckon::net
