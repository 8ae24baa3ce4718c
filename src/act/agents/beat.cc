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

Json PrintJson(const FilePrint& print) { return {{"print", print.print}, {"bytes", print.bytes}}; }

Result<FilePrint> PrintFromJson(const Json& json, const std::string& path) {
  FilePrint print;
  FieldReader fields(json, path);
  fields.Require("print");
  fields.Require("bytes");
  fields.ReadPlainName("print", print.print);
  fields.Read("bytes", print.bytes);
  RECKON_TRY(fields.Check());
  return print;
}

Json FactsJson(const PartFacts& facts) {
  Json json = KeyJson(facts.key);
  json["ready"] = facts.ready;
  json["began"] = facts.began;
  json["lives"] = facts.lives;
  if (!facts.trouble.empty()) json["trouble"] = facts.trouble;
  if (facts.has_data) json["has_data"] = true;
  if (!facts.data_trouble.empty()) json["data_trouble"] = facts.data_trouble;
  json["files"] = facts.files;
  if (facts.checkpoint) json["checkpoint"] = PrintJson(*facts.checkpoint);
  if (facts.result) json["result"] = PrintJson(*facts.result);
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
  fields.Read("has_data", facts.has_data);
  fields.Read("data_trouble", facts.data_trouble);
  fields.Read("files", facts.files);
  if (const Json* print = fields.Object("checkpoint")) {
    RECKON_ASSIGN(facts.checkpoint, PrintFromJson(*print, fields.PathOf("checkpoint")));
  }
  if (const Json* print = fields.Object("result")) {
    RECKON_ASSIGN(facts.result, PrintFromJson(*print, fields.PathOf("result")));
  }
  for (const auto& [name, size] : facts.files) {
    if (!GoesUp(name)) fields.Fail(fields.PathOf("files") + "." + name, "a name of events or logs");
  }
  RECKON_TRY(fields.Check());
  return facts;
}

Json WishJson(const PartWish& wish) {
  Json json = KeyJson(wish.key);
  json["want"] = wish.want;
  if (!wish.ending.empty()) json["ending"] = wish.ending;
  if (wish.training) {
    json["training"] = {{"from", wish.training->from}, {"to", wish.training->to}};
  }
  if (wish.spec) json["spec"] = ToJson(*wish.spec);
  if (!wish.contents.empty()) json["contents"] = wish.contents;
  if (wish.data) json["data"] = ToJson(*wish.data);
  if (wish.checkpoint) json["checkpoint"] = PrintJson(*wish.checkpoint);
  if (wish.bundle) json["bundle"] = PrintJson(*wish.bundle);
  if (!wish.have_checkpoint.empty()) json["have_checkpoint"] = wish.have_checkpoint;
  if (!wish.have_result.empty()) json["have_result"] = wish.have_result;
  json["have"] = wish.have;
  return json;
}

Result<PartWish> WishFromJson(const Json& json, const std::string& path) {
  PartWish wish;
  FieldReader fields(json, path);
  ReadKey(fields, wish.key);
  fields.Require("want");
  fields.Read("want", wish.want);
  fields.Read("ending", wish.ending);
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
  if (const Json* data = fields.Object("data")) {
    RECKON_ASSIGN(wish.data, DataWishFromJson(*data, fields.PathOf("data")));
  }
  if (const Json* print = fields.Object("checkpoint")) {
    RECKON_ASSIGN(wish.checkpoint, PrintFromJson(*print, fields.PathOf("checkpoint")));
  }
  if (const Json* print = fields.Object("bundle")) {
    RECKON_ASSIGN(wish.bundle, PrintFromJson(*print, fields.PathOf("bundle")));
  }
  fields.Read("have_checkpoint", wish.have_checkpoint);
  fields.Read("have_result", wish.have_result);
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

Json ToJson(const DataWish& wish) {
  Json json{{"source", wish.source}, {"secret", wish.secret}, {"files", Json::array()}};
  for (const DataWish::File& file : wish.files) {
    Json one = PrintJson(file.print);
    one["name"] = file.name;
    json["files"].push_back(std::move(one));
  }
  return json;
}

Result<DataWish> DataWishFromJson(const Json& json, const std::string& path) {
  DataWish wish;
  FieldReader fields(json, path);
  for (const char* key : {"source", "secret", "files"}) fields.Require(key);
  fields.Read("source", wish.source);
  fields.Read("secret", wish.secret);
  if (const Json* files = fields.List("files")) {
    for (const Json& entry : *files) {
      DataWish::File file;
      FieldReader one(entry, fmt::format("{}[{}]", fields.PathOf("files"), wish.files.size()));
      for (const char* key : {"name", "print", "bytes"}) one.Require(key);
      one.ReadPlainName("name", file.name);
      one.ReadPlainName("print", file.print.print);
      one.Read("bytes", file.print.bytes);
      RECKON_TRY(one.Check());
      wish.files.push_back(std::move(file));
    }
  }
  RECKON_TRY(fields.Check());
  return wish;
}

Json ToJson(const NodeInfo& node) {
  return {{"name", node.name},         {"type", node.type},
          {"cpus", node.cpus},         {"memory_bytes", node.memory_bytes},
          {"gpus", node.gpus},         {"address", node.address},
          {"device", node.device},     {"price_per_hour", node.price_per_hour},
          {"dilation", node.dilation}, {"version", node.version},
          {"apps", node.apps},         {"runs_sent_code", node.runs_sent_code}};
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
  fields.Read("runs_sent_code", node.runs_sent_code);
  if (const Json* apps = fields.Object("apps")) {
    FieldReader deadlines(*apps, fields.PathOf("apps"));
    for (const auto& [name, deadline] : apps->items()) {
      deadlines.Read(name.c_str(), node.apps[name]);
      if (!(node.apps[name] > 0)) deadlines.Fail(deadlines.PathOf(name.c_str()), "above 0");
    }
    RECKON_TRY(deadlines.Check());
  }
  if (!(node.cpus > 0)) fields.Fail(fields.PathOf("cpus"), "a number above 0");
  if (!(node.dilation > 0)) fields.Fail(fields.PathOf("dilation"), "a number above 0");
  RECKON_TRY(fields.Check());
  return node;
}

Json ToJson(const NodeNow& now) {
  Json json{{"cpu", now.cpu},
            {"memory", now.memory},
            {"gpu", now.gpu ? Json(*now.gpu) : Json()},
            {"apps", Json::object()}};
  for (const auto& [name, app] : now.apps) {
    json["apps"][name] = {{"answers", app.answers},
                          {"mean_s", app.mean_s},
                          {"p95_s", app.p95_s},
                          {"missed", app.missed}};
  }
  return json;
}

Json ToJson(const Beat& beat) {
  Json json{{"node", ToJson(beat.node)}, {"instance", beat.instance}, {"number", beat.number},
            {"manager", beat.manager},   {"now", ToJson(beat.now)},   {"parts", Json::array()}};
  for (const PartFacts& facts : beat.parts) json["parts"].push_back(FactsJson(facts));
  return json;
}

namespace {

Result<std::map<std::string, AppNow>> AppsFromJson(const Json& json, const std::string& path) {
  std::map<std::string, AppNow> apps;
  for (const auto& [name, told] : json.items()) {
    AppNow& app = apps[name];
    FieldReader fields(told, path + "." + name);
    fields.Read("answers", app.answers);
    fields.Read("mean_s", app.mean_s);
    fields.Read("p95_s", app.p95_s);
    fields.Read("missed", app.missed);
    if (!base::IsPlainName(name)) fields.Fail(path, "names of letters, digits and '._+-'");
    RECKON_TRY(fields.Check());
  }
  return apps;
}

}  // namespace

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
    if (const Json* apps = state.Object("apps")) {
      RECKON_ASSIGN(beat.now.apps, AppsFromJson(*apps, "now.apps"));
    }
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
