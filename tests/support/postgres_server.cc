#include "tests/support/postgres_server.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

namespace reckon::support {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "the tests of stores in PostgreSQL need a server: %s\n", why.c_str());
  std::exit(1);
}

// Where Debian puts what is not for everybody's PATH: /usr/lib/postgresql/15/bin.
fs::path FindPrograms() {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", none)) {
    if (fs::exists(version.path() / "bin/initdb")) found.push_back(version.path() / "bin");
  }
  if (found.empty()) Fail("it is not installed; on Debian: apt-get install postgresql");
  return *std::max_element(found.begin(), found.end());
}

const passwd& UserForServers() {
  for (const char* const name : {"postgres", "nobody"}) {
    if (const passwd* const user = getpwnam(name); user != nullptr) return *user;
  }
  Fail("there is neither a user postgres nor a user nobody to run it as");
}

pid_t Spawn(std::vector<std::string> words, const fs::path& log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // Not in the folder of whoever runs the test, which the server's user may not enter.
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  pid_t child = -1;
  const int code = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) Fail(fmt::format("cannot start {}", words[0]));
  return child;
}

bool Ends(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;

}  // namespace

PostgresServer::PostgresServer(Durability durability)
    : programs_(FindPrograms()), durability_(durability) {
  // Short, for names of sockets may have no more than a hundred characters.
  std::string name = "/tmp/reckon-pg-XXXXXX";
  RECKON_CHECK(mkdtemp(name.data()) != nullptr);
  folder_ = name;
  if (geteuid() == 0) {
    const passwd& user = UserForServers();
    RECKON_CHECK(chown(folder_.c_str(), user.pw_uid, user.pw_gid) == 0);
  }
  std::vector<std::string> words = AsItsUser("initdb");
  for (const char* const word : {"--username=postgres", "--auth=trust", "--encoding=UTF8",
                                 "--locale=C", "--no-sync", "--no-instructions"}) {
    words.emplace_back(word);
  }
  words.push_back("--pgdata=" + (folder_ / "data").string());
  if (!Ends(Spawn(words, folder_ / "initdb.log"))) Fail(TextOf(folder_ / "initdb.log"));
  Start();
}

PostgresServer::~PostgresServer() {
  if (postmaster_ > 0) Stop();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::vector<std::string> PostgresServer::AsItsUser(const std::string& program) const {
  std::vector<std::string> words;
  if (geteuid() == 0) {
    const passwd& user = UserForServers();
    words = {"setpriv", fmt::format("--reuid={}", user.pw_uid),
             fmt::format("--regid={}", user.pw_gid), "--clear-groups"};
  } else {
    words = {"setpriv"};
  }
  // A test that crashes leaves no server behind.
  words.emplace_back("--pdeathsig=QUIT");
  words.push_back((programs_ / program).string());
  return words;
}

void PostgresServer::Start() {
  RECKON_CHECK(postmaster_ < 0);
  std::vector<std::string> words = AsItsUser("postgres");
  const std::string durable = durability_ == Durability::kFull ? "on" : "off";
  for (const std::string& word :
       {std::string("-D"), (folder_ / "data").string(), std::string("-k"), folder_.string(),
        std::string("-c"), std::string("listen_addresses="), std::string("-c"), "fsync=" + durable,
        std::string("-c"), std::string("shared_buffers=16MB"), std::string("-c"),
        std::string("max_connections=50"), std::string("-c"), std::string("autovacuum=off")}) {
    words.push_back(word);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  // Memory of a server that was killed is in use until the last of its processes has noticed.
  for (;;) {
    postmaster_ = Spawn(words, folder_ / "log");
    for (int status = 0; waitpid(postmaster_, &status, WNOHANG) == 0;) {
      if (PQping(Url("postgres").c_str()) == PQPING_OK) return;
      if (std::chrono::steady_clock::now() > deadline) Fail(TextOf(folder_ / "log"));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (std::chrono::steady_clock::now() > deadline) Fail(TextOf(folder_ / "log"));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void PostgresServer::Wait() {
  waitpid(postmaster_, nullptr, 0);
  postmaster_ = -1;
}

void PostgresServer::Kill() {
  kill(postmaster_, SIGKILL);
  Wait();
}

void PostgresServer::Stop() {
  kill(postmaster_, SIGINT);  // fast: sessions are ended, what was committed is kept
  Wait();
}

std::string PostgresServer::Url(std::string_view database) const {
  return fmt::format("postgresql:///{}?host={}&user=postgres", database, folder_.string());
}

std::string PostgresServer::NewDatabase(std::string_view options) {
  const std::string name = fmt::format("store{}", ++databases_);
  Run("postgres", fmt::format("CREATE DATABASE {} {}", name, options));
  return Url(name);
}

std::string PostgresServer::Run(std::string_view database, std::string_view sql) const {
  const Connection connection(PQconnectdb(Url(database).c_str()), &PQfinish);
  const Answer answer(PQexec(connection.get(), std::string(sql).c_str()), &PQclear);
  const ExecStatusType status = PQresultStatus(answer.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    Fail(fmt::format("{}: {}", sql, PQerrorMessage(connection.get())));
  }
  return PQntuples(answer.get()) > 0 ? PQgetvalue(answer.get(), 0, 0) : "";
}

}  // namespace reckon::support
