// Both sides of TLS, with its library's types. Private to net, and slow to compile.
#pragma once

#include <memory>

#include <boost/asio/ssl/context.hpp>

#include "net/tls.h"

namespace reckon::net {

// The side of a server.
class TlsIdentity {
 public:
  boost::asio::ssl::context context{boost::asio::ssl::context::tls_server};
};

class TlsTrust::Impl {
 public:
  boost::asio::ssl::context context{boost::asio::ssl::context::tls_client};
};

}  // namespace reckon::net
