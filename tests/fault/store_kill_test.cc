// kill -9 at any moment: a writer process adds sample sets, models and steps of runs and says so
// after each one; the driver kills it, opens the store and looks. Everything that was acknowledged
// must be there, and nothing may be half there.
//
//   store_kill_test [ROUNDS [SEED]]
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/text.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/unit/store/support.h"

namespace reckon::fault {
namespace {

using base::Status;
using core::RunState;
using store::SqliteConnection;
using store::SqliteStore;
using store::testing::Difference;
using store::testing::MakeTable;
using store::testing::TempFolder;

constexpr RunState kSteps[] = {RunState::kQueued,   RunState::kPlanning,   RunState::kStarting,
                               RunState::kRunning,  RunState::kRecovering, RunState::kPlanning,
                               RunState::kStarting, RunState::kRunning,    RunState::kFinished};

// Names say how many rows belong to them, so that any set found can be checked.
std::string SetName(size_t writer, size_t index, size_t rows) {
  return fmt::format("set-{}-{}-{}", writer, index, rows);
}

size_t RowsOf(const std::string& name) {
  return static_cast<size_t>(base::ParseInteger(base::Split(name, '-').back()).value_or(0));
}

std::string Document(const std::string& name) {
  return fmt::format(R"({{"name":"{}","weights":"{}"}})", name, std::string(20'000, 'w'));
}

// One line in one write: it arrives wholly or not at all.
void Acknowledge(const std::string& what) {
  const std::string line = what + "\n";
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) _exit(1);
}

Status WriteOn(SqliteStore& store, size_t writer) {
  base::NoProgress progress;
  for (size_t i = 0;; ++i) {
    const std::string name = SetName(writer, i, i % 4 == 3 ? 15'000 : 10 + i * 37 % 300);
    RECKON_TRY(store.AddSampleSet(name, name, MakeTable(RowsOf(name)), {}, progress));
    Acknowledge("set " + name);
    const std::string model = fmt::format("model-{}-{}", writer, i);
    RECKON_TRY(store.SaveModel({.id = 0,
                                .name = model,
                                .technique = "t",
                                .target = "y",
                                .data_fingerprint = name,
                                .document = Document(model),
                                .created_at = {}}));
    Acknowledge("model " + model);
    RECKON_ASSIGN(const core::Run run, store.AddRun({.id = 0,
                                                     .name = model,
                                                     .job = "{}",
                                                     .plan = {},
                                                     .state = RunState::kQueued,
                                                     .created_at = {},
                                                     .changed_at = {}}));
    Acknowledge(fmt::format("run {} 0", run.id));
    for (size_t step = 1; step < std::size(kSteps); ++step) {
      RECKON_TRY(store.MoveRun(run.id, kSteps[step - 1], kSteps[step], ""));
      Acknowledge(fmt::format("run {} {}", run.id, step));
    }
  }
}

int RunWriter(const char* path, const char* number) {
  const base::SystemClock clock;
  const auto store = SqliteStore::Open(path, clock);
  const Status done = store.ok() ? WriteOn(**store, std::stoul(number)) : Status(store.error());
  fmt::print(stderr, "writer: {}\n", done.error().Describe());
  return 1;
}

// What one store was acknowledged to hold, over all writers that wrote to it.
struct Acknowledged {
  std::vector<std::string> sets;
  std::vector<std::string> models;
  std::map<int64_t, size_t> steps;  // by run
  size_t count = 0;

  void Take(const std::string& line) {
    const auto words = base::Split(line, ' ');
    const std::string name(words.at(1));
    if (words[0] == "set") sets.push_back(name);
    if (words[0] == "model") models.push_back(name);
    if (words[0] == "run") {
      steps[*base::ParseInteger(name)] = static_cast<size_t>(*base::ParseInteger(words.at(2)));
    }
    ++count;
  }
};

// Reads lines until `limit` of them came or the writer is gone.
void TakeLines(int pipe, std::string& rest, size_t limit, Acknowledged& acknowledged) {
  for (size_t taken = 0; taken < limit;) {
    if (const size_t end = rest.find('\n'); end != std::string::npos) {
      acknowledged.Take(rest.substr(0, end));
      rest.erase(0, end + 1);
      ++taken;
      continue;
    }
    char buffer[4096];
    const ssize_t size = read(pipe, buffer, sizeof buffer);
    if (size <= 0) return;
    rest.append(buffer, static_cast<size_t>(size));
  }
}

base::Error Wrong(std::string message) { return {base::ErrorCode::kFailed, std::move(message)}; }

Status CheckIntegrity(const std::filesystem::path& path) {
  RECKON_ASSIGN(const auto connection, SqliteConnection::Open(path, {}));
  RECKON_ASSIGN(const std::string verdict, connection->QueryText("PRAGMA integrity_check"));
  if (verdict != "ok") return Wrong("integrity_check: " + verdict);
  RECKON_ASSIGN(const auto keys, connection->Prepare("PRAGMA foreign_key_check"));
  RECKON_ASSIGN(const bool dangling, keys->Step());
  if (dangling) return Wrong("a reference dangles");
  return {};
}

Status CheckSets(SqliteStore& store, const Acknowledged& acknowledged) {
  for (const std::string& name : acknowledged.sets) RECKON_TRY(store.LoadSamples(name));
  RECKON_ASSIGN(const auto sets, store.ListSampleSets());
  for (const core::SampleSet& set : sets) {
    RECKON_ASSIGN(const core::Table table, store.LoadSamples(set.name));
    const std::string difference = Difference(table, MakeTable(RowsOf(set.name)));
    if (!difference.empty()) return Wrong(fmt::format("{}: {}", set.name, difference));
  }
  return {};
}

Status CheckModels(SqliteStore& store, const Acknowledged& acknowledged) {
  for (const std::string& name : acknowledged.models) {
    RECKON_ASSIGN(const core::ModelRecord model, store.FindModel(name));
    if (model.document != Document(name)) return Wrong(name + " is not as it was saved");
  }
  return {};
}

// A run is where its last event says, at the acknowledged step or at the one after it.
Status CheckRuns(SqliteStore& store, const Acknowledged& acknowledged) {
  for (const auto& [id, step] : acknowledged.steps) {
    RECKON_TRY(store.FindRun(id));
  }
  RECKON_ASSIGN(const auto runs, store.ListRuns(SIZE_MAX, {}));
  for (const core::Run& run : runs) {
    RECKON_ASSIGN(const auto events, store.ListEvents(run.id, 0, SIZE_MAX));
    const size_t step = events.size();
    const auto known = acknowledged.steps.find(run.id);
    const size_t least = known == acknowledged.steps.end() ? 0 : known->second;
    if (step < least || step > least + 1 || step >= std::size(kSteps)) {
      return Wrong(fmt::format("run {}: {} events, {} were acknowledged", run.id, step, least));
    }
    if (run.state != kSteps[step]) {
      return Wrong(fmt::format("run {} is '{}' after {} events", run.id,
                               core::RunStateName(run.state), step));
    }
  }
  return {};
}

Status CheckStore(const std::filesystem::path& path, const Acknowledged& acknowledged) {
  RECKON_TRY(CheckIntegrity(path));
  const base::SystemClock clock;
  RECKON_ASSIGN(const auto store, SqliteStore::Open(path, clock));
  RECKON_TRY(CheckSets(*store, acknowledged));
  RECKON_TRY(CheckModels(*store, acknowledged));
  return CheckRuns(*store, acknowledged);
}

// Starts a writer and kills it a moment after its `lines`-th acknowledgement.
void WriteAndKill(const std::filesystem::path& path, size_t writer, size_t lines,
                  std::chrono::microseconds moment, Acknowledged& acknowledged) {
  int pipes[2];
  RECKON_CHECK(pipe2(pipes, O_CLOEXEC) == 0);
  const std::string number = std::to_string(writer);
  const pid_t child = fork();
  RECKON_CHECK(child >= 0);
  if (child == 0) {
    dup2(pipes[1], STDOUT_FILENO);
    execl("/proc/self/exe", "store_kill_test", "--writer", path.c_str(), number.c_str(), nullptr);
    _exit(127);
  }
  close(pipes[1]);
  std::string rest;
  TakeLines(pipes[0], rest, lines, acknowledged);
  std::this_thread::sleep_for(moment);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  TakeLines(pipes[0], rest, SIZE_MAX, acknowledged);
  close(pipes[0]);
}

int Drive(size_t rounds, uint64_t seed) {
  constexpr size_t kRoundsPerStore = 5;
  base::Rng rng(seed);
  std::optional<TempFolder> folder;
  Acknowledged acknowledged;
  size_t total = 0;
  size_t failed = 0;
  for (size_t round = 0; round < rounds; ++round) {
    if (round % kRoundsPerStore == 0) {  // so that the making of a store is cut off too
      folder.emplace();
      acknowledged = {};
    }
    const std::filesystem::path path = *folder / "x.db";
    const size_t before = acknowledged.count;
    const size_t lines = round % kRoundsPerStore == 0 ? 0 : rng.Below(60);
    const std::chrono::microseconds moment(rng.Below(30'000));
    WriteAndKill(path, round, lines, moment, acknowledged);
    total += acknowledged.count - before;
    const Status checked = CheckStore(path, acknowledged);
    if (checked.ok()) continue;
    ++failed;
    fmt::print("round {}, {} lines, {} us: {}\n", round, lines, moment.count(),
               checked.error().Describe());
  }
  if (total == 0) ++failed;
  fmt::print("{} acknowledged writes checked\n{} passed, {} failed\n", total, rounds - failed,
             failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace reckon::fault

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "--writer") {
    return reckon::fault::RunWriter(argv[2], argv[3]);
  }
  const size_t rounds = !words.empty() ? std::stoul(words[0]) : 20;
  const uint64_t seed = words.size() > 1 ? std::stoul(words[1]) : 1;
  return reckon::fault::Drive(rounds, seed);
}
