#include "net/http_session.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
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
  ~HttpSession() { --shared_.connections; }
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
    const bool keep = parser_->get().keep_alive();
    head_.body = std::move(parser_->get().body());
    Send(shared_.handler(head_), keep, head_.method == "HEAD");
    head_ = {};
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
  HttpRequest head_;  // of the request that is read or answered
  http::response<http::string_body> message_;
  std::array<char, 4096> rest_{};
};

}  // namespace

void StartHttpSession(tcp::socket socket, HttpSessionShared& shared) {
  std::make_shared<HttpSession>(std::move(socket), shared)->ReadRequest();
}

}  // namespace reckon::net
