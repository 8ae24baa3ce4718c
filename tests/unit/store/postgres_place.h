// The PostgreSQL server that all tests of this program share, and stores in it.
#pragma once

#include <memory>
#include <string>

#include "tests/support/postgres_server.h"

namespace reckon::store::testing {

// Started when it is first asked for, gone with the program.
support::PostgresServer& SharedServer();

// The name of the database in one of its addresses.
std::string DatabaseOf(const std::string& url);

}  // namespace reckon::store::testing
