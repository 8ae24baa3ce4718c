#include "net/http_mailbox.h"

#include <utility>

namespace reckon::net {

HttpMailbox::Mail HttpMailbox::Collect() {
  const std::lock_guard lock(mutex_);
  Mail mail = std::exchange(mail_, {});
  mail.streaming = streaming_;
  mail.ended = ended_;
  return mail;
}

void HttpMailbox::Detach() {
  const std::lock_guard lock(mutex_);
  wake_ = {};
  mail_ = {};
}

void HttpMailbox::Wake() {
  if (wake_) wake_();
}

void HttpMailbox::Answer(HttpResponse response, bool streaming) {
  const std::lock_guard lock(mutex_);
  if (answered_ || !wake_) return;
  answered_ = true;
  streaming_ = streaming;
  ended_ = !streaming;
  mail_.response = std::move(response);
  Wake();
}

void HttpMailbox::AnswerIfNobodyDid(HttpResponse response) { Answer(std::move(response), false); }

bool HttpMailbox::Write(std::string text) {
  const std::lock_guard lock(mutex_);
  if (!wake_ || ended_) return false;
  if (mail_.text.size() + text.size() > kMostWaiting) {
    ended_ = true;
    mail_.too_slow = true;
    Wake();
    return false;
  }
  const bool first = mail_.text.empty();
  mail_.text += text;
  // Who has been woken and has not come yet will find this too.
  if (first) Wake();
  return true;
}

void HttpMailbox::Close() {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  ended_ = true;
  Wake();
}

bool HttpMailbox::open() const {
  const std::lock_guard lock(mutex_);
  return wake_ && !ended_;
}

class HttpReply::Last {
 public:
  explicit Last(std::shared_ptr<HttpMailbox> of) : mailbox(std::move(of)) {}
  ~Last() {
    mailbox->AnswerIfNobodyDid({500, "application/json", "{\"error\": \"no answer was given\"}\n"});
  }
  Last(const Last&) = delete;
  Last& operator=(const Last&) = delete;

  const std::shared_ptr<HttpMailbox> mailbox;
};

class HttpStream::Last {
 public:
  explicit Last(std::shared_ptr<HttpMailbox> of) : mailbox(std::move(of)) {}
  ~Last() { mailbox->Close(); }
  Last(const Last&) = delete;
  Last& operator=(const Last&) = delete;

  const std::shared_ptr<HttpMailbox> mailbox;
};

HttpReply HttpMailbox::Reply() { return HttpReply(shared_from_this()); }

HttpReply::HttpReply(std::shared_ptr<HttpMailbox> mailbox)
    : last_(std::make_shared<Last>(std::move(mailbox))) {}

void HttpReply::Send(HttpResponse response) {
  last_->mailbox->Answer(std::move(response), /*streaming=*/false);
}

HttpStream HttpReply::Stream(HttpResponse head) {
  std::string first = std::exchange(head.body, {});
  last_->mailbox->Answer(std::move(head), /*streaming=*/true);
  HttpStream stream(last_->mailbox);
  if (!first.empty()) stream.Write(std::move(first));
  return stream;
}

HttpStream::HttpStream(std::shared_ptr<HttpMailbox> mailbox)
    : last_(std::make_shared<Last>(std::move(mailbox))) {}

bool HttpStream::Write(std::string text) { return last_->mailbox->Write(std::move(text)); }
void HttpStream::Close() { last_->mailbox->Close(); }
bool HttpStream::open() const { return last_->mailbox->open(); }

}  // namespace reckon::net
