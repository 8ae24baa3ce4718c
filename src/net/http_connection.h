// The connection of an HttpClient, over whatever carries its bytes. Private to net: it shows
// Boost's types.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include "base/result.h"
#include "net/tcp.h"
#include "net/tls.h"

namespace reckon::net {

// For one thread. Operations end with the limit that `tcp()` has, when `context` is run.
class HttpConnection {
 public:
  using RequestMessage = boost::beast::http::request<boost::beast::http::string_body>;
  using ResponseParser = boost::beast::http::response_parser<boost::beast::http::string_body>;
  using Done = std::function<void(boost::beast::error_code, size_t)>;

  virtual ~HttpConnection() = default;
  virtual boost::beast::tcp_stream& tcp() = 0;
  // Message, buffer and parser outlive the operation.
  virtual void Write(const RequestMessage& message, Done done) = 0;
  virtual void Read(boost::beast::flat_buffer& buffer, ResponseParser& parser, Done done) = 0;
};

template <typename Stream>
class HttpConnectionOn final : public HttpConnection {
 public:
  explicit HttpConnectionOn(Stream stream) : stream_(std::move(stream)) {}

  boost::beast::tcp_stream& tcp() override { return boost::beast::get_lowest_layer(stream_); }
  void Write(const RequestMessage& message, Done done) override {
    boost::beast::http::async_write(stream_, message, std::move(done));
  }
  void Read(boost::beast::flat_buffer& buffer, ResponseParser& parser, Done done) override {
    boost::beast::http::async_read(stream_, buffer, parser, std::move(done));
  }

 private:
  Stream stream_;
};

// Agrees on keys with `server`, which `tcp` is connected to, and checks that it is who it says.
// kBadInput: it is not, or who says so is not believed; kFailed: it does not speak TLS;
// kUnavailable: the connection broke or the time is over.
base::Result<std::unique_ptr<HttpConnection>> BeginTls(boost::asio::io_context& context,
                                                       boost::beast::tcp_stream tcp,
                                                       const Address& server, const TlsTrust& trust,
                                                       std::chrono::milliseconds patience);

// The other side closed its connection and did not say so within TLS.
bool IsTlsEndWithoutLeave(const boost::beast::error_code& error);

}  // namespace reckon::net
