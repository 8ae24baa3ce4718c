#include "net/net_namespace.h"

#include <cerrno>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "base/system_error.h"

namespace reckon::net {

base::Status EnterNamespace(const std::string& path) {
  const int space = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (space < 0) return base::SystemError("cannot open the network namespace " + path);
  const int code = setns(space, CLONE_NEWNET) == 0 ? 0 : errno;
  close(space);
  if (code != 0) return base::SystemError("cannot enter the network namespace " + path, code);
  return {};
}

base::Status InNamespace(const std::string& path, const std::function<base::Status()>& work) {
  base::Status status;
  std::jthread([&] {
    status = EnterNamespace(path);
    if (status.ok()) status = work();
  }).join();
  return status;
}

}  // namespace reckon::net
