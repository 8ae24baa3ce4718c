#include "act/local/part_orders.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"

namespace reckon::act {

using base::Json;

base::Status WriteOrders(const RunFolder& folder, const PartOrders& orders) {
  Json json{{"go", orders.go}, {"release", orders.release}};
  if (!orders.ending.empty()) json["ending"] = orders.ending;
  if (orders.training) {
    json["training"] = {{"from", orders.training->from}, {"to", orders.training->to}};
  }
  return base::WriteFile(folder.orders(), base::DumpJson(json));
}

base::Result<PartOrders> ReadOrders(const RunFolder& folder) {
  auto text = base::ReadFile(folder.orders());
  if (!text.ok()) {
    if (text.error().code() == base::ErrorCode::kNotFound) return PartOrders{};
    return std::move(text).error();
  }
  const auto wrong = [&] {
    return base::Error(base::ErrorCode::kCorrupt, folder.orders().string() + ": no orders of ours");
  };
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return wrong();
  PartOrders orders;
  for (const auto& [key, value] :
       {std::pair("go", &orders.go), std::pair("release", &orders.release)}) {
    const auto found = json.find(key);
    if (found == json.end()) continue;
    if (!found->is_boolean()) return wrong();
    *value = found->get<bool>();
  }
  if (const auto ending = json.find("ending"); ending != json.end()) {
    if (!ending->is_string()) return wrong();
    orders.ending = ending->get<std::string>();
  }
  if (const auto training = json.find("training"); training != json.end()) {
    if (!training->is_object() || !training->contains("from") || !training->contains("to") ||
        !training->at("from").is_number() || !training->at("to").is_number()) {
      return wrong();
    }
    orders.training = Stretch{training->at("from").get<double>(), training->at("to").get<double>()};
  }
  return orders;
}

}  // namespace reckon::act
