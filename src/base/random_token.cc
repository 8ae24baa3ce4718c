#include "base/random_token.h"

#include <array>

#include <fmt/format.h>
#include <sys/random.h>

namespace reckon::base {

Result<std::string> RandomToken() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return Error(ErrorCode::kIo, "the system gives no random bytes");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace reckon::base
