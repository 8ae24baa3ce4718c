// The nodes that a manager knows: what their agents say, and whether they may be given work.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "act/agents/beat.h"
#include "base/json.h"
#include "base/result.h"
#include "core/run.h"
#include "watch/strikes.h"

namespace reckon::app {

struct KnownNode {
  act::NodeInfo info;
  watch::NodeStanding standing;
  act::NodeNow now;
  std::string instance;  // of the agent that speaks for it; empty: none since the manager started
  uint64_t beat_number = 0;         // of its newest beat
  std::set<std::string> late_apps;  // that miss deadlines
  bool old_work = false;            // something that nobody wants any more still runs there
};

// Documents that have changed, and what there is to tell about it.
struct NodeNews {
  std::vector<core::NodeRecord> records;
  std::vector<core::Event> events;

  bool empty() const { return records.empty() && events.empty(); }
  void Add(NodeNews other);
};

// Times are seconds since 1970. Not thread-safe.
class NodeBook {
 public:
  explicit NodeBook(const watch::StrikePolicy& policy) : policy_(policy) {}

  // What the store has. Nobody is taken for silent before the manager has listened for a while.
  // kCorrupt: a document is none of ours.
  base::Status Load(const std::vector<core::NodeRecord>& records, double now);

  // kUnavailable: another agent speaks for a node of that name, or a newer beat was heard before.
  base::Result<NodeNews> Hear(const act::Beat& beat, double now);
  // Time has passed.
  NodeNews Look(double now);
  NodeNews Strike(const std::string& name, const std::string& why, double now);
  NodeNews Succeed(const std::string& name);
  // Somebody says that its strikes do not count. Of a node that has none: nothing.
  NodeNews Forgive(const std::string& name);
  void Remove(const std::string& name) { nodes_.erase(name); }
  void SetOldWork(const std::string& name, bool old_work) { nodes_[name].old_work = old_work; }
  // The manager itself stood still for so long: nobody's silence counts.
  void Excuse(double seconds);
  // The document of a node, as it is now.
  core::NodeRecord Record(const std::string& name) const;

  const KnownNode* Find(const std::string& name) const;
  const std::map<std::string, KnownNode>& nodes() const { return nodes_; }
  bool IsUsable(const KnownNode& node, double now) const;
  // Usable ones, and those that the manager, new itself, has not heard of yet. `for_sent_code`:
  // only those that run code that was sent.
  size_t CountExpected(double now, bool for_sent_code = false) const;
  // Those that the manager, new itself, has not heard of yet and may still hear of.
  size_t CountUnheard(double now) const;
  double newest_joined_at() const { return newest_joined_at_; }

 private:
  NodeNews NewsOf(const KnownNode& node, const std::optional<watch::StandingChange>& change) const;

  watch::StrikePolicy policy_;
  std::map<std::string, KnownNode> nodes_;
  double newest_joined_at_ = 0;
};

base::Json ToJson(const KnownNode& node);

// An event of no run. `why` may be empty.
core::Event NodeEvent(const std::string& node, const std::string& kind, const std::string& why);

}  // namespace reckon::app
