#include "act/sandbox.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "act/command.h"
#include "act/launch.h"
#include "base/field_reader.h"
#include "base/system_error.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

// Against programs that multiply without end. Counted by user, and every run is another one.
constexpr int kMostProcesses = 4096;
constexpr const char* kVariablesFile = "/run/job-variables";
constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// Never by the PATH of a job.
std::string FindInSystem(const char* program) {
  for (const char* folder : {"/usr/bin/", "/bin/", "/usr/local/bin/"}) {
    std::string path = std::string(folder) + program;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

// What programs need of the system; where a system has merged them, links stay links.
void AddSystem(std::vector<std::string>& command) {
  constexpr std::array<const char*, 9> kFolders{"/usr",   "/bin",    "/sbin", "/lib", "/lib32",
                                                "/lib64", "/libx32", "/etc",  "/opt"};
  std::error_code error;
  for (const char* folder : kFolders) {
    if (fs::is_symlink(folder, error)) {
      command.insert(command.end(),
                     {"--symlink", fs::read_symlink(folder, error).string(), folder});
    } else if (fs::is_directory(folder, error)) {
      command.insert(command.end(), {"--ro-bind", folder, folder});
    }
  }
  // How many processors there are, and how names of hosts are looked up.
  for (const char* folder : {"/sys", "/run/systemd/resolve"}) {
    command.insert(command.end(), {"--ro-bind-try", folder, folder});
  }
}

void AddDevices(std::vector<std::string>& command) {
  command.insert(command.end(), {"--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm"});
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("nvidia")) continue;
    command.insert(command.end(), {"--dev-bind-try", entry.path().string(), entry.path().string()});
  }
}

// Folders on the way to what is bound would be bubblewrap's own, closed to everybody else.
void AddFoldersAbove(const fs::path& path, std::vector<std::string>& command) {
  fs::path above = "/";
  for (const fs::path& part : path.parent_path().relative_path()) {
    above /= part;
    command.insert(command.end(), {"--perms", "0755", "--dir", above.string()});
  }
}

bool IsNameOfShell(const std::string& name) {
  const auto fits = [](unsigned char c) { return c == '_' || std::isalnum(c) != 0; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), fits);
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// An open file that only this process and its next program know; -1 and errno.
int KeepInMemory(const std::string& text) {
  const int file = memfd_create("job-variables", 0);
  if (file < 0) return -1;
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count <= 0) return -1;
    done += static_cast<size_t>(count);
  }
  return lseek(file, 0, SEEK_SET) == 0 ? file : -1;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  // execve takes them as not const, and does not change them.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

base::Status TrySandbox(const std::string& folder) {
  std::vector<const char*> needed{"bwrap"};
  if (geteuid() == 0) needed.insert(needed.end(), {"setpriv", "prlimit"});
  for (const char* program : needed) {
    if (!FindInSystem(program).empty()) continue;
    return Error(ErrorCode::kUnavailable,
                 fmt::format("'{}' is not installed (bubblewrap, util-linux)", program));
  }
  const Sandbox sandbox{folder, geteuid() == 0 ? SandboxUserOf(0) : 0, {}};
  auto tried = RunChecked(SandboxCommand(sandbox, {"/bin/true"}, -1));
  if (!tried.ok()) return Error(ErrorCode::kUnavailable, tried.error().Describe());
  return {};
}

int64_t SandboxUserOf(int64_t run_id) {
  // Above accounts, and above what containers take for their users.
  constexpr int64_t kFirst = 1'900'000'000;
  constexpr int64_t kCount = 200'000'000;
  return kFirst + run_id % kCount;
}

std::vector<std::string> SandboxCommand(const Sandbox& sandbox,
                                        const std::vector<std::string>& argv,
                                        int environment_file) {
  // Not --die-with-parent: when the job's first process ends before the others, these have their
  // time to end, as they have without a sandbox.
  std::vector<std::string> command{FindInSystem("bwrap"), "--unshare-pid", "--unshare-ipc",
                                   "--unshare-uts", "--new-session"};
  const bool is_root = geteuid() == 0;
  if (!is_root) command.emplace_back("--unshare-user");
  AddSystem(command);
  AddDevices(command);
  command.insert(command.end(), {"--proc", "/proc", "--perms", "1777", "--tmpfs", "/tmp"});
  for (const std::string& folder : sandbox.shared) {
    AddFoldersAbove(folder, command);
    command.insert(command.end(), {"--ro-bind", folder, folder});
  }
  command.insert(command.end(), {"--bind", sandbox.folder, kSandboxFolder, "--chdir",
                                 kSandboxFolder, "--setenv", "HOME", kSandboxFolder});
  if (environment_file >= 0) {
    AddFoldersAbove(kVariablesFile, command);
    command.insert(command.end(), {"--perms", "0444", "--ro-bind-data",
                                   std::to_string(environment_file), kVariablesFile});
  }
  command.emplace_back("--");
  if (is_root && sandbox.user != 0) {
    const std::string limit = fmt::format("--nproc={0}:{0}", kMostProcesses);
    const std::string user = std::to_string(sandbox.user);
    command.insert(command.end(), {FindInSystem("prlimit"), limit, FindInSystem("setpriv"),
                                   "--reuid=" + user, "--regid=" + user, "--clear-groups",
                                   "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"});
  }
  // Only here, with all rights given up, does what the job says of its environment count.
  if (environment_file >= 0) {
    command.insert(command.end(),
                   {"/bin/sh", "-c", fmt::format(". {} && exec \"$@\"", kVariablesFile), "sh"});
  }
  command.insert(command.end(), argv.begin(), argv.end());
  return command;
}

std::vector<std::string> SandboxEnvironment(const std::string& mark) {
  std::vector<std::string> environment{std::string("PATH=") + kPath};
  if (!mark.empty()) environment.push_back(std::string(kPartVariable) + "=" + mark);
  for (const char* name : {"LANG", "LC_ALL", "TZ"}) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): a child of one thread
    if (const char* value = std::getenv(name)) {
      environment.push_back(fmt::format("{}={}", name, value));
    }
  }
  return environment;
}

std::string SandboxVariables(const std::map<std::string, std::string>& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    if (IsNameOfShell(name)) text += fmt::format("export {}={}\n", name, Quoted(value));
  }
  return text;
}

Error EnterSandbox(const Sandbox& sandbox, const std::vector<std::string>& argv,
                   const std::map<std::string, std::string>& variables) {
  const auto mark = variables.find(kPartVariable);
  const int file = KeepInMemory(SandboxVariables(variables));
  if (file < 0) return base::SystemError("cannot keep the variables of the job");
  if (chdir("/") != 0) return base::SystemError("cannot enter /");
  const std::vector<std::string> command = SandboxCommand(sandbox, argv, file);
  const std::vector<std::string> environment =
      SandboxEnvironment(mark == variables.end() ? "" : mark->second);
  execve(command[0].c_str(), Pointers(command).data(), Pointers(environment).data());
  return base::SystemError(fmt::format("cannot execute '{}'", command[0]));
}

base::Json ToJson(const Sandbox& sandbox) {
  return {{"folder", sandbox.folder}, {"user", sandbox.user}, {"shared", sandbox.shared}};
}

base::Result<Sandbox> SandboxFromJson(const base::Json& json, const std::string& path) {
  Sandbox sandbox;
  base::FieldReader fields(json, path);
  fields.Require("folder");
  fields.Read("folder", sandbox.folder);
  fields.Read("user", sandbox.user);
  fields.Read("shared", sandbox.shared);
  if (sandbox.folder.empty()) fields.Fail(fields.PathOf("folder"), "a folder");
  RECKON_TRY(fields.Check());
  return sandbox;
}

}  // namespace reckon::act
