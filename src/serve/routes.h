// The routes of the service, a function a group.
#pragma once

#include <vector>

#include "app/context.h"
#include "app/manage/manager.h"
#include "serve/router.h"
#include "store/store.h"

namespace reckon::serve {

// What handlers work with; all of it outlives them.
struct Service {
  app::Manager& manager;
  store::Store& store;
  const app::Context& context;
};

std::vector<Route> AgentRoutes(const Service& service);
std::vector<Route> RunRoutes(const Service& service);
std::vector<Route> NodeRoutes(const Service& service);
std::vector<Route> HealthRoutes(const Service& service);

}  // namespace reckon::serve
