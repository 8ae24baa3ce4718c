#include "observe/events/step_batch.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace reckon::observe {
namespace {

template <typename T>
base::Json ListOf(const std::vector<StepRecord>& steps, T StepRecord::*field) {
  base::Json list = base::Json::array();
  for (const StepRecord& step : steps) list.push_back(step.*field);
  return list;
}

}  // namespace

StepBatch::StepBatch(const StepRecord& first, double at) : steps_{first}, at_(at) {}

bool StepBatch::Add(const StepRecord& step, double at) {
  const StepRecord& last = steps_.back();
  if (steps_.size() >= kMost || step.epoch != last.epoch || step.step != last.step + 1) {
    return false;
  }
  steps_.push_back(step);
  at_ = at;
  return true;
}

std::string StepBatch::ToEvent() const {
  return base::DumpJsonLine({{"kind", "steps"},
                             {"at", at_},
                             {"epoch", steps_.front().epoch},
                             {"first", steps_.front().step},
                             {"wait_s", ListOf(steps_, &StepRecord::wait_s)},
                             {"compute_s", ListOf(steps_, &StepRecord::compute_s)},
                             {"push_s", ListOf(steps_, &StepRecord::push_s)},
                             {"update_s", ListOf(steps_, &StepRecord::update_s)},
                             {"pull_s", ListOf(steps_, &StepRecord::pull_s)},
                             {"bytes_sent", ListOf(steps_, &StepRecord::bytes_sent)},
                             {"bytes_received", ListOf(steps_, &StepRecord::bytes_received)}});
}

}  // namespace reckon::observe
