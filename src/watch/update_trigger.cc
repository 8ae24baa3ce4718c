#include "watch/update_trigger.h"

#include <fmt/format.h>

namespace reckon::watch {

std::optional<std::string> WhyToUpdate(const TriggerPolicy& policy, const TriggerFacts& facts) {
  if (facts.images == 0) return std::nullopt;
  if (!facts.wanted.empty()) return facts.wanted;
  if (facts.failed_at && facts.now < *facts.failed_at + policy.retry_s) return std::nullopt;
  if (policy.new_images && facts.new_images >= *policy.new_images) {
    return fmt::format("{} new images", facts.new_images);
  }
  // Another update on the same images would come to the same.
  const bool drifted = facts.new_images > 0 && policy.accuracy_below && facts.accuracy &&
                       facts.judged >= policy.least_judged &&
                       *facts.accuracy < *policy.accuracy_below;
  if (drifted) {
    return fmt::format("accuracy {:.3f} of {} answers, below {:.3f}", *facts.accuracy, facts.judged,
                       *policy.accuracy_below);
  }
  const bool due =
      policy.every_s && (!facts.last_at || facts.now >= *facts.last_at + *policy.every_s);
  if (due) return facts.last_at ? "it is time" : "the first update";
  return std::nullopt;
}

}  // namespace reckon::watch
