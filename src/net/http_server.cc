#include "net/http_server.h"

#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "net/http_session.h"

namespace reckon::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kPauseWithoutDescriptors{100};

// Asio would leave its sockets open in child processes, and a port in use by whoever they become;
// so sockets are made here.
error_code BindAt(tcp::acceptor& acceptor, const tcp::endpoint& at) {
  const auto last_error = [] { return error_code(errno, boost::system::system_category()); };
  const int descriptor =
      socket(at.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return last_error();
  error_code error;
  acceptor.assign(at.protocol(), descriptor, error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(at, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    error_code ignored;  // the first mistake counts
    acceptor.close(ignored);
  }
  return error;
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const HttpServerOptions& options, LaterHandler handler, Gate gate)
      : most_connections_(options.most_connections),
        tls_(options.tls),
        shared_{std::move(handler), std::move(gate), options.most_body_bytes, options.patience},
        acceptor_(context_),
        pause_(context_) {}

  ~Impl() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
    // Other threads may still hold replies: none of them may reach the context once it goes.
    for (HttpMailbox* mailbox : shared_.mailboxes) mailbox->Detach();
    shared_.waiting.clear();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  base::Result<std::shared_ptr<TlsIdentity>> LoadIdentity() const {
    RECKON_CHECK(tls_.has_value());
    return LoadTlsIdentity(*tls_);
  }

  base::Status BeginTls() {
    if (!tls_) return {};
    RECKON_ASSIGN(shared_.identity, LoadIdentity());
    return {};
  }

  base::Status ReloadTls() {
    RECKON_ASSIGN(std::shared_ptr<TlsIdentity> identity, LoadIdentity());
    asio::post(context_, [this, identity = std::move(identity)]() mutable {
      shared_.identity = std::move(identity);
    });
    return {};
  }

  base::Status Bind(const Address& address) {
    tcp::resolver resolver(context_);
    error_code error;
    const auto found =
        resolver.resolve(address.host, std::to_string(address.port),
                         tcp::resolver::passive | tcp::resolver::numeric_service, error);
    if (error) {
      return base::Error(base::ErrorCode::kNotFound,
                         fmt::format("no address for '{}': {}", address.host, error.message()));
    }
    for (const auto& entry : found) {
      error = BindAt(acceptor_, entry.endpoint());
      if (!error) break;
    }
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    if (error) {
      return base::Error(base::ErrorCode::kUnavailable,
                         fmt::format("cannot listen on {}: {}", address.ToText(), error.message()));
    }
    return {};
  }

  void Run() {
    AwaitConnection();
    thread_ = std::jthread([this] {
      while (true) {
        try {
          context_.run();
          return;
        } catch (const std::exception&) {
          // No memory for one connection's request: that connection is gone, the others go on.
        }
      }
    });
  }

  uint16_t port() const { return port_; }

 private:
  void AwaitConnection() {
    acceptor_.async_wait(tcp::acceptor::wait_read, [this](error_code error) {
      if (!error) AcceptAll();
    });
  }

  void AcceptAll() {
    while (true) {
      const int accepted =
          accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (accepted >= 0) {
        Take(accepted);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return AwaitConnection();
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        pause_.expires_after(kPauseWithoutDescriptors);
        return pause_.async_wait([this](error_code error) {
          if (!error) AcceptAll();
        });
      }
      // Anything else concerns the one that came, and is gone with it.
    }
  }

  void Take(int descriptor) {
    tcp::socket socket(context_);
    error_code error;
    socket.assign(acceptor_.local_endpoint(error).protocol(), descriptor, error);
    if (error) {
      close(descriptor);
      return;
    }
    if (shared_.connections < most_connections_) StartHttpSession(std::move(socket), shared_);
  }

  const size_t most_connections_;
  const std::optional<TlsFiles> tls_;
  uint16_t port_ = 0;
  HttpSessionShared shared_;  // before `context_`, which holds the sessions and ends them
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::jthread thread_;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

base::Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                            Handler handler, Gate gate) {
  return Start(options,
               LaterHandler([handler = std::move(handler)](HttpRequest request, HttpReply reply) {
                 reply.Send(handler(request));
               }),
               std::move(gate));
}

base::Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                            LaterHandler handler, Gate gate) {
  try {
    auto impl = std::make_unique<Impl>(options, std::move(handler), std::move(gate));
    RECKON_TRY(impl->BeginTls());
    RECKON_TRY(impl->Bind(options.listen));
    impl->Run();
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
  } catch (const std::exception& error) {  // no descriptor or thread left
    return base::Error(base::ErrorCode::kIo, fmt::format("cannot serve HTTP on {}: {}",
                                                         options.listen.ToText(), error.what()));
  }
}

uint16_t HttpServer::port() const { return impl_->port(); }
base::Status HttpServer::ReloadTls() { return impl_->ReloadTls(); }

}  // namespace reckon::net
