#include "app/manage/spend_json.h"

#include <nlohmann/json.hpp>

namespace reckon::app {

base::Json ToJson(const std::vector<core::Spend>& spend) {
  base::Json json{{"spend", base::Json::array()}};
  for (const core::Spend& one : spend) {
    json["spend"].push_back({{"user", one.user},
                             {"project", one.project},
                             {"runs", one.runs},
                             {"dollars", one.dollars}});
  }
  return json;
}

}  // namespace reckon::app
