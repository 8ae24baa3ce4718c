// A connection of HttpServer, over whatever carries its bytes. Private to net; included by a source
// a transport, since it is slow to compile.
#pragma once

#include <algorithm>
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
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include "base/check.h"
#include "net/http_session.h"

namespace reckon::net {

namespace beast = boost::beast;
namespace http = boost::beast::http;

inline constexpr uint32_t kMostHeaderBytes = 16 << 10;
// How long the rest of a refused request is taken, so that the other side gets to read the answer:
// closing with bytes unread would reset the connection under it.
inline constexpr std::chrono::milliseconds kLinger{2'000};
// How long agreeing on keys may take: who has not shown who it is gets less patience.
inline constexpr std::chrono::milliseconds kHandshake{10'000};
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
inline constexpr std::string_view kSpeaksTls =
    "HTTP/1.1 400 Bad Request\r\nServer: reckon\r\nContent-Type: application/json\r\n"
    "Content-Length: 55\r\nConnection: close\r\n\r\n"
    "{\"error\": \"this port speaks TLS: call it by https://\"}\n";

HttpRequest HeadOf(const http::request_header<>& message);
// The answer to a request that cannot be taken; nullopt when there is nobody to answer.
std::optional<HttpResponse> RefusalOf(beast::error_code error, size_t most_body_bytes);

// Kept alive by the operation it waits for, as is usual with Asio: hence shared_ptr.
template <typename Transport>
class HttpSession : public std::enable_shared_from_this<HttpSession<Transport>> {
 public:
  HttpSession(boost::asio::ip::tcp::socket socket, HttpSessionShared& shared)
      : stream_(Transport::Make(std::move(socket), shared)), shared_(shared) {
    ++shared_.connections;
    beast::error_code error;  // without it, only speed suffers
    tcp().socket().set_option(boost::asio::ip::tcp::no_delay(true), error);
    const auto peer = tcp().socket().remote_endpoint(error);
    if (!error) peer_ = peer.address().to_string();
  }
  ~HttpSession() {
    DropMailbox();
    --shared_.connections;
  }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void Start() {
    if constexpr (Transport::kSecure) {
      ShakeHands();
    } else {
      ReadRequest();
    }
  }

 private:
  using std::enable_shared_from_this<HttpSession<Transport>>::shared_from_this;
  using std::enable_shared_from_this<HttpSession<Transport>>::weak_from_this;

  beast::tcp_stream& tcp() { return beast::get_lowest_layer(stream_); }

  void ShakeHands() {
    tcp().expires_after(std::min(shared_.patience, kHandshake));
    Transport::ShakeHands(stream_, [self = shared_from_this()](beast::error_code error) {
      if (!error) return self->ReadRequest();
      if (Transport::IsPlainHttp(error)) self->SayItIsTls();
    });
  }

  // Who speaks without TLS is answered so that it is understood.
  void SayItIsTls() {
    tcp().expires_after(shared_.patience);
    boost::asio::async_write(tcp(), boost::asio::buffer(kSpeaksTls),
                             [self = shared_from_this()](beast::error_code error, size_t) {
                               if (!error) self->LeaveTcp();
                             });
  }

  void ReadRequest() {
    parser_.emplace();
    parser_->header_limit(kMostHeaderBytes);
    parser_->body_limit(shared_.most_body_bytes);
    tcp().expires_after(shared_.patience);  // for header and body together
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, size_t) {
                              error ? self->Refuse(error) : self->LetIn();
                            });
  }

  void LetIn() {
    head_ = HeadOf(parser_->get());
    head_.peer = peer_;
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
    tcp().expires_never();  // an answer may take its time
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
    tcp().expires_after(shared_.patience);
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
    tcp().expires_after(shared_.patience);
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
      self->tcp().socket().cancel();  // AwaitLeaving goes on with what Leave does
    };
    tcp().expires_after(shared_.patience);
    if (version_ >= 11 && !head_only_) {
      boost::asio::async_write(stream_, http::make_chunk_last(), written);
    } else {
      boost::asio::post(stream_.get_executor(), [written] { written({}, 0); });
    }
  }

  // Of a stream nothing is read but that the other side has left.
  void AwaitLeaving() {
    tcp().expires_never();
    stream_.async_read_some(boost::asio::buffer(rest_),
                            [self = shared_from_this()](beast::error_code error, size_t) {
                              if (self->stream_ended_) return self->Leave();
                              error ? self->GiveUp() : self->AwaitLeaving();
                            });
  }

  void GiveUp() {
    DropMailbox();
    tcp().close();
  }

  void Refuse(beast::error_code error) {
    if (auto refusal = RefusalOf(error, shared_.most_body_bytes)) {
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
    for (const auto& [name, value] : response.headers) message_.set(name, value);
    message_.keep_alive(keep);
    if (response.status != 204 && response.status != 304) {
      message_.set(http::field::content_type, response.content_type);
      message_.content_length(response.body.size());
      if (!head_only) message_.body() = std::move(response.body);
    }
    tcp().expires_after(shared_.patience);
    http::async_write(stream_, message_,
                      [self = shared_from_this(), keep](beast::error_code error, size_t) {
                        if (error) return;
                        keep ? self->ReadRequest() : self->Leave();
                      });
  }

  void Leave() {
    if constexpr (Transport::kSecure) {
      tcp().expires_after(kLinger);
      // How the other side takes leave does not matter any more.
      stream_.async_shutdown([self = shared_from_this()](beast::error_code) { self->LeaveTcp(); });
    } else {
      LeaveTcp();
    }
  }

  void LeaveTcp() {
    beast::error_code error;
    tcp().socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, error);
    if (error) return;
    tcp().expires_after(kLinger);
    Drain();
  }

  void Drain() {
    tcp().async_read_some(boost::asio::buffer(rest_),
                          [self = shared_from_this()](beast::error_code error, size_t) {
                            if (!error) self->Drain();
                          });
  }

  typename Transport::Stream stream_;
  HttpSessionShared& shared_;
  std::string peer_;
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

}  // namespace reckon::net
