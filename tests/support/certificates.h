// Certificates that tests make for themselves.
#pragma once

#include <memory>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/check.h"

namespace reckon::support {

struct PemPair {
  std::string certificate;
  std::string key;
};

struct CertificateWish {
  std::string alternatives = "DNS:localhost,IP:127.0.0.1";  // as OpenSSL writes them
  long valid_from_s = -3600;                                // from now
  long valid_to_s = 3600;
};

// A root that signs certificates.
class CertificateIssuer {
 public:
  explicit CertificateIssuer(const std::string& name)
      : key_(NewKey()), root_(Make(name, *key_, nullptr, {.alternatives = ""}, *key_)) {}

  std::string Root() const { return CertificateText(*root_); }
  PemPair Issue(const CertificateWish& wish = {}) const {
    const Key key = NewKey();
    const Certificate certificate = Make("reckon", *key, root_.get(), wish, *key_);
    return {CertificateText(*certificate), KeyText(*key)};
  }

 private:
  template <auto function>
  struct Free {
    template <typename T>
    void operator()(T* it) const {
      function(it);
    }
  };
  using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
  using Certificate = std::unique_ptr<X509, Free<X509_free>>;
  using Memory = std::unique_ptr<BIO, Free<BIO_free_all>>;

  static Key NewKey() { return Key(EVP_EC_gen("P-256")); }

  // Signed by itself without an issuer.
  static Certificate Make(const std::string& name, EVP_PKEY& key, X509* issuer,
                          const CertificateWish& wish, EVP_PKEY& signer) {
    static long serial = 0;
    Certificate made(X509_new());
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), wish.valid_from_s);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), wish.valid_to_s);
    X509_set_pubkey(made.get(), &key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509* by = issuer == nullptr ? made.get() : issuer;
    X509_set_issuer_name(made.get(), X509_get_subject_name(by));
    AddExtension(*made, *by, NID_basic_constraints,
                 issuer == nullptr ? "critical,CA:TRUE" : "critical,CA:FALSE");
    if (!wish.alternatives.empty()) {
      AddExtension(*made, *by, NID_subject_alt_name, wish.alternatives);
    }
    RECKON_CHECK(X509_sign(made.get(), &signer, EVP_sha256()) > 0);
    return made;
  }

  static void AddExtension(X509& to, X509& issuer, int kind, const std::string& text) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, &issuer, &to, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, text.c_str());
    RECKON_CHECK(extension != nullptr);
    X509_add_ext(&to, extension, -1);
    X509_EXTENSION_free(extension);
  }

  static std::string TextOf(BIO& memory) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(&memory, &bytes);
    return {bytes, static_cast<size_t>(size)};
  }
  static std::string CertificateText(X509& certificate) {
    const Memory memory(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(memory.get(), &certificate);
    return TextOf(*memory);
  }
  static std::string KeyText(EVP_PKEY& key) {
    const Memory memory(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(memory.get(), &key, nullptr, nullptr, 0, nullptr, nullptr);
    return TextOf(*memory);
  }

  Key key_;
  Certificate root_;
};

}  // namespace reckon::support
