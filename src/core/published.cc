#include "core/published.h"

#include <array>

namespace reckon::core {
namespace {

constexpr std::array<const char*, 3> kPublishedNames{"candidate", "live", "retired"};

}  // namespace

const char* PublishedStateName(PublishedState state) {
  return kPublishedNames[static_cast<size_t>(state)];
}

PublishedState ParsePublishedState(std::string_view name) {
  for (size_t i = 0; i < kPublishedNames.size(); ++i) {
    if (name == kPublishedNames[i]) return static_cast<PublishedState>(i);
  }
  return PublishedState::kCandidate;
}

}  // namespace reckon::core
