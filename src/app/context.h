// What every use case is given by the program that calls it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>

#include "base/clock.h"
#include "base/log.h"
#include "base/progress.h"

namespace reckon::app {

struct Context {
  const base::Clock& clock;
  base::Logger& log;
  base::Progress& progress;
  std::stop_token stop;
  size_t jobs = 1;
  std::filesystem::path db;  // the store's file
};

}  // namespace reckon::app
