// What whoever manages a run on many nodes wants of one node's part of it: a file in the part's
// folder, replaced as a whole. So orders outlive both sides, and giving one twice does nothing.
#pragma once

#include <optional>
#include <string>

#include "act/local/node_watch.h"
#include "act/local/run_folder.h"
#include "base/result.h"

namespace reckon::act {

struct PartOrders {
  bool go = false;       // every part has settled: workers and servers may start
  std::string ending;    // why ranks shall end after the epoch that they are in; empty: they go on
  bool release = false;  // all workers of the run are done: servers and background may end
  // While all workers of the run trained; of a part that is released.
  std::optional<Stretch> training = {};
};

base::Status WriteOrders(const RunFolder& folder, const PartOrders& orders);
// None were given: all false. kCorrupt: the file is none of ours.
base::Result<PartOrders> ReadOrders(const RunFolder& folder);

}  // namespace reckon::act
