#include "act/agents/node_secret.h"

#include <cerrno>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/random_token.h"
#include "base/system_error.h"

namespace reckon::act {
namespace {

constexpr size_t kSecretBytes = 32;
constexpr mode_t kOwnerOnly = 0600;

std::filesystem::path SecretFile(const std::filesystem::path& folder) { return folder / "secret"; }

}  // namespace

base::Result<std::optional<std::string>> FindNodeSecret(const std::filesystem::path& folder) {
  const std::filesystem::path file = SecretFile(folder);
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::optional<std::string>();
    return base::SystemError(file.string());
  }
  if ((info.st_mode & 077) != 0) {
    return base::BadInput(
        fmt::format("'{}' can be read by others; expected mode 0600", file.string()));
  }
  RECKON_ASSIGN(const std::string text, base::ReadFile(file));
  std::string secret = text.substr(0, text.find('\n'));
  if (secret.size() != 2 * kSecretBytes) {
    return base::Corrupt(fmt::format("'{}' holds no secret of a node", file.string()));
  }
  return std::optional(std::move(secret));
}

base::Result<std::string> MakeNodeSecret(const std::filesystem::path& folder) {
  RECKON_ASSIGN(std::string secret, base::RandomToken(kSecretBytes));
  RECKON_TRY(base::WriteFile(SecretFile(folder), secret + "\n", kOwnerOnly));
  return secret;
}

}  // namespace reckon::act
