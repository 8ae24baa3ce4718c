// What TLS needs to know, without its library's headers.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"

namespace reckon::net {

// What a server shows: PEM files, the certificate first in a chain of those that vouch for it.
struct TlsFiles {
  std::filesystem::path certificate;
  std::filesystem::path key;  // without a password
};

class TlsIdentity;  // private to net

// kNotFound, kIo: a file cannot be read. kBadInput: it is no PEM, the key has a password, or it is
// another certificate's. Shared with connections that are being made.
base::Result<std::shared_ptr<TlsIdentity>> LoadTlsIdentity(const TlsFiles& files);

// Whom a client believes. Thread-safe, and the same for all clients: reading the system's roots
// takes a while.
class TlsTrust {
 public:
  // `ca_file`: PEM; empty: the system's roots. kNotFound, kBadInput: it holds no certificate.
  static base::Result<std::shared_ptr<const TlsTrust>> Load(const std::filesystem::path& ca_file);
  ~TlsTrust();
  TlsTrust(const TlsTrust&) = delete;
  TlsTrust& operator=(const TlsTrust&) = delete;

  class Impl;  // private to net
  Impl& impl() const { return *impl_; }

 private:
  TlsTrust();
  std::unique_ptr<Impl> impl_;
};

}  // namespace reckon::net
