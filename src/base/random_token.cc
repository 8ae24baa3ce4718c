#include "base/random_token.h"

#include <array>
#include <span>

#include <fmt/format.h>
#include <sys/random.h>

#include "base/check.h"

namespace reckon::base {

Result<std::string> RandomToken(size_t bytes) {
  std::array<unsigned char, 256> random{};  // as many as the kernel gives at once
  RECKON_CHECK(bytes <= random.size());
  if (getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
    return Error(ErrorCode::kIo, "the system gives no random bytes");
  }
  std::string token;
  for (const unsigned char byte : std::span(random).first(bytes)) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

}  // namespace reckon::base
