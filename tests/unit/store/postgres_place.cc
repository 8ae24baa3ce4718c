#include "tests/unit/store/postgres_place.h"

namespace reckon::store::testing {

support::PostgresServer& SharedServer() {
  static support::PostgresServer server;
  return server;
}

std::string DatabaseOf(const std::string& url) {
  const size_t begin = std::string("postgresql:///").size();
  return url.substr(begin, url.find('?') - begin);
}

}  // namespace reckon::store::testing
