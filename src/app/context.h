// What every use case is given by the program that calls it.
#pragma once

#include <cstddef>
#include <stop_token>

#include "app/store_place.h"
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
  StorePlace db;
};

}  // namespace reckon::app
