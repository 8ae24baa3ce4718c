#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <openssl/err.h>
#include <openssl/sslerr.h>

#include "net/http_session_impl.h"
#include "net/tls_impl.h"

namespace reckon::net {
namespace {

struct TlsTransport {
  static constexpr bool kSecure = true;
  using Stream = beast::ssl_stream<beast::tcp_stream>;
  static Stream Make(boost::asio::ip::tcp::socket socket, HttpSessionShared& shared) {
    return Stream(beast::tcp_stream(std::move(socket)), shared.identity->context);
  }
  template <typename Handler>
  static void ShakeHands(Stream& stream, Handler handler) {
    stream.async_handshake(boost::asio::ssl::stream_base::server, std::move(handler));
  }
  static bool IsPlainHttp(beast::error_code error) {
    return error.category() == boost::asio::error::get_ssl_category() &&
           ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
  }
};

}  // namespace

void StartTlsHttpSession(boost::asio::ip::tcp::socket socket, HttpSessionShared& shared) {
  std::make_shared<HttpSession<TlsTransport>>(std::move(socket), shared)->Start();
}

}  // namespace reckon::net
