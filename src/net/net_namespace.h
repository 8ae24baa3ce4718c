// Going into network namespaces, by path ("/run/netns/NAME", "/proc/PID/ns/net").
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace reckon::net {

// Moves the calling thread, for good: what it opens and starts from now on lives there. kIo when
// there is no such namespace, or without the right to (CAP_SYS_ADMIN).
base::Status EnterNamespace(const std::string& path);

// Calls `work` on a thread of its own inside the namespace, and waits for it; the caller stays
// where it is. Sockets that `work` makes keep belonging to the namespace.
base::Status InNamespace(const std::string& path, const std::function<base::Status()>& work);

}  // namespace reckon::net
