#include "act/local/taken_reports.h"

#include <algorithm>

namespace reckon::act {

TakenReports::Sender TakenReports::SenderOf(const observe::Report& report) {
  return {report.role, report.rank, report.sender};
}

bool TakenReports::Has(const observe::Report& report) const {
  if (report.sender.empty()) return false;
  const auto found = last_.find(SenderOf(report));
  return found != last_.end() && report.sequence <= found->second.sequence;
}

void TakenReports::Add(const observe::Report& report) {
  if (report.sender.empty()) return;
  last_[SenderOf(report)] = {report.sequence, ++added_};
  if (last_.size() > kMostSenders) ForgetOldest();
}

void TakenReports::ForgetOldest() {
  last_.erase(std::min_element(last_.begin(), last_.end(), [](const auto& one, const auto& other) {
    return one.second.added < other.second.added;
  }));
}

}  // namespace reckon::act
