// The keeper of a rank: a process between the supervisor and the rank that starts it, measures it,
// and sees to it that nothing of it remains.
//
// It is a subreaper: whatever the rank starts comes to it when its parents die, also what has made
// a session of its own. The whole tree is killed when the rank ends, when the supervisor says so,
// and when the supervisor is gone. A keeper that is killed itself takes the rank with it; the rest
// of the tree then comes to the supervisor, a subreaper as well.
#pragma once

#include "base/clock.h"

namespace reckon::act {

// The descriptor at which a keeper finds its channel to the supervisor.
inline constexpr int kKeeperDescriptor = 3;
// The word on the command line that makes a program a keeper.
inline constexpr const char* kKeeperOption = "--keep";

// The whole life of a keeper, for main: 0 when nothing of the rank remains. Call it in a process
// without threads and children.
int RunKeeper(int descriptor, const base::Clock& clock);

}  // namespace reckon::act
