// Which numbered reports of the ranks were taken, so that none counts twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "observe/events/report.h"

namespace reckon::act {

// Not thread-safe. Keeps the last number of each sender, which is enough since numbers only grow.
class TakenReports {
 public:
  // Senders are processes, so there are few; beyond these, those not heard for longest are
  // forgotten.
  static constexpr size_t kMostSenders = 4096;

  // False also for every report without a number.
  bool Has(const observe::Report& report) const;
  void Add(const observe::Report& report);

 private:
  // With its rank, so that ranks which by mistake share a sender's text lose nothing.
  using Sender = std::tuple<std::string, int64_t, std::string>;
  struct Last {
    uint64_t sequence = 0;
    uint64_t added = 0;  // when, counted in reports
  };
  static Sender SenderOf(const observe::Report& report);
  void ForgetOldest();

  std::map<Sender, Last> last_;
  uint64_t added_ = 0;
};

}  // namespace reckon::act
