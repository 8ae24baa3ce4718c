// The routes of the service, a function a group.
#pragma once

#include <vector>

#include "app/calibration/model_keeper.h"
#include "app/context.h"
#include "app/manage/managed_view.h"
#include "app/manage/manager.h"
#include "app/publish/published_models.h"
#include "serve/event_feed.h"
#include "serve/router.h"
#include "serve/sign_in.h"
#include "store/store.h"

namespace reckon::serve {

// What handlers work with; all of it outlives them.
struct Service {
  app::Manager& manager;
  store::Store& store;
  const app::Context& context;
  app::ManagedViews& views;
  app::ModelKeeper& models;
  app::PublishedModels& published;
};

std::vector<Route> AgentRoutes(const Service& service);
std::vector<Route> RunRoutes(const Service& service);
std::vector<Route> BundleRoutes(const Service& service);
std::vector<Route> PublishedRoutes(const Service& service);
std::vector<Route> UpdateRoutes(const Service& service);
std::vector<Route> ModelRoutes(const Service& service);
std::vector<Route> HealthRoutes(const Service& service);
// `feed` outlives them.
std::vector<Route> EventRoutes(EventFeed& feed);
// `sign_in` outlives them.
std::vector<Route> NodeRoutes(const Service& service, SignIn& sign_in);
std::vector<Route> AccessRoutes(const Service& service, SignIn& sign_in);
// All of these.
std::vector<Route> AllRoutes(const Service& service, EventFeed& feed, SignIn& sign_in);

// A run as GET /api/v1/runs/ID shows it. kNotFound.
base::Result<RunNews> LookAtRun(const Service& service, int64_t run_id);

}  // namespace reckon::serve
