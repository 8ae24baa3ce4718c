#include "net/sha256.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include "base/check.h"

namespace reckon::net {

std::string Sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  // Fails only where the library has no SHA-256 or there is no memory.
  RECKON_CHECK(
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  return fmt::format("{:02x}", fmt::join(digest.data(), digest.data() + size, ""));
}

}  // namespace reckon::net
