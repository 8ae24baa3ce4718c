#include "options.h"

#include <vector>

#include "base/named_values.h"
#include "base/text.h"
#include "base/units.h"

namespace sift {

using reckon::base::NamedValues;
using reckon::base::Result;
using reckon::base::UnexpectedValue;

const char* const kUsage =
    "usage: reckon-sift --to HOST:PORT [OPTION VALUE]...\n"
    "       reckon-sift --serve HOST:PORT\n"
    "Finds SIFT features in a frame every 200 ms and sends both over UDP; or receives them.\n"
    "  --period TIME     between frames [200ms]\n"
    "  --deadline TIME   for the work on one [the period]\n"
    "  --dilation K      makes both K times as long [1]\n"
    "  --cycles N        ends after so many frames [0: goes on until it is stopped]\n";

namespace {

Result<double> PositiveTime(const NamedValues& values, const std::string& name, double otherwise) {
  const auto found = values.find(name);
  if (found == values.end()) return otherwise;
  const auto seconds = reckon::base::ParseDurationS(found->second);
  if (!seconds.ok() || *seconds <= 0) {
    return UnexpectedValue(name, found->second, "a time above 0, as 200ms");
  }
  return *seconds;
}

Result<std::optional<reckon::net::Address>> AddressOf(const NamedValues& values,
                                                      const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) return std::optional<reckon::net::Address>();
  auto address = reckon::net::ParseAddress(found->second);
  if (!address.ok()) return std::move(address).error().Wrap(name);
  return std::optional(*std::move(address));
}

}  // namespace

Result<Options> ParseOptions(std::span<const std::string> arguments) {
  const std::vector<std::string> names{"--to",       "--serve",    "--period",
                                       "--deadline", "--dilation", "--cycles"};
  RECKON_ASSIGN(const NamedValues values, reckon::base::TakeNamedValues(arguments, names));
  Options options;
  RECKON_ASSIGN(options.to, AddressOf(values, "--to"));
  RECKON_ASSIGN(options.serve, AddressOf(values, "--serve"));
  if (options.to.has_value() == options.serve.has_value()) {
    return reckon::base::BadInput("expected either --to or --serve");
  }
  double dilation = 1;
  if (const auto found = values.find("--dilation"); found != values.end()) {
    const auto number = reckon::base::ParseNumber(found->second);
    if (!number || *number < 1) {
      return UnexpectedValue(found->first, found->second, "a number from 1 on");
    }
    dilation = *number;
  }
  RECKON_ASSIGN(options.period_s, PositiveTime(values, "--period", options.period_s));
  RECKON_ASSIGN(options.deadline_s, PositiveTime(values, "--deadline", options.period_s));
  options.period_s *= dilation;
  options.deadline_s *= dilation;
  if (const auto found = values.find("--cycles"); found != values.end()) {
    const auto number = reckon::base::ParseInteger(found->second);
    if (!number || *number < 0) {
      return UnexpectedValue(found->first, found->second, "a whole number, not negative");
    }
    options.cycles = *number;
  }
  return options;
}

}  // namespace sift
