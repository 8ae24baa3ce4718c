#include "store/address.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace reckon::store {
namespace {

constexpr std::string_view kAfterScheme = "://";

// Whatever is not known to be harmless is left out, so that a slip in a URL shows no password: all
// between the first colon and the last @ (a password may hold an @ of its own), and every parameter
// but these.
std::string WithoutSecrets(std::string_view url) {
  constexpr std::array<std::string_view, 7> kShown{"host", "hostaddr", "port",   "dbname",
                                                   "user", "service",  "options"};
  std::string_view rest = url.substr(url.find(kAfterScheme) + kAfterScheme.size());
  std::string shown = "postgresql://";
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    shown.append(rest.substr(0, std::min(at, rest.find_first_of(":/?")))).append("@");
    rest.remove_prefix(at + 1);
  }
  const size_t question = std::min(rest.find('?'), rest.size());
  shown.append(rest.substr(0, question));
  char before = '?';
  for (const std::string_view parameter : base::Split(rest.substr(question), '&')) {
    const std::string_view clean = parameter.substr(parameter.starts_with('?') ? 1 : 0);
    const std::string_view key = clean.substr(0, clean.find('='));
    if (std::find(kShown.begin(), kShown.end(), key) == kShown.end()) continue;
    shown.append(1, before).append(clean);
    before = '&';
  }
  return shown;
}

bool IsPostgresUrl(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

}  // namespace

StoreAddress::StoreAddress(const std::filesystem::path& given)
    : text_(given.string()),
      is_postgres_(IsPostgresUrl(text_)),
      name_(is_postgres_ ? WithoutSecrets(text_) : text_) {}

}  // namespace reckon::store
