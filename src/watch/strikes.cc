#include "watch/strikes.h"

#include <utility>

#include <fmt/format.h>

namespace reckon::watch {

const char* StandingName(Standing standing) {
  switch (standing) {
    case Standing::kGood:
      return "good";
    case Standing::kProbation:
      return "probation";
    case Standing::kExcluded:
      break;
  }
  return "excluded";
}

std::optional<StandingChange> Hear(NodeStanding& node, double now) {
  const double silent_s = now - node.heard_at;
  node.heard_at = now;
  if (!std::exchange(node.lost, false)) return std::nullopt;
  return StandingChange{"node.back", fmt::format("heard again after {:.0f} s", silent_s)};
}

StandingChange AddStrike(NodeStanding& node, const StrikePolicy& policy, double now,
                         std::string why) {
  if (node.standing == Standing::kExcluded) return {"node.strike", std::move(why)};
  ++node.strikes;
  const bool again = node.standing == Standing::kProbation;
  if (!again && node.strikes < policy.most_strikes) {
    return {"node.strike", fmt::format("{} ({} of {})", why, node.strikes, policy.most_strikes)};
  }
  node.standing = Standing::kExcluded;
  node.excluded_until = now + policy.cool_down_s;
  return {"node.excluded",
          fmt::format("{}; {} for {:.0f} s", why,
                      again ? "on probation, so it is left out"
                            : fmt::format("left out after {} strikes", node.strikes),
                      policy.cool_down_s)};
}

std::optional<StandingChange> Look(NodeStanding& node, const StrikePolicy& policy, double now) {
  if (!node.lost && now - node.heard_at >= policy.lost_s) {
    node.lost = true;
    StandingChange change =
        AddStrike(node, policy, now, fmt::format("silent for {:.0f} s", now - node.heard_at));
    if (change.kind == "node.strike") change.kind = "node.lost";
    return change;
  }
  if (node.standing == Standing::kExcluded && now >= node.excluded_until) {
    node.standing = Standing::kProbation;
    return StandingChange{"node.probation", "the time of its exclusion is over"};
  }
  return std::nullopt;
}

std::optional<StandingChange> Succeed(NodeStanding& node) {
  // An excluded node may still end well what it had begun; that is no reason to trust it.
  if (node.standing == Standing::kExcluded || node.strikes == 0) return std::nullopt;
  if (node.standing == Standing::kGood) return std::nullopt;
  node.standing = Standing::kGood;
  node.strikes = 0;
  return StandingChange{"node.forgiven", "a run on probation has succeeded"};
}

bool IsUsable(const NodeStanding& node, const StrikePolicy& policy, double now) {
  return node.standing != Standing::kExcluded && !node.lost && now - node.heard_at < policy.grace_s;
}

}  // namespace reckon::watch
