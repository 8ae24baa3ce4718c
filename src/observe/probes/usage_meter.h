// Reads several nodes again and again, and keeps what they said.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "observe/probes/node_probe.h"
#include "observe/probes/usage_series.h"

namespace reckon::observe {

struct MeteredNode {
  std::string name;
  std::unique_ptr<NodeProbe> probe;
};

// From its making to its end, on a thread of its own. A node that cannot be read for a while is
// tried again; the others do not suffer. Thread-safe.
class UsageMeter {
 public:
  // The first readings are taken before it returns. Names differ.
  explicit UsageMeter(std::vector<MeteredNode> nodes,
                      std::chrono::milliseconds period = std::chrono::milliseconds(100));
  ~UsageMeter();
  UsageMeter(const UsageMeter&) = delete;
  UsageMeter& operator=(const UsageMeter&) = delete;

  // Times as NodeClock tells them. kNotFound for a name that is not there; without two
  // readings that have a part of the stretch between them what the probe complained of, or
  // kUnavailable.
  base::Result<UsageSummary> Summary(const std::string& name, double from_s, double to_s) const;

 private:
  struct Entry {
    std::string name;
    std::unique_ptr<NodeProbe> probe;  // of the reading thread alone
    UsageSeries series;
    std::optional<base::Error> trouble;  // of the last reading
  };

  void ReadAll();
  void ReadOnAndOn(const std::stop_token& stop);

  const std::chrono::milliseconds period_;
  mutable std::mutex mutex_;    // guards series and trouble of the entries
  std::vector<Entry> entries_;  // none comes or goes
  std::jthread thread_;
};

}  // namespace reckon::observe
