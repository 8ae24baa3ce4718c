// An HTTP/1.1 server for small requests: reports of ranks, questions of a page.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/tcp.h"
#include "net/tls.h"

namespace reckon::net {

struct HttpServerOptions {
  Address listen{"127.0.0.1", 0};  // port 0: any free one
  size_t most_body_bytes = 8 << 20;
  size_t most_connections = 1024;  // those beyond are closed at once
  // How long a connection may be idle, and how long a request may take to arrive or an answer to
  // be taken.
  std::chrono::milliseconds patience{30'000};
  std::optional<TlsFiles> tls = {};  // nullopt: plain HTTP
};

// Serves many connections at once from one thread of its own; connections stay open between
// requests. Requests that are no HTTP or too large are answered with 400, 413 or 431 and
// {"error": "..."}, and never reach the handler. Sockets are not inherited by child processes.
class HttpServer {
 public:
  // Called from the server's thread, for one request at a time: it must be quick, and must not
  // destroy the server.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  // Likewise, but the answer may come later, from another thread, and may be a stream.
  using LaterHandler = std::function<void(HttpRequest, HttpReply)>;

  // Sees a request before its body is read: an answer refuses it, and the connection is closed. So
  // strangers cannot have bodies kept for them.
  using Gate = std::function<std::optional<HttpResponse>(const HttpRequest& head)>;

  // Without a gate every request is let in. kUnavailable: the port is taken. kNotFound: there is no
  // such host, or no file for TLS; kBadInput: what such a file holds.
  static base::Result<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                         Handler handler, Gate gate = {});
  static base::Result<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                         LaterHandler handler, Gate gate = {});
  // Ends every connection, also those whose answer is not yet sent.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const;

  // Reads the files for TLS again, for connections that come from now on. When they cannot be read
  // nothing changes. Not for servers without TLS.
  base::Status ReloadTls();

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace reckon::net
