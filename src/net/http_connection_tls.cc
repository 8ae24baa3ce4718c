#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/sslerr.h>
#include <openssl/x509v3.h>

#include "net/http_connection.h"
#include "net/tls_impl.h"

namespace reckon::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using base::Error;
using base::ErrorCode;

using TlsStream = beast::ssl_stream<beast::tcp_stream>;

// The certificate must name the host, or its address where that is how it is called.
bool ExpectHost(SSL* handle, const std::string& host) {
  beast::error_code no_address;
  asio::ip::make_address(host, no_address);
  X509_VERIFY_PARAM* wanted = SSL_get0_param(handle);
  if (!no_address) return X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1;
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size()) == 1 &&
         SSL_set_tlsext_host_name(handle, host.c_str()) == 1;
}

std::string WhyNotBelieved(long code, const std::string& host) {
  switch (code) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format("its certificate is for another name than '{}'", host);
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "its certificate has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "its certificate is not valid yet (or the clock here is wrong)";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:  // another one of the same name is known
      return "its certificate is from an issuer that is not known here (--tls-ca FILE names one)";
    default:
      return fmt::format("its certificate is not believed: {}",
                         X509_verify_cert_error_string(code));
  }
}

Error Broken(const beast::error_code& error, SSL* handle, const Address& server,
             std::chrono::milliseconds patience) {
  const std::string at = server.ToText();
  const long verdict = SSL_get_verify_result(handle);
  if (verdict != X509_V_OK) {
    return base::BadInput(fmt::format("{}: {}", at, WhyNotBelieved(verdict, server.host)));
  }
  if (error == beast::error::timeout) {
    return {ErrorCode::kUnavailable, fmt::format("{} agreed on no keys within {} s", at,
                                                 static_cast<double>(patience.count()) / 1000)};
  }
  const bool of_tls = error.category() == asio::error::get_ssl_category();
  const int reason = of_tls ? ERR_GET_REASON(static_cast<unsigned long>(error.value())) : 0;
  if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
      reason == SSL_R_PACKET_LENGTH_TOO_LONG) {
    return {ErrorCode::kFailed,
            fmt::format("{} does not speak TLS; is it http://{} instead of https?", at, at)};
  }
  return {of_tls ? ErrorCode::kFailed : ErrorCode::kUnavailable,
          fmt::format("agreeing on keys with {}: {}", at, error.message())};
}

}  // namespace

base::Result<std::unique_ptr<HttpConnection>> BeginTls(asio::io_context& context,
                                                       beast::tcp_stream tcp, const Address& server,
                                                       const TlsTrust& trust,
                                                       std::chrono::milliseconds patience) {
  TlsStream stream(std::move(tcp), trust.impl().context);
  if (!ExpectHost(stream.native_handle(), server.host)) {
    return base::BadInput(fmt::format("'{}' is no name that a certificate has", server.host));
  }
  beast::get_lowest_layer(stream).expires_after(patience);
  beast::error_code outcome = asio::error::would_block;
  stream.async_handshake(asio::ssl::stream_base::client,
                         [&outcome](beast::error_code error) { outcome = error; });
  context.restart();
  context.run();
  if (outcome) return Broken(outcome, stream.native_handle(), server, patience);
  return std::unique_ptr<HttpConnection>(
      std::make_unique<HttpConnectionOn<TlsStream>>(std::move(stream)));
}

bool IsTlsEndWithoutLeave(const beast::error_code& error) {
  return error == asio::ssl::error::stream_truncated;
}

}  // namespace reckon::net
