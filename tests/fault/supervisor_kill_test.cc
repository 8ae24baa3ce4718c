// Kills ranks, keepers and supervisors at random moments; nothing of a run may remain, and a
// supervisor that lives must say what happened.
//
//   supervisor_kill_test [ROUNDS [SEED]]
#include <csignal>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/rng.h"
#include "observe/probes/process_tree.h"
#include "tests/support/run_watch.h"

namespace reckon::fault {
namespace {

using base::Status;
using std::chrono::milliseconds;

enum class Victim { kRank, kKeeper, kSupervisor };
constexpr const char* kVictimNames[] = {"rank", "keeper", "supervisor"};

base::Error Wrong(std::string message) { return {base::ErrorCode::kFailed, std::move(message)}; }

// A keeper is a child of the supervisor, a rank the first child of a keeper. 0: there is none yet.
pid_t Choose(Victim victim, pid_t supervisor, base::Rng& rng) {
  if (victim == Victim::kSupervisor) return supervisor;
  std::vector<pid_t> keepers;
  std::vector<pid_t> ranks;
  std::set<pid_t> seen;
  for (const observe::ProcessEntry& process : observe::Descendants(supervisor)) {
    if (process.parent == supervisor) {
      keepers.push_back(process.pid);
    } else if (seen.insert(process.parent).second &&
               std::find(keepers.begin(), keepers.end(), process.parent) != keepers.end()) {
      ranks.push_back(process.pid);
    }
  }
  const std::vector<pid_t>& among = victim == Victim::kRank ? ranks : keepers;
  return among.empty() ? 0 : among[rng.Below(among.size())];
}

Status CheckAfter(const support::TestRun& run, Victim victim, pid_t killed) {
  if (!run.WaitForEnd()) return Wrong("the supervisor did not end");
  // The one that was asked for goes a moment after its lock.
  const auto limit = victim == Victim::kSupervisor ? milliseconds(10'000) : milliseconds(1'000);
  if (!support::Within(limit, [&] { return run.Remains().empty(); })) {
    std::string names;
    for (const std::string& name : run.Remains()) names += name + ", ";
    return Wrong("there remain " + names);
  }
  if (victim == Victim::kSupervisor) return {};
  if (run.States().find(killed != 0 ? "failed" : "stopped") == std::string::npos) {
    return Wrong("the states are " + run.States());
  }
  const std::string wanted = victim == Victim::kKeeper
                                 ? "was lost: its keeper was killed by signal 9"
                                 : "was killed by signal 9 (SIGKILL)";
  if (killed != 0 && run.Reason().find(wanted) == std::string::npos) {
    return Wrong("the reason is " + run.Reason());
  }
  return {};
}

Status Round(Victim victim, milliseconds moment, base::Rng& rng, bool& hit) {
  support::TestRun run;
  // Inherited by the supervisor and its keepers: they must not remain either.
  setenv("RECKON_TEST_MARK", run.mark().c_str(), 1);
  run.spec.stop_grace_s = 0.3;
  for (const char* role : {"server", "worker", "worker"}) {
    run.Add(role, {RECKON_RANK_PROGRAM, "brood"});
  }
  RECKON_TRY(run.Start());
  RECKON_ASSIGN(const pid_t supervisor, act::SupervisorPid(run.folder));
  std::this_thread::sleep_for(moment);
  const pid_t killed = Choose(victim, supervisor, rng);
  hit = killed != 0;
  if (hit) {
    kill(killed, SIGKILL);
  } else {
    (void)act::RequestStop(run.folder);
  }
  Status checked = CheckAfter(run, victim, killed);
  unsetenv("RECKON_TEST_MARK");
  return checked;
}

int Drive(size_t rounds, uint64_t seed) {
  base::Rng rng(seed);
  size_t failed = 0;
  size_t hits = 0;
  for (size_t round = 0; round < rounds; ++round) {
    const auto victim = static_cast<Victim>(round % 3);
    const milliseconds moment(rng.Below(round % 2 == 0 ? 30 : 400));
    bool hit = false;
    const Status checked = Round(victim, moment, rng, hit);
    hits += hit ? 1 : 0;
    if (checked.ok()) continue;
    ++failed;
    fmt::print("round {}, {} after {} ms: {}\n", round, kVictimNames[round % 3], moment.count(),
               checked.error().Describe());
  }
  fmt::print("{} kills\n{} passed, {} failed (seed {})\n", hits, rounds - failed, failed, seed);
  return failed == 0 && 2 * hits >= rounds ? 0 : 1;
}

}  // namespace
}  // namespace reckon::fault

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const size_t rounds = !words.empty() ? std::stoul(words[0]) : 10;
  const uint64_t seed = words.size() > 1 ? std::stoul(words[1]) : 1;
  return reckon::fault::Drive(rounds, seed);
}
