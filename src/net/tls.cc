#include "net/tls.h"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509err.h>

#include "base/file.h"
#include "net/tls_impl.h"

namespace reckon::net {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

void AskForModernTls(ssl::context& context) {
  SSL_CTX* handle = context.native_handle();
  SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION);
  // A client could make a server compute for ever with it.
  SSL_CTX_set_options(handle, SSL_OP_NO_RENEGOTIATION);
  // Connections that are idle need no buffers.
  SSL_CTX_set_mode(handle, SSL_MODE_RELEASE_BUFFERS);
}

base::Error NoPem(const std::filesystem::path& path, const char* what, const error_code& error) {
  return base::BadInput(
      fmt::format("'{}' holds no {} in PEM: {}", path.string(), what, error.message()));
}

}  // namespace

base::Result<std::shared_ptr<TlsIdentity>> LoadTlsIdentity(const TlsFiles& files) {
  RECKON_ASSIGN(const std::string chain, base::ReadFile(files.certificate));
  RECKON_ASSIGN(const std::string key, base::ReadFile(files.key));
  auto identity = std::make_shared<TlsIdentity>();
  AskForModernTls(identity->context);
  error_code error;
  // Without it OpenSSL would ask at the terminal.
  identity->context.set_password_callback(
      [](size_t, ssl::context::password_purpose) { return std::string(); }, error);
  identity->context.use_certificate_chain(boost::asio::buffer(chain), error);
  if (error) return NoPem(files.certificate, "certificate", error);
  identity->context.use_private_key(boost::asio::buffer(key), ssl::context::pem, error);
  if (error &&
      ERR_GET_REASON(static_cast<unsigned long>(error.value())) == X509_R_KEY_VALUES_MISMATCH) {
    return base::BadInput(fmt::format("the key '{}' does not belong to the certificate '{}'",
                                      files.key.string(), files.certificate.string()));
  }
  if (error) return NoPem(files.key, "key without a password", error);
  return identity;
}

TlsTrust::TlsTrust() : impl_(std::make_unique<Impl>()) {}
TlsTrust::~TlsTrust() = default;

base::Result<std::shared_ptr<const TlsTrust>> TlsTrust::Load(const std::filesystem::path& ca_file) {
  std::shared_ptr<TlsTrust> trust(new TlsTrust());  // by all clients
  ssl::context& context = trust->impl_->context;
  AskForModernTls(context);
  context.set_verify_mode(ssl::verify_peer);
  error_code error;
  if (ca_file.empty()) {
    context.set_default_verify_paths(error);
    if (error) {
      return base::Error(base::ErrorCode::kIo, "the system's certificates: " + error.message());
    }
  } else {
    RECKON_ASSIGN(const std::string pem, base::ReadFile(ca_file));
    context.add_certificate_authority(boost::asio::buffer(pem), error);
    if (error) return NoPem(ca_file, "certificate", error);
    // An own root is enough also where it is itself the server's certificate.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.native_handle()),
                                X509_V_FLAG_PARTIAL_CHAIN);
  }
  return std::shared_ptr<const TlsTrust>(std::move(trust));
}

}  // namespace reckon::net
