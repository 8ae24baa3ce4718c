#include "app/manage/part_events.h"

#include <nlohmann/json.hpp>

#include "act/launch.h"

namespace reckon::app {
namespace {

using base::Json;
using core::RunState;

double At(const Json& event) {
  const auto at = event.find("at");
  return at != event.end() && at->is_number() ? at->get<double>() : 0;
}

std::string Text(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

void FoldState(const Json& event, watch::Part& part) {
  const auto state = core::ParseRunState(Text(event, "state"));
  if (!state) return;
  if (!part.began_at) part.began_at = At(event);
  if (*state == RunState::kRunning) part.running = true;
  if (!core::IsFinal(*state)) return;
  part.end = watch::PartEnd{*state, Text(event, "reason"), At(event)};
}

// Processes that are stopped end with SIGTERM.
bool KilledByOthers(const Json& event) {
  const auto signal = event.find("signal");
  constexpr int kTerminate = 15;
  return signal != event.end() && signal->is_number_integer() && signal->get<int>() != kTerminate;
}

}  // namespace

void Fold(const Json& event, watch::Part& part) {
  const std::string kind = Text(event, "kind");
  if (const double at = At(event); at > part.last_event_at.value_or(0)) part.last_event_at = at;
  if (kind == "part.state") return FoldState(event, part);
  if (kind == "background.settled") {
    part.settled = true;
    return;
  }
  const bool worker = Text(event, "role") == act::kWorkerRole;
  if (worker && (kind == "steps" || kind == "progress")) part.trained = true;
  if (kind != "rank.ended") return;
  const auto code = event.find("exit_code");
  const bool well = code != event.end() && code->is_number_integer() && code->get<int>() == 0;
  if (!well && part.bad_ends++ == 0) part.killed_by_others = KilledByOthers(event);
  if (worker) ++part.workers_ended;
  if (worker && well) ++part.workers_ended_well;
}

void ForgetEvents(watch::Part& part) {
  part.began_at.reset();
  part.last_event_at.reset();
  part.settled = part.running = part.trained = part.killed_by_others = false;
  part.workers_ended = part.workers_ended_well = part.bad_ends = 0;
  part.end.reset();
}

}  // namespace reckon::app
