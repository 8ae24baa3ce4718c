#include "app/manage/node_book.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"
#include "base/units.h"

namespace reckon::app {
namespace {

using base::FieldReader;
using base::Json;

constexpr watch::Standing kStandings[] = {watch::Standing::kGood, watch::Standing::kProbation,
                                          watch::Standing::kExcluded};

Json StandingJson(const watch::NodeStanding& standing) {
  return {{"standing", watch::StandingName(standing.standing)},
          {"strikes", standing.strikes},
          {"excluded_until", standing.excluded_until},
          {"lost", standing.lost}};
}

base::Result<watch::NodeStanding> StandingFromJson(const Json& json) {
  watch::NodeStanding standing;
  FieldReader fields(json, "standing");
  std::string name;
  int64_t strikes = 0;
  fields.Read("standing", name);
  fields.Read("strikes", strikes);
  fields.Read("excluded_until", standing.excluded_until);
  fields.Read("lost", standing.lost);
  standing.strikes = static_cast<int>(strikes);
  bool known = false;
  for (const watch::Standing one : kStandings) {
    if (name != watch::StandingName(one)) continue;
    standing.standing = one;
    known = true;
  }
  if (!known) fields.Fail("standing.standing", "the standing of a node");
  RECKON_TRY(fields.Check());
  return standing;
}

base::Result<KnownNode> Read(const Json& json) {
  KnownNode node;
  FieldReader fields(json, "");
  fields.Require("info");
  fields.Require("standing");
  if (const Json* info = fields.Object("info")) {
    RECKON_ASSIGN(node.info, act::NodeInfoFromJson(*info, "info"));
  }
  if (const Json* standing = fields.Object("standing")) {
    RECKON_ASSIGN(node.standing, StandingFromJson(*standing));
  }
  RECKON_TRY(fields.Check());
  return node;
}

core::NodeRecord RecordOf(const KnownNode& node) {
  const Json document{{"info", act::ToJson(node.info)}, {"standing", StandingJson(node.standing)}};
  return {node.info.name, base::DumpJsonLine(document)};
}

}  // namespace

core::Event NodeEvent(const std::string& node, const std::string& kind, const std::string& why) {
  Json detail{{"node", node}};
  if (!why.empty()) detail["why"] = why;
  core::Event event;
  event.kind = kind;
  event.detail = base::DumpJsonLine(detail);
  return event;
}

void NodeNews::Add(NodeNews other) {
  // Of a node that changed twice the later document counts; the store takes them in order.
  std::move(other.records.begin(), other.records.end(), std::back_inserter(records));
  std::move(other.events.begin(), other.events.end(), std::back_inserter(events));
}

base::Status NodeBook::Load(const std::vector<core::NodeRecord>& records, double now) {
  for (const core::NodeRecord& record : records) {
    const std::string what = fmt::format("the document of node '{}'", record.name);
    RECKON_ASSIGN(const Json json, base::ParseJson(record.document, what));
    auto node = Read(json);
    if (!node.ok()) return base::Corrupt(what + ": " + node.error().Describe());
    if (!node->standing.lost) node->standing.heard_at = now;
    nodes_[record.name] = *std::move(node);
  }
  return {};
}

NodeNews NodeBook::NewsOf(const KnownNode& node,
                          const std::optional<watch::StandingChange>& change) const {
  if (!change) return {};
  return {{RecordOf(node)}, {NodeEvent(node.info.name, change->kind, change->why)}};
}

namespace {

// Of apps that begin to miss their deadlines, or keep them again.
NodeNews NewsOfApps(KnownNode& node) {
  NodeNews news;
  for (const auto& [name, app] : node.now.apps) {
    const auto deadline = node.info.apps.find(name);
    if (deadline == node.info.apps.end()) continue;
    const bool is_late = app.missed > 0;
    if (is_late == node.late_apps.contains(name)) continue;
    const std::string why = fmt::format(
        "{}: {} of {} answers in ten seconds took longer than {}, 95 % of them at most {}", name,
        app.missed, app.answers, base::FormatDuration(deadline->second),
        base::FormatDuration(app.p95_s));
    news.events.push_back(
        NodeEvent(node.info.name, is_late ? "node.app_late" : "node.app_in_time", why));
    is_late ? (void)node.late_apps.insert(name) : (void)node.late_apps.erase(name);
  }
  return news;
}

}  // namespace

base::Result<NodeNews> NodeBook::Hear(const act::Beat& beat, double now) {
  constexpr double kTakeOverS = 5;  // of silence, after which another agent may speak for a node
  const std::string& name = beat.node.name;
  const auto found = nodes_.find(name);
  NodeNews news;
  if (found == nodes_.end()) {
    KnownNode& node = nodes_[name];
    node.info = beat.node;
    newest_joined_at_ = now;
    news = {{RecordOf(node)}, {NodeEvent(name, "node.joined", "")}};
  } else if (!found->second.instance.empty() && found->second.instance != beat.instance &&
             now - found->second.standing.heard_at < kTakeOverS) {
    return base::Error(
        base::ErrorCode::kUnavailable,
        fmt::format("another agent speaks for node '{}'; give this one another name", name));
  } else if (found->second.instance == beat.instance && beat.number != 0 &&
             beat.number <= found->second.beat_number) {
    return base::Error(base::ErrorCode::kUnavailable,
                       fmt::format("a later beat of node '{}' was here first", name));
  }
  KnownNode& node = nodes_[name];
  if (!(node.info == beat.node)) {
    node.info = beat.node;
    news.Add({{RecordOf(node)}, {NodeEvent(name, "node.changed", "")}});
  }
  node.instance = beat.instance;
  node.beat_number = beat.number;
  node.now = beat.now;
  news.Add(NewsOfApps(node));
  news.Add(NewsOf(node, watch::Hear(node.standing, now)));
  return news;
}

NodeNews NodeBook::Look(double now) {
  NodeNews news;
  for (auto& [name, node] : nodes_) {
    while (const auto change = watch::Look(node.standing, policy_, now)) {
      news.Add(NewsOf(node, change));
    }
  }
  return news;
}

NodeNews NodeBook::Strike(const std::string& name, const std::string& why, double now) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return {};
  const auto change = watch::AddStrike(found->second.standing, policy_, now, why);
  return NewsOf(found->second, change);
}

NodeNews NodeBook::Succeed(const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return {};
  const auto change = watch::Succeed(found->second.standing);
  return NewsOf(found->second, change);
}

NodeNews NodeBook::Forgive(const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return {};
  watch::NodeStanding& standing = found->second.standing;
  if (standing.standing == watch::Standing::kGood && standing.strikes == 0) return {};
  standing.standing = watch::Standing::kGood;
  standing.strikes = 0;
  standing.excluded_until = 0;
  return NewsOf(found->second, watch::StandingChange{"node.forgiven", "an admin says so"});
}

const KnownNode* NodeBook::Find(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : &found->second;
}

bool NodeBook::IsUsable(const KnownNode& node, double now) const {
  return !node.instance.empty() && watch::IsUsable(node.standing, policy_, now);
}

void NodeBook::Excuse(double seconds) {
  for (auto& [name, node] : nodes_) node.standing.heard_at += seconds;
}

core::NodeRecord NodeBook::Record(const std::string& name) const {
  return RecordOf(nodes_.at(name));
}

size_t NodeBook::CountExpected(double now, bool for_sent_code) const {
  size_t count = 0;
  for (const auto& [name, node] : nodes_) {
    const bool fits = !for_sent_code || node.info.runs_sent_code;
    count += fits && watch::IsUsable(node.standing, policy_, now) && !node.old_work ? 1 : 0;
  }
  return count;
}

size_t NodeBook::CountUnheard(double now) const {
  return static_cast<size_t>(std::ranges::count_if(nodes_, [&](const auto& entry) {
    return entry.second.instance.empty() && watch::IsUsable(entry.second.standing, policy_, now);
  }));
}

Json ToJson(const KnownNode& node) {
  Json json = act::ToJson(node.info);
  json["standing"] = watch::StandingName(node.standing.standing);
  json["strikes"] = node.standing.strikes;
  json["lost"] = node.standing.lost;
  if (node.standing.standing == watch::Standing::kExcluded) {
    json["excluded_until"] = node.standing.excluded_until;
  }
  json["heard_at"] = node.standing.heard_at;
  json["now"] = act::ToJson(node.now);
  return json;
}

}  // namespace reckon::app
