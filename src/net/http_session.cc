#include "net/http_session.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "base/check.h"

namespace reckon::net {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;

constexpr uint32_t kMostHeaderBytes = 16 << 10;
// How long the rest of a refused request is taken, so that the other side gets to read the answer:
// closing with bytes unread would reset the connection under it.
constexpr std::chrono::milliseconds kLinger{2'000};
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string LowerCase(beast::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

HttpRequest HeadOf(const http::request_header<>& message) {
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message) {
    const auto [at, is_new] =
        request.headers.emplace(LowerCase(field.name_string()), std::string(field.value()));
    if (!is_new) at->second.append(", ").append(field.value().data(), field.value().size());
  }
  return request;
}

// The answer to a request that cannot be taken; nullopt when there is nobody to answer.
std::optional<HttpResponse> Refusal(beast::error_code error, size_t most_body_bytes) {
  const auto refuse = [](int status, const std::string& why) {
    return HttpResponse{status, "application/json", fmt::format("{{\"error\": \"{}\"}}\n", why)};
  };
  if (error == http::error::body_limit) {
    return refuse(413, fmt::format("the body is longer than {} bytes", most_body_bytes));
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return refuse(431, fmt::format("the headers are longer than {} bytes", kMostHeaderBytes));
  }
  const beast::error_code closed = http::error::end_of_stream;
  if (error.category() != closed.category() || error == closed) return std::nullopt;
  return refuse(400, "not HTTP: " + error.message());
}

// Kept alive by the operation it waits for, as is usual with Asio: hence shared_ptr.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(tcp::socket socket, HttpSessionShared& shared)
      : stream_(std::move(socket)), shared_(shared) {
    ++shared_.connections;
    beast::error_code ignored;  // only speed depends on it
    stream_.socket().set_option(tcp::no_delay(true), ignored);
  }
  ~HttpSession() {
    DropMailbox();
    --shared_.connections;
  }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void ReadRequest() {
    parser_.emplace();
    parser_->header_limit(kMostHeaderBytes);
    parser_->body_limit(shared_.most_body_bytes);
    stream_.expires_after(shared_.patience);  // for header and body together
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, size_t) {
                              error ? self->Refuse(error) : self->LetIn();
                            });
  }

 private:
  void LetIn() {
    head_ = HeadOf(parser_->get());
    if (shared_.gate) {
      if (auto refusal = shared_.gate(head_)) {
        return Send(*std::move(refusal), /*keep=*/false, head_.method == "HEAD");
      }
    }
    AskForBody();
  }

  void AskForBody() {
    if (!beast::iequals(parser_->get()[http::field::expect], "100-continue")) return ReadBody();
    boost::asio::async_write(stream_, boost::asio::buffer(kContinue),
                             [self = shared_from_this()](beast::error_code error, size_t) {
                               if (!error) self->ReadBody();
                             });
  }

  void ReadBody() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, size_t) {
                       error ? self->Refuse(error) : self->Answer();
                     });
  }

  void Answer() {
    keep_ = parser_->get().keep_alive();
    version_ = parser_->get().version();
    head_only_ = head_.method == "HEAD";
    head_.body = std::move(parser_->get().body());
    stream_.expires_never();  // an answer may take its time
    shared_.waiting.insert(shared_from_this());
    mailbox_ =
        std::make_shared<HttpMailbox>([weak = weak_from_this(), executor = stream_.get_executor()] {
          boost::asio::post(executor, [weak] {
            if (const auto self = weak.lock()) self->CollectMail();
          });
        });
    shared_.mailboxes.insert(mailbox_.get());
    shared_.handler(std::exchange(head_, {}), mailbox_->Reply());
  }

  void DropMailbox() {
    if (!mailbox_) return;
    mailbox_->Detach();
    shared_.mailboxes.erase(mailbox_.get());
    mailbox_.reset();
  }

  // What a handler has said meanwhile. Called again after each write of a stream.
  void CollectMail() {
    if (!mailbox_ || writing_) return;
    HttpMailbox::Mail mail = mailbox_->Collect();
    if (mail.response && !mail.streaming) {
      shared_.waiting.erase(shared_from_this());
      DropMailbox();
      return Send(*std::move(mail.response), keep_, head_only_);
    }
    if (mail.response) {
      rest_of_stream_ = std::move(mail.text);
      return BeginStream(*mail.response);
    }
    if (!streaming_) return;  // woken by what an earlier call has collected
    if (mail.too_slow) return GiveUp();
    if (!mail.text.empty()) return WritePart(std::move(mail.text));
    if (mail.ended) EndStream();
  }

  void BeginStream(const HttpResponse& head) {
    streaming_ = true;
    shared_.waiting.erase(shared_from_this());  // waiting for it to leave keeps it
    stream_head_ = {};
    stream_head_.version(version_);
    stream_head_.result(static_cast<unsigned>(head.status));
    stream_head_.set(http::field::server, "reckon");
    stream_head_.set(http::field::content_type, head.content_type);
    stream_head_.set(http::field::cache_control, "no-store");
    stream_head_.keep_alive(false);
    if (version_ >= 11) stream_head_.chunked(true);
    stream_serializer_.emplace(stream_head_);
    AwaitLeaving();
    writing_ = true;
    stream_.expires_after(shared_.patience);
    http::async_write_header(stream_, *stream_serializer_,
                             [self = shared_from_this()](beast::error_code error, size_t) {
                               self->writing_ = false;
                               if (error) return self->GiveUp();
                               if (self->head_only_) return self->EndStream();
                               if (self->rest_of_stream_.empty()) return self->CollectMail();
                               self->WritePart(std::exchange(self->rest_of_stream_, {}));
                             });
  }

  void WritePart(std::string text) {
    writing_ = true;
    part_ = std::move(text);
    stream_.expires_after(shared_.patience);
    const auto written = [self = shared_from_this()](beast::error_code error, size_t) {
      self->writing_ = false;
      error ? self->GiveUp() : self->CollectMail();
    };
    if (version_ >= 11) {
      boost::asio::async_write(stream_, http::make_chunk(boost::asio::buffer(part_)), written);
    } else {
      boost::asio::async_write(stream_, boost::asio::buffer(part_), written);
    }
  }

  void EndStream() {
    DropMailbox();
    writing_ = true;
    const auto written = [self = shared_from_this()](beast::error_code error, size_t) {
      if (error) return self->GiveUp();
      self->stream_ended_ = true;
      self->stream_.socket().cancel();  // AwaitLeaving goes on with what Leave does
    };
    stream_.expires_after(shared_.patience);
    if (version_ >= 11 && !head_only_) {
      boost::asio::async_write(stream_, http::make_chunk_last(), written);
    } else {
      boost::asio::post(stream_.get_executor(), [written] { written({}, 0); });
    }
  }

  // Of a stream nothing is read but that the other side has left.
  void AwaitLeaving() {
    stream_.expires_never();
    stream_.async_read_some(boost::asio::buffer(rest_),
                            [self = shared_from_this()](beast::error_code error, size_t) {
                              if (self->stream_ended_) return self->Leave();
                              error ? self->GiveUp() : self->AwaitLeaving();
                            });
  }

  void GiveUp() {
    DropMailbox();
    stream_.close();
  }

  void Refuse(beast::error_code error) {
    if (auto refusal = Refusal(error, shared_.most_body_bytes)) {
      Send(*std::move(refusal), /*keep=*/false, /*head_only=*/false);
    } else if (error == http::error::end_of_stream) {
      Leave();
    }
    // Otherwise it broke or stood still: going out of scope closes the socket.
  }

  void Send(HttpResponse response, bool keep, bool head_only) {
    RECKON_CHECK(response.status >= 200 && response.status <= 599);
    message_ = {};
    message_.version(11);
    message_.result(static_cast<unsigned>(response.status));
    message_.set(http::field::server, "reckon");
    message_.keep_alive(keep);
    if (response.status != 204 && response.status != 304) {
      message_.set(http::field::content_type, response.content_type);
      message_.content_length(response.body.size());
      if (!head_only) message_.body() = std::move(response.body);
    }
    stream_.expires_after(shared_.patience);
    http::async_write(stream_, message_,
                      [self = shared_from_this(), keep](beast::error_code error, size_t) {
                        if (error) return;
                        keep ? self->ReadRequest() : self->Leave();
                      });
  }

  void Leave() {
    beast::error_code error;
    stream_.socket().shutdown(tcp::socket::shutdown_send, error);
    if (error) return;
    stream_.expires_after(kLinger);
    Drain();
  }

  void Drain() {
    stream_.async_read_some(boost::asio::buffer(rest_),
                            [self = shared_from_this()](beast::error_code error, size_t) {
                              if (!error) self->Drain();
                            });
  }

  beast::tcp_stream stream_;
  HttpSessionShared& shared_;
  beast::flat_buffer buffer_{128 << 10};
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpRequest head_;  // of the request that is read
  // Of the request that is answered.
  bool keep_ = false;
  bool head_only_ = false;
  unsigned version_ = 11;
  std::shared_ptr<HttpMailbox> mailbox_;  // shared with whoever answers
  // Of an answer without an end.
  bool streaming_ = false;
  bool writing_ = false;
  bool stream_ended_ = false;
  http::response<http::empty_body> stream_head_;
  std::optional<http::response_serializer<http::empty_body>> stream_serializer_;
  std::string rest_of_stream_;  // that came with the head
  std::string part_;            // that is being written
  http::response<http::string_body> message_;
  std::array<char, 4096> rest_{};
};

}  // namespace

void StartHttpSession(tcp::socket socket, HttpSessionShared& shared) {
  std::make_shared<HttpSession>(std::move(socket), shared)->ReadRequest();
}

}  // namespace reckon::net
