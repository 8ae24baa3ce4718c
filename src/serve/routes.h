// The routes of the service, a function a group.
#pragma once

#include <vector>

#include "app/context.h"
#include "app/manage/managed_view.h"
#include "app/manage/manager.h"
#include "serve/event_feed.h"
#include "serve/router.h"
#include "store/store.h"

namespace reckon::serve {

// What handlers work with; all of it outlives them.
struct Service {
  app::Manager& manager;
  store::Store& store;
  const app::Context& context;
  app::ManagedViews& views;
};

std::vector<Route> AgentRoutes(const Service& service);
std::vector<Route> RunRoutes(const Service& service);
std::vector<Route> NodeRoutes(const Service& service);
std::vector<Route> HealthRoutes(const Service& service);
// `feed` outlives them.
std::vector<Route> EventRoutes(EventFeed& feed);

// A run as GET /api/v1/runs/ID shows it. kNotFound.
base::Result<RunNews> LookAtRun(const Service& service, int64_t run_id);

}  // namespace reckon::serve
