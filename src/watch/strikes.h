// Which nodes may be given work: a node that is lost or whose processes crash gets a strike, the
// third one excludes it, and after a time it may come back on probation (Deep-Edge, section V).
#pragma once

#include <optional>
#include <string>

namespace reckon::watch {

struct StrikePolicy {
  double grace_s = 10;   // of silence that means nothing: a connection breaks, a program restarts
  double lost_s = 30;    // of silence after which the node counts as gone
  int most_strikes = 3;  // that exclude
  double cool_down_s = 3'600;  // of exclusion
};

enum class Standing {
  kGood,
  kProbation,  // was excluded; the next strike excludes it again, a success forgives all
  kExcluded,
};

const char* StandingName(Standing standing);

// What is known of one node. Times are seconds of one clock that goes on over restarts.
struct NodeStanding {
  Standing standing = Standing::kGood;
  int strikes = 0;
  double excluded_until = 0;
  double heard_at = 0;
  bool lost = false;  // silent for so long that it got a strike for it

  friend bool operator==(const NodeStanding&, const NodeStanding&) = default;
};

// Something that people want to read in the list of events.
struct StandingChange {
  std::string kind;  // "node.lost", "node.back", "node.strike", "node.excluded", "node.probation",
                     // "node.forgiven"
  std::string why;
};

// The node has spoken.
std::optional<StandingChange> Hear(NodeStanding& node, double now);
// Time has passed: silence may have become a loss, an exclusion may be over. At most one change a
// call; call again until there is none.
std::optional<StandingChange> Look(NodeStanding& node, const StrikePolicy& policy, double now);
// It has failed; nothing happens to one that is excluded already.
StandingChange AddStrike(NodeStanding& node, const StrikePolicy& policy, double now,
                         std::string why);
// A run that it took part in has succeeded.
std::optional<StandingChange> Succeed(NodeStanding& node);

// May be given new work: neither excluded nor silent beyond the grace.
bool IsUsable(const NodeStanding& node, const StrikePolicy& policy, double now);

}  // namespace reckon::watch
