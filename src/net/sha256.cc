#include "net/sha256.h"

#include <array>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include "base/check.h"

namespace reckon::net {
namespace {

std::string Hex(const unsigned char* digest, size_t size) {
  return fmt::format("{:02x}", fmt::join(digest, digest + size, ""));
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  // Fails only where the library has no SHA-256 or there is no memory.
  RECKON_CHECK(
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  return Hex(digest.data(), size);
}

base::Result<std::string> Sha256OfFile(const std::filesystem::path& file) {
  const auto failed = [&] {
    return base::Error(base::ErrorCode::kIo, fmt::format("{} cannot be read", file.string()));
  };
  std::ifstream in(file, std::ios::binary);
  if (!in) return failed();
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  RECKON_CHECK(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  std::string block(size_t{1} << 20, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    const auto count = static_cast<size_t>(in.gcount());
    RECKON_CHECK(EVP_DigestUpdate(context.get(), block.data(), count) == 1);
  }
  if (in.bad()) return failed();
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  RECKON_CHECK(EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1);
  return Hex(digest.data(), size);
}

}  // namespace reckon::net
