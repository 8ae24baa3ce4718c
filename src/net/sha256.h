// SHA-256.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace reckon::net {

// 64 hexadecimal digits, lower case.
std::string Sha256(std::string_view bytes);

// Of a file that need not fit into memory. kIo: it cannot be read.
base::Result<std::string> Sha256OfFile(const std::filesystem::path& file);

}  // namespace reckon::net
