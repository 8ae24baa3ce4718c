// What `recommend` prints for people.
#pragma once

#include <string>

#include "app/recommend/fc2_recommend.h"
#include "app/recommend/recommend.h"
#include "app/recommend/replay_search.h"

namespace reckon::cli {

std::string ClustersText(const app::RecommendReport& report);
std::string Fc2Text(const app::Fc2Report& report);
std::string ReplayText(const app::ReplaySearchReport& report);

}  // namespace reckon::cli
