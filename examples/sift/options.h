// The command line of reckon-sift.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "net/tcp.h"

namespace sift {

extern const char* const kUsage;

struct Options {
  std::optional<reckon::net::Address> to;
  std::optional<reckon::net::Address> serve;
  double period_s = 0.2;
  double deadline_s = 0.2;
  int64_t cycles = 0;  // 0: until it is stopped
};

// kBadInput naming the option.
reckon::base::Result<Options> ParseOptions(std::span<const std::string> arguments);

}  // namespace sift
