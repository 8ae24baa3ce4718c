// An HTTP/1.1 client that keeps its connection and never waits for ever.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http_message.h"
#include "net/tcp.h"
#include "net/tls.h"

namespace reckon::net {

struct Url {
  Address address;
  std::string target;   // path and query; "/" when the URL has none
  bool secure = false;  // https
};

// "http://host:port/path" or "https://..."; the port may be left out (80 and 443). kBadInput
// otherwise.
base::Result<Url> ParseUrl(const std::string& text);

// A name as one part of a path: everything but letters, digits and "-._~" is escaped.
std::string UrlPart(std::string_view text);

struct HttpClientOptions {
  std::chrono::milliseconds connect_patience{5'000};  // for each address of the host
  std::chrono::milliseconds answer_patience{30'000};  // from sending to the last byte of the answer
  size_t most_body_bytes = 64 << 20;                  // of an answer
  // With TLS, believing these; nullptr: without. Shared by all clients that do.
  std::shared_ptr<const TlsTrust> tls = nullptr;
};

// For one thread at a time. The connection is made by the first call, kept between calls, and made
// anew once when the other side closed it in the meantime: in the rare case that it closed after
// taking the request and before answering, a request arrives twice.
class HttpClient {
 public:
  explicit HttpClient(Address server, const HttpClientOptions& options = {});
  ~HttpClient();
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&& other) noexcept;

  // Whatever the status: 404 is an answer too. kUnavailable: nobody listens, the connection broke,
  // or the time is over; kNotFound: no such host; kBadInput: a target or header with a line break,
  // or a server whose certificate is not believed; kFailed: it does not speak TLS; kCorrupt: what
  // came is no HTTP.
  base::Result<HttpResponse> Call(const HttpRequest& request);
  // Call with "POST"; the body is JSON unless `headers` has a content-type.
  base::Result<HttpResponse> Post(const std::string& target, std::string body,
                                  HttpHeaders headers = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reckon::net
