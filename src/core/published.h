// A trained model that somebody may ask what images show.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace reckon::core {

enum class PublishedState {
  kCandidate,  // not, or not yet, better than what is live
  kLive,       // answers; one version of a name at most
  kRetired,    // was live
};

const char* PublishedStateName(PublishedState state);
// kCandidate for a name that is none of these.
PublishedState ParsePublishedState(std::string_view name);

struct PublishedModel {
  std::string name;
  int64_t version = 0;  // 1, 2, ... of its name
  int64_t run_id = 0;   // that has trained it
  PublishedState state = PublishedState::kCandidate;
  std::string document;  // JSON object: what is known of it
  base::WallTime created_at = {};
};

}  // namespace reckon::core
