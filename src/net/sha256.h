// SHA-256.
#pragma once

#include <string>
#include <string_view>

namespace reckon::net {

// 64 hexadecimal digits, lower case.
std::string Sha256(std::string_view bytes);

}  // namespace reckon::net
