// A PostgreSQL server of a test's own, from Debian's package: in a folder that goes away, on a
// socket in it, as an unprivileged user when the test runs as root (PostgreSQL refuses root).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace reckon::support {

class PostgresServer {
 public:
  enum class Durability {
    kNone,  // fast; what is written is lost if the machine goes down, not if the server is killed
    kFull,
  };

  // Ends the program with a message that says what to install when there is no PostgreSQL: tests
  // without it would show nothing.
  explicit PostgresServer(Durability durability = Durability::kNone);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  void Start();
  // As kill -9 and as an operator would.
  void Kill();
  void Stop();

  // "postgresql:///NAME?host=...&user=postgres"
  std::string Url(std::string_view database) const;
  // The address of a new, empty database. `options` as CREATE DATABASE takes them.
  std::string NewDatabase(std::string_view options = "");
  // Carries SQL out as the superuser, in one session; the first value of the answer.
  std::string Run(std::string_view database, std::string_view sql) const;

 private:
  std::vector<std::string> AsItsUser(const std::string& program) const;
  void Wait();

  std::filesystem::path folder_;
  std::filesystem::path programs_;
  Durability durability_;
  pid_t postmaster_ = -1;
  int databases_ = 0;
};

}  // namespace reckon::support
