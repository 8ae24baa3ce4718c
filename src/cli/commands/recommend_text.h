// What `recommend` prints for people.
#pragma once

#include <string>

#include "app/recommend/fc2_recommend.h"
#include "app/recommend/recommend.h"
#include "app/recommend/search_report.h"

namespace reckon::cli {

std::string ClustersText(const app::RecommendReport& report);
std::string Fc2Text(const app::Fc2Report& report);
std::string SearchText(const app::SearchReport& report);

}  // namespace reckon::cli
