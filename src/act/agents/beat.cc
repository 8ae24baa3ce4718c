#include "act/agents/beat.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"

namespace reckon::act {
namespace {

using base::FieldReader;
using base::Json;
using base::Result;

Json KeyJson(const PartKey& key) { return {{"run", key.run}, {"attempt", key.attempt}}; }

void ReadKey(FieldReader& fields, PartKey& key) {
  fields.Require("run");
  fields.Require("attempt");
  fields.Read("run", key.run);
  fields.Read("attempt", key.attempt);
}

Json FactsJson(const PartFacts& facts) {
  Json json = KeyJson(facts.key);
  json["ready"] = facts.ready;
  json["began"] = facts.began;
  json["lives"] = facts.lives;
  if (!facts.trouble.empty()) json["trouble"] = facts.trouble;
  json["files"] = facts.files;
  return json;
}

Result<PartFacts> FactsFromJson(const Json& json, const std::string& path) {
  PartFacts facts;
  FieldReader fields(json, path);
  ReadKey(fields, facts.key);
  fields.Read("ready", facts.ready);
  fields.Read("began", facts.began);
  fields.Read("lives", facts.lives);
  fields.Read("trouble", facts.trouble);
  fields.Read("files", facts.files);
  for (const auto& [name, size] : facts.files) {
    if (!GoesUp(name)) fields.Fail(fields.PathOf("files") + "." + name, "a name of events or logs");
  }
  RECKON_TRY(fields.Check());
  return facts;
}

Json WishJson(const PartWish& wish) {
  Json json = KeyJson(wish.key);
  json["want"] = wish.want;
  if (wish.training) {
    json["training"] = {{"from", wish.training->from}, {"to", wish.training->to}};
  }
  if (wish.spec) json["spec"] = ToJson(*wish.spec);
  if (!wish.contents.empty()) json["contents"] = wish.contents;
  json["have"] = wish.have;
  return json;
}

Result<PartWish> WishFromJson(const Json& json, const std::string& path) {
  PartWish wish;
  FieldReader fields(json, path);
  ReadKey(fields, wish.key);
  fields.Require("want");
  fields.Read("want", wish.want);
  fields.Read("have", wish.have);
  if (const Json* training = fields.Object("training")) {
    FieldReader stretch(*training, fields.PathOf("training"));
    wish.training.emplace();
    stretch.Read("from", wish.training->from);
    stretch.Read("to", wish.training->to);
    RECKON_TRY(stretch.Check());
  }
  if (const Json* spec = fields.Object("spec")) {
    RECKON_ASSIGN(wish.spec, LaunchSpecFromJson(*spec));
  }
  fields.Read("contents", wish.contents);
  for (const auto& [name, text] : wish.contents) {
    if (!base::IsFileName(name)) fields.Fail(fields.PathOf("contents"), "an object of files");
  }
  RECKON_TRY(fields.Check());
  return wish;
}

}  // namespace

std::string PartKey::ToText() const { return fmt::format("{}.{}", run, attempt); }

std::optional<PartKey> PartKey::Parse(const std::string& text) {
  PartKey key;
  const char* end = text.data() + text.size();
  const auto run = std::from_chars(text.data(), end, key.run);
  if (run.ec != std::errc() || run.ptr == end || *run.ptr != '.') return std::nullopt;
  const auto attempt = std::from_chars(run.ptr + 1, end, key.attempt);
  if (attempt.ec != std::errc() || attempt.ptr != end || key.ToText() != text) return std::nullopt;
  return key;
}

bool GoesUp(const std::string& file_name) {
  return base::IsPlainName(file_name) &&
         (file_name == "events.jsonl" || file_name.ends_with(".log"));
}

Json ToJson(const NodeInfo& node) {
  return {{"name", node.name},         {"type", node.type},
          {"cpus", node.cpus},         {"memory_bytes", node.memory_bytes},
          {"gpus", node.gpus},         {"address", node.address},
          {"device", node.device},     {"price_per_hour", node.price_per_hour},
          {"dilation", node.dilation}, {"version", node.version}};
}

Result<NodeInfo> NodeInfoFromJson(const Json& json, const std::string& path) {
  NodeInfo node;
  FieldReader fields(json, path);
  for (const char* key : {"name", "cpus", "memory_bytes", "address"}) fields.Require(key);
  fields.ReadPlainName("name", node.name);
  fields.Read("type", node.type);
  fields.Read("cpus", node.cpus);
  fields.Read("memory_bytes", node.memory_bytes);
  fields.Read("gpus", node.gpus);
  fields.Read("address", node.address);
  fields.Read("device", node.device);
  fields.Read("price_per_hour", node.price_per_hour);
  fields.Read("dilation", node.dilation);
  fields.Read("version", node.version);
  if (!(node.cpus > 0)) fields.Fail(fields.PathOf("cpus"), "a number above 0");
  if (!(node.dilation > 0)) fields.Fail(fields.PathOf("dilation"), "a number above 0");
  RECKON_TRY(fields.Check());
  return node;
}

Json ToJson(const Beat& beat) {
  Json json{{"node", ToJson(beat.node)},
            {"instance", beat.instance},
            {"number", beat.number},
            {"manager", beat.manager},
            {"now", {{"cpu", beat.now.cpu}, {"memory", beat.now.memory}}},
            {"parts", Json::array()}};
  if (beat.now.gpu) json["now"]["gpu"] = *beat.now.gpu;
  for (const PartFacts& facts : beat.parts) json["parts"].push_back(FactsJson(facts));
  return json;
}

Result<Beat> BeatFromJson(const Json& json) {
  Beat beat;
  FieldReader fields(json, "");
  for (const char* key : {"node", "instance", "now"}) fields.Require(key);
  if (const Json* node = fields.Object("node")) {
    RECKON_ASSIGN(beat.node, NodeInfoFromJson(*node, "node"));
  }
  fields.Read("instance", beat.instance);
  fields.Read("number", beat.number);
  fields.Read("manager", beat.manager);
  if (const Json* now = fields.Object("now")) {
    FieldReader state(*now, "now");
    state.Read("cpu", beat.now.cpu);
    state.Read("memory", beat.now.memory);
    state.Read("gpu", beat.now.gpu);
    RECKON_TRY(state.Check());
  }
  if (const Json* parts = fields.List("parts")) {
    for (const Json& part : *parts) {
      RECKON_ASSIGN(PartFacts facts,
                    FactsFromJson(part, fmt::format("parts[{}]", beat.parts.size())));
      beat.parts.push_back(std::move(facts));
    }
  }
  RECKON_TRY(fields.Check());
  return beat;
}

Json ToJson(const BeatAnswer& answer) {
  Json json{{"manager", answer.manager}, {"beat_s", answer.beat_s}, {"parts", Json::array()}};
  for (const PartWish& wish : answer.parts) json["parts"].push_back(WishJson(wish));
  return json;
}

Result<BeatAnswer> BeatAnswerFromJson(const Json& json) {
  BeatAnswer answer;
  FieldReader fields(json, "");
  fields.Require("manager");
  fields.ReadFileName("manager", answer.manager);
  fields.Read("beat_s", answer.beat_s);
  if (const Json* parts = fields.List("parts")) {
    for (const Json& part : *parts) {
      RECKON_ASSIGN(PartWish wish,
                    WishFromJson(part, fmt::format("parts[{}]", answer.parts.size())));
      answer.parts.push_back(std::move(wish));
    }
  }
  RECKON_TRY(fields.Check());
  return answer;
}

}  // namespace reckon::act
