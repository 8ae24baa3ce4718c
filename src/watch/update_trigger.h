// When a data store should ask for a model update.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace reckon::watch {

struct TriggerPolicy {
  std::optional<double> every_s;      // since the last update has begun
  std::optional<int64_t> new_images;  // so many since the last one
  // When there are new images too: what people say of its answers; below this the model meets
  // something else than it was trained on.
  std::optional<double> accuracy_below;
  int64_t least_judged = 50;  // answers, before that counts
  double retry_s = 60;        // after one that has failed, of those two
};

// Times are seconds of one clock.
struct TriggerFacts {
  double now = 0;
  int64_t images = 0;
  int64_t new_images = 0;           // since the last update that succeeded
  std::optional<double> last_at;    // when the last update has begun
  std::optional<double> failed_at;  // when the last one failed; not: it did not
  std::optional<double> accuracy;   // of answers that were judged, of the model as it is
  int64_t judged = 0;               // answers
  std::string wanted;               // why somebody wants one; empty: nobody does
};

// The reason, in words; nullopt: not now. Without images never; who is asked for one does not wait.
std::optional<std::string> WhyToUpdate(const TriggerPolicy& policy, const TriggerFacts& facts);

}  // namespace reckon::watch
