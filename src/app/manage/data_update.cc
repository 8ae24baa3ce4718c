#include "app/manage/data_update.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"
#include "decide/schedule/schedule.h"

namespace reckon::app {

using base::FieldReader;
using base::Json;
using base::Result;

const char* UpdateAsksName(UpdateAsks asks) {
  switch (asks) {
    case UpdateAsks::kOffer:
      return "offer";
    case UpdateAsks::kTask:
      return "task";
    case UpdateAsks::kAgain:
      return "again";
    case UpdateAsks::kNothing:
      break;
  }
  return "nothing";
}

std::vector<std::string> TrainFilesOf(const UpdateAsk& ask) {
  if (ask.source == "cifar10") return {"shard-{rank}.bin"};
  return {"shard-{rank}.images", "shard-{rank}.labels"};
}

std::vector<std::string> ValidationFilesOf(const UpdateAsk& ask) {
  if (ask.source == "cifar10") return {"validation.bin"};
  return {"validation.images", "validation.labels"};
}

Json ToJson(const UpdateAsk& ask) {
  return {{"data_store", ask.data_store}, {"reason", ask.reason},
          {"images", ask.images},         {"validation_images", ask.validation_images},
          {"source", ask.source},         {"print", ask.print},
          {"base_model", ask.base_model}, {"policy", ask.policy},
          {"estimators", ask.estimators}, {"servers", ask.servers}};
}

Result<UpdateAsk> UpdateAskFromJson(const Json& json, const std::string& path) {
  UpdateAsk ask;
  FieldReader fields(json, path);
  for (const char* key : {"data_store", "images", "validation_images", "print"}) {
    fields.Require(key);
  }
  fields.ReadPlainName("data_store", ask.data_store);
  fields.Read("reason", ask.reason);
  fields.Read("images", ask.images);
  fields.Read("validation_images", ask.validation_images);
  fields.Read("source", ask.source);
  fields.ReadPlainName("print", ask.print);
  fields.Read("base_model", ask.base_model);
  fields.Read("policy", ask.policy);
  fields.Read("estimators", ask.estimators);
  fields.Read("servers", ask.servers);
  if (fields.Has("images") && ask.images < 1) fields.Fail(fields.PathOf("images"), "1 or more");
  if (fields.Has("validation_images") && ask.validation_images < 1) {
    fields.Fail(fields.PathOf("validation_images"), "1 or more");
  }
  if (ask.source != "idx" && ask.source != "cifar10") {
    fields.Fail(fields.PathOf("source"), "'idx' or 'cifar10'");
  }
  RECKON_TRY(fields.Check());
  const auto policy = decide::ParseSchedulePolicy(ask.policy);
  if (!policy.ok()) return base::Error(policy.error()).Wrap(fields.PathOf("policy"));
  return ask;
}

Json ToJson(const UpdatePlan& plan) {
  Json json{{"servers", plan.servers}, {"shares", Json::array()}, {"left_out", plan.left_out}};
  for (const WorkerShare& share : plan.shares) {
    json["shares"].push_back(
        {{"node", share.node}, {"images", share.images}, {"batch", share.batch}});
  }
  json["epoch_s"] = plan.epoch_s ? Json(*plan.epoch_s) : Json();
  return json;
}

Result<UpdatePlan> UpdatePlanFromJson(const Json& json, const std::string& path) {
  UpdatePlan plan;
  FieldReader fields(json, path);
  fields.Read("servers", plan.servers);
  fields.Read("left_out", plan.left_out);
  fields.Read("epoch_s", plan.epoch_s);
  if (const Json* shares = fields.List("shares")) {
    for (const Json& entry : *shares) {
      WorkerShare share;
      FieldReader one(entry, fmt::format("{}[{}]", fields.PathOf("shares"), plan.shares.size()));
      one.Read("node", share.node);
      one.Read("images", share.images);
      one.Read("batch", share.batch);
      RECKON_TRY(one.Check());
      plan.shares.push_back(std::move(share));
    }
  }
  RECKON_TRY(fields.Check());
  return plan;
}

Json ToJson(const UpdateOffer& offer) {
  Json json{{"source", offer.source}, {"secret", offer.secret}, {"nodes", Json::object()}};
  for (const auto& [node, files] : offer.files) {
    json["nodes"][node] = act::ToJson(act::DataWish{"", "", files})["files"];
  }
  return json;
}

Result<UpdateOffer> UpdateOfferFromJson(const Json& json, const std::string& path) {
  UpdateOffer offer;
  FieldReader fields(json, path);
  for (const char* key : {"source", "secret", "nodes"}) fields.Require(key);
  fields.Read("source", offer.source);
  fields.Read("secret", offer.secret);
  if (const Json* nodes = fields.Object("nodes")) {
    for (const auto& [node, files] : nodes->items()) {
      const Json wish{{"source", ""}, {"secret", ""}, {"files", files}};
      RECKON_ASSIGN(
          act::DataWish read,
          act::DataWishFromJson(wish, fmt::format("{}.{}", fields.PathOf("nodes"), node)));
      offer.files[node] = std::move(read.files);
    }
  }
  RECKON_TRY(fields.Check());
  return offer;
}

Json ToJson(const DataUpdate& update) {
  return {{"ask", ToJson(update.ask)},
          {"asked", update.asked},
          {"plan", ToJson(update.plan)},
          {"offer", update.offer ? ToJson(*update.offer) : Json()}};
}

Result<DataUpdate> DataUpdateFromJson(const Json& json, const std::string& path) {
  DataUpdate update;
  FieldReader fields(json, path);
  fields.Require("ask");
  if (const Json* ask = fields.Object("ask")) {
    RECKON_ASSIGN(update.ask, UpdateAskFromJson(*ask, fields.PathOf("ask")));
  }
  fields.Read("asked", update.asked);
  if (const Json* plan = fields.Object("plan")) {
    RECKON_ASSIGN(update.plan, UpdatePlanFromJson(*plan, fields.PathOf("plan")));
  }
  if (const Json* offer = fields.Object("offer")) {
    RECKON_ASSIGN(update.offer, UpdateOfferFromJson(*offer, fields.PathOf("offer")));
  }
  RECKON_TRY(fields.Check());
  return update;
}

}  // namespace reckon::app
