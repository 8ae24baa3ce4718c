// A PostgreSQL server for tests in other languages. Reads lines: "database" makes an empty one and
// prints its address; "kill" and "start" do so to the server and print "done". Ends with its input.
#include <cstdio>
#include <iostream>
#include <string>

#include "tests/support/postgres_server.h"

int main() {
  reckon::support::PostgresServer server;
  for (std::string order; std::getline(std::cin, order);) {
    std::string answer = "done";
    if (order == "kill") {
      server.Kill();
    } else if (order == "start") {
      server.Start();
    } else {
      answer = server.NewDatabase();
    }
    std::puts(answer.c_str());
    std::fflush(stdout);
  }
  return 0;
}
