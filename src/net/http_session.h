// One connection of HttpServer. Private to net: it shows Boost's types.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>

#include <boost/asio/ip/tcp.hpp>

#include "net/http_mailbox.h"
#include "net/http_server.h"

namespace reckon::net {

class TlsIdentity;

// What all connections of a server share; touched by the server's thread only.
struct HttpSessionShared {
  HttpServer::LaterHandler handler;
  HttpServer::Gate gate;  // may be empty
  size_t most_body_bytes = 0;
  std::chrono::milliseconds patience{0};
  size_t connections = 0;  // open ones
  // Whose handlers have not answered yet: nothing else keeps these connections.
  std::set<std::shared_ptr<void>> waiting = {};
  std::set<HttpMailbox*> mailboxes = {};
  // Of new connections; empty: without TLS. Shared with whoever loads another one.
  std::shared_ptr<TlsIdentity> identity = {};
};

// Talks until the other side leaves, is silent for too long, or says what is no HTTP. `shared`
// outlives the socket's io_context.
void StartHttpSession(boost::asio::ip::tcp::socket socket, HttpSessionShared& shared);
// Likewise, with TLS: `shared` has an identity.
void StartTlsHttpSession(boost::asio::ip::tcp::socket socket, HttpSessionShared& shared);

}  // namespace reckon::net
