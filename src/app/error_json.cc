#include "app/error_json.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace reckon::app {

std::string ErrorJson(const base::Error& error) {
  base::Json json;
  json["error"]["code"] = base::ErrorCodeName(error.code());
  json["error"]["message"] = error.Describe();
  json["error"]["chain"] = error.chain();
  return base::DumpJson(json);
}

}  // namespace reckon::app
