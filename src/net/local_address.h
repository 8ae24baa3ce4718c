// Which of this machine's addresses others see.
#pragma once

#include <string>

#include "base/result.h"
#include "net/tcp.h"

namespace reckon::net {

// The address from which this machine would speak to that one: "127.0.0.1" to itself. Nothing is
// sent. kNotFound: no such host, or no way to it.
base::Result<std::string> AddressTowards(const Address& other);

}  // namespace reckon::net
