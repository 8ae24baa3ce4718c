#include "net/http_session.h"

#include <fmt/format.h>

#include "net/http_session_impl.h"

namespace reckon::net {
namespace {

std::string LowerCase(beast::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

struct PlainTransport {
  static constexpr bool kSecure = false;
  using Stream = beast::tcp_stream;
  static Stream Make(boost::asio::ip::tcp::socket socket, HttpSessionShared& /*shared*/) {
    return Stream(std::move(socket));
  }
};

}  // namespace

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

std::optional<HttpResponse> RefusalOf(beast::error_code error, size_t most_body_bytes) {
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

void StartHttpSession(boost::asio::ip::tcp::socket socket, HttpSessionShared& shared) {
  if (shared.identity) return StartTlsHttpSession(std::move(socket), shared);
  std::make_shared<HttpSession<PlainTransport>>(std::move(socket), shared)->Start();
}

}  // namespace reckon::net
