// Network namespaces with names, as `ip netns` keeps them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::act {

std::string NamespacePath(const std::string& name);

bool NamespaceExists(const std::string& name);

// Names of namespaces that begin so.
std::vector<std::string> NamespacesWithPrefix(const std::string& prefix);

// Ids of the processes that run in the namespace, other than this one.
std::vector<int> ProcessesInNamespace(const std::string& name);

// SIGKILL to these until there are none. kUnavailable when one does not end within some seconds.
base::Status KillInNamespace(const std::string& name);

// Takes the name away; the kernel removes the namespace with its last process. Nothing to do when
// there is no such name.
base::Status RemoveNamespace(const std::string& name);

// Calls `work` inside the namespace: its sockets and the programs it starts live there. Unlike
// `ip -n` this mounts nothing, which a process in a chroot may not.
base::Status InNamespace(const std::string& name, const std::function<base::Status()>& work);

// Writes a file below /proc/sys/net as it is inside the namespace ("ipv4/tcp_no_metrics_save").
base::Status SetInNamespace(const std::string& name, const std::string& setting,
                            const std::string& value);

}  // namespace reckon::act
