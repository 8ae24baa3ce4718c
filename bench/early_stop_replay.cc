// What would have ended recorded trainings early, and when. A line of standard input a training:
// the epochs that were asked for, then its accuracies after each epoch. A line of JSON each: after
// how many epochs it would have ended and why, and how many it was said to need after 30 % of them.
// For bench/early_stop.py.
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "watch/convergence.h"

namespace {

using reckon::base::Json;
using reckon::watch::EpochAccuracy;

Json Replay(double asked, const std::vector<EpochAccuracy>& all) {
  reckon::watch::StopWish wish;
  wish.epochs = asked;
  Json answer{{"had", all.size()}, {"why", ""}, {"told", Json()}};
  const auto third = static_cast<size_t>(std::ceil(0.3 * asked));
  std::vector<EpochAccuracy> seen;
  for (const EpochAccuracy& one : all) {
    seen.push_back(one);
    const auto report = reckon::watch::AdviseStop(seen, wish);
    if (seen.size() == third && report.epochs) {
      answer["told"] = {report.epochs->median, report.epochs->lower, report.epochs->upper};
    }
    if (report.advice == reckon::watch::StopAdvice::kGoOn) continue;
    // It is told while the next epoch is under way, and ends with that.
    answer["had"] = std::min(all.size(), seen.size() + 1);
    answer["why"] = report.why;
    break;
  }
  return answer;
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream numbers(line);
    double asked = 0;
    numbers >> asked;
    std::vector<EpochAccuracy> all;
    for (double accuracy = 0; numbers >> accuracy;) {
      all.push_back({static_cast<double>(all.size() + 1), accuracy});
    }
    std::cout << reckon::base::DumpJsonLine(Replay(asked, all)) << std::endl;
  }
}
