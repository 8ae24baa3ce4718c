#include "net/http_client.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>
#include <sys/socket.h>

#include "net/http_connection.h"

namespace reckon::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using base::Error;
using base::ErrorCode;

using RequestMessage = HttpConnection::RequestMessage;

bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  });
}

base::Result<RequestMessage> ToMessage(const HttpRequest& request, const Address& server) {
  if (HasControlCharacter(request.target) || request.target.find(' ') != std::string::npos) {
    return base::BadInput(
        fmt::format("'{}' is no target of a request; expected no blanks and no "
                    "control characters",
                    request.target));
  }
  RequestMessage message;
  message.version(11);
  message.method_string(request.method);
  message.target(request.target);
  message.set(http::field::host, server.ToText());
  message.set(http::field::user_agent, "reckon");
  for (const auto& [name, value] : request.headers) {
    if (HasControlCharacter(name) || HasControlCharacter(value)) {
      return base::BadInput(fmt::format("header '{}' has a line break or control character", name));
    }
    message.set(name, value);
  }
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

HttpResponse FromMessage(http::response<http::string_body>&& message) {
  HttpResponse response;
  response.status = static_cast<int>(message.result_int());
  response.content_type = std::string(message[http::field::content_type]);
  response.body = std::move(message.body());
  return response;
}

// What a connection that the other side closed while it was idle looks like from here.
bool LooksClosed(const beast::error_code& error) {
  return error == http::error::end_of_stream || error == asio::error::connection_reset ||
         error == asio::error::broken_pipe || error == asio::error::eof ||
         IsTlsEndWithoutLeave(error);
}

}  // namespace

std::string UrlPart(std::string_view text) {
  std::string part;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      part += c;
    } else {
      part += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return part;
}

base::Result<Url> ParseUrl(const std::string& text) {
  constexpr std::string_view kPlain = "http://";
  constexpr std::string_view kSecure = "https://";
  const auto refuse = [&](std::string_view why) {
    return base::BadInput(
        fmt::format("'{}' is no URL we can call{}; expected http://HOST:PORT/PATH", text, why));
  };
  const bool secure = text.starts_with(kSecure);
  if (!secure && !text.starts_with(kPlain)) return refuse("");
  if (HasControlCharacter(text) || text.find(' ') != std::string::npos) {
    return refuse(" (blanks or control characters)");
  }
  const size_t begin = secure ? kSecure.size() : kPlain.size();
  const size_t end = std::min(text.find_first_of("/?#", begin), text.size());
  std::string authority = text.substr(begin, end - begin);
  if (authority.find('@') != std::string::npos) return refuse(" (it names a user)");
  const size_t after_host = authority.starts_with('[') ? authority.rfind(']') : 0;
  if (after_host == std::string::npos) return refuse("");
  if (authority.find(':', after_host) == std::string::npos) authority += secure ? ":443" : ":80";
  const auto address = ParseAddress(authority);
  if (!address.ok() || address->host.empty() || address->port == 0) return refuse("");
  Url url{*address, text.substr(end, text.find('#') - end), secure};
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  return url;
}

class HttpClient::Impl {
 public:
  Impl(Address server, const HttpClientOptions& options)
      : server_(std::move(server)), options_(options) {}

  base::Result<HttpResponse> Call(const HttpRequest& request) {
    RECKON_ASSIGN(const RequestMessage message, ToMessage(request, server_));
    if (connection_) {
      bool closed_before = false;
      auto response = Exchange(message, closed_before);
      if (!closed_before) return response;
    }
    RECKON_TRY(Connect());
    bool ignored = false;
    return Exchange(message, ignored);
  }

 private:
  // Starts an operation and runs until it has ended; its limit is the stream's.
  template <typename Start>
  beast::error_code Await(Start start) {
    beast::error_code outcome = asio::error::would_block;
    start([&outcome](beast::error_code error, auto...) { outcome = error; });
    context_.restart();
    context_.run();
    return outcome;
  }

  base::Status Connect() {
    connection_.reset();
    buffer_.clear();
    tcp::resolver resolver(context_);
    beast::error_code error;
    const auto found = resolver.resolve(server_.host, std::to_string(server_.port),
                                        tcp::resolver::numeric_service, error);
    if (error) {
      return Error(ErrorCode::kNotFound,
                   fmt::format("no address for '{}': {}", server_.host, error.message()));
    }
    std::optional<beast::tcp_stream> stream;
    for (const auto& entry : found) {
      stream.emplace(context_);
      error = ConnectTo(entry.endpoint(), *stream);
      if (!error) break;
    }
    if (error) {
      return Error(ErrorCode::kUnavailable,
                   fmt::format("cannot connect to {}: {}", server_.ToText(), error.message()));
    }
    if (options_.tls) {
      RECKON_ASSIGN(connection_, BeginTls(context_, *std::move(stream), server_, *options_.tls,
                                          options_.connect_patience));
    } else {
      connection_ = std::make_unique<HttpConnectionOn<beast::tcp_stream>>(*std::move(stream));
    }
    return {};
  }

  beast::error_code ConnectTo(const tcp::endpoint& endpoint, beast::tcp_stream& stream) {
    // Asio would leave the socket open in child processes.
    const int descriptor =
        socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return {errno, boost::system::system_category()};
    beast::error_code error;
    stream.socket().assign(endpoint.protocol(), descriptor, error);
    if (error) return error;
    stream.expires_after(options_.connect_patience);
    error = Await([&](auto done) { stream.async_connect(endpoint, std::move(done)); });
    beast::error_code ignored;  // only speed depends on it
    if (!error) stream.socket().set_option(tcp::no_delay(true), ignored);
    return error;
  }

  // `closed_before`: the connection had ended before a byte of the answer came.
  base::Result<HttpResponse> Exchange(const RequestMessage& message, bool& closed_before) {
    HttpConnection::ResponseParser parser;
    parser.body_limit(options_.most_body_bytes);
    if (message.method() == http::verb::head) parser.skip(true);
    connection_->tcp().expires_after(options_.answer_patience);  // for both operations together
    beast::error_code error =
        Await([&](auto done) { connection_->Write(message, std::move(done)); });
    if (!error) {
      error = Await([&](auto done) { connection_->Read(buffer_, parser, std::move(done)); });
    }
    if (error) {
      closed_before = LooksClosed(error) && !parser.got_some();
      connection_.reset();
      return Broken(error);
    }
    const bool keep = parser.keep_alive();
    HttpResponse response = FromMessage(parser.release());
    if (!keep) connection_.reset();
    return response;
  }

  Error Broken(const beast::error_code& error) const {
    if (error == beast::error::timeout) {
      const double seconds = static_cast<double>(options_.answer_patience.count()) / 1000;
      return {ErrorCode::kUnavailable,
              fmt::format("{} gave no whole answer within {} s", server_.ToText(), seconds)};
    }
    const beast::error_code closed = http::error::end_of_stream;
    const bool no_http = error.category() == closed.category() && error != closed &&
                         error != http::error::partial_message;
    return {no_http ? ErrorCode::kCorrupt : ErrorCode::kUnavailable,
            fmt::format("talking to {}: {}", server_.ToText(), error.message())};
  }

  const Address server_;
  const HttpClientOptions options_;
  asio::io_context context_{1};
  std::unique_ptr<HttpConnection> connection_;  // while connected
  beast::flat_buffer buffer_;
};

HttpClient::HttpClient(Address server, const HttpClientOptions& options)
    : impl_(std::make_unique<Impl>(std::move(server), options)) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&& other) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&& other) noexcept = default;

base::Result<HttpResponse> HttpClient::Call(const HttpRequest& request) {
  RECKON_CHECK(!request.method.empty());
  try {
    return impl_->Call(request);
  } catch (const std::exception& error) {  // a header beyond 64 KiB, no memory, no descriptor
    return Error(ErrorCode::kFailed, fmt::format("cannot send a request: {}", error.what()));
  }
}

base::Result<HttpResponse> HttpClient::Post(const std::string& target, std::string body,
                                            HttpHeaders headers) {
  headers.try_emplace("content-type", "application/json");
  return Call({"POST", target, std::move(headers), std::move(body)});
}

}  // namespace reckon::net
