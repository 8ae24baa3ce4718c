// What HTTP servers and clients exchange, as plain values.
#pragma once

#include <map>
#include <string>

namespace reckon::net {

// Names in lower case. A name that came several times holds all values, joined by ", ".
using HttpHeaders = std::map<std::string, std::string>;

struct HttpRequest {
  std::string method;  // "POST"
  std::string target;  // "/runs/7/events?from=3", as it stood in the request
  HttpHeaders headers;
  std::string body;
  std::string peer = {};  // of requests that came: the address they came from, without its port
};

struct HttpResponse {
  int status = 200;  // 200 to 599
  std::string content_type = "application/json";
  std::string body;          // not sent with 204 and 304
  HttpHeaders headers = {};  // further ones; of answers to a client they are left out
};

}  // namespace reckon::net
