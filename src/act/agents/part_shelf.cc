#include "act/agents/part_shelf.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/local/abandoned_run.h"
#include "act/local/part_orders.h"
#include "act/local/supervisor.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Status;

// Present from the moment on at which the supervisor may have been started: without it a supervisor
// that died before it wrote anything would be started again and again.
fs::path BeganMark(const RunFolder& folder) { return folder.path / "began"; }

// Size up to the end of the last line. Supervisors and programs append; the last line may not be
// finished.
uint64_t WholeLines(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return 0;
  constexpr std::streamoff kStep = 4096;
  std::streamoff end = file.tellg();
  std::string block;
  while (end > 0) {
    const std::streamoff from = std::max<std::streamoff>(0, end - kStep);
    block.resize(static_cast<size_t>(end - from));
    file.seekg(from);
    if (!file.read(block.data(), static_cast<std::streamsize>(block.size()))) return 0;
    const size_t newline = block.rfind('\n');
    if (newline != std::string::npos) return static_cast<uint64_t>(from) + newline + 1;
    end = from;
  }
  return 0;
}

std::map<std::string, uint64_t> FilesOf(const RunFolder& folder, bool lives) {
  std::map<std::string, uint64_t> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.path, error)) {
    const std::string name = entry.path().filename().string();
    if (!GoesUp(name) || !entry.is_regular_file(error)) continue;
    // What a dead program left unfinished is all there will be of it.
    const bool whole = lives || name == folder.events().filename();
    files[name] = whole ? WholeLines(entry.path()) : entry.file_size(error);
  }
  return files;
}

// A supervisor ends its ranks within their grace and a minute; one that stands still never does.
std::chrono::seconds StopPatience(const RunFolder& folder) {
  const auto spec = ReadLaunchSpec(folder);
  return std::chrono::seconds(static_cast<int64_t>(90 + (spec.ok() ? spec->stop_grace_s : 0)));
}

constexpr std::chrono::seconds kSweepPeriod{10};

// Ends the names of folders with data of parts that are not made yet.
constexpr std::string_view kDataSuffix = ".data";
// Present in such a folder once all of it is there.
constexpr const char* kWholeMark = ".whole";

std::optional<PartKey> KeyOfDataFolder(const std::string& name) {
  if (!name.ends_with(kDataSuffix)) return std::nullopt;
  return PartKey::Parse(name.substr(0, name.size() - kDataSuffix.size()));
}

// Linked, not moved: whoever is killed in between finds all of it where it was.
Status TakeData(const fs::path& from, base::AtomicFolder& to) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(from, error)) {
    if (entry.path().filename() == kWholeMark) continue;
    RECKON_TRY(to.Link(entry.path()));
  }
  return {};
}

// What an agent that was killed had begun to make or to remove.
void RemoveHalves(const fs::path& shelf) {
  std::error_code error;
  for (const auto& manager : fs::directory_iterator(shelf, error)) {
    std::error_code no_folder;
    for (const auto& entry : fs::directory_iterator(manager.path(), no_folder)) {
      const std::string name = entry.path().filename().string();
      std::error_code stays;
      if (name.starts_with('.') || name.ends_with(".forgotten")) {
        fs::remove_all(entry.path(), stays);
      }
    }
  }
}

}  // namespace

base::Result<PartShelf> PartShelf::Open(ShelfOptions options, const base::Clock& clock) {
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (!error) fs::permissions(options.folder, fs::perms::owner_all, error);
  if (error) {
    return Error(ErrorCode::kIo, fmt::format("{}: {}", options.folder.string(), error.message()));
  }
  auto lock = RunLock::Take(RunFolder(options.folder));
  if (!lock.ok()) {
    if (lock.error().code() != ErrorCode::kUnavailable) return std::move(lock).error();
    return Error(ErrorCode::kUnavailable,
                 fmt::format("{} is in use by another agent", options.folder.string()));
  }
  RemoveHalves(options.folder);
  return PartShelf(std::move(options), clock, *std::move(lock));
}

PartShelf::PartShelf(ShelfOptions options, const base::Clock& clock, RunLock lock)
    : options_(std::move(options)), clock_(clock), lock_(std::move(lock)) {}

RunFolder PartShelf::FolderOf(const std::string& manager, const PartKey& key) const {
  return RunFolder(options_.folder / manager / key.ToText());
}

fs::path PartShelf::CheckpointOf(const std::string& manager, const PartKey& key) const {
  return FolderOf(manager, key).path / kCheckpointFile;
}

fs::path PartShelf::ResultOf(const std::string& manager, const PartKey& key) const {
  return FolderOf(manager, key).path / kResultFile;
}

fs::path PartShelf::DataFolderOf(const std::string& manager, const PartKey& key) const {
  return options_.folder / manager / (key.ToText() + std::string(kDataSuffix));
}

void PartShelf::NoteData(const std::string& manager, const PartKey& key, bool whole,
                         const std::string& trouble) {
  const fs::path folder = DataFolderOf(manager, key);
  data_troubles_[folder.string()] = trouble;
  if (!whole) return;
  const Status marked = base::WriteFile(folder / kWholeMark, "");
  if (!marked.ok()) data_troubles_[folder.string()] = marked.error().Describe();
}

std::vector<PartFacts> PartShelf::List(const std::string& manager) {
  std::set<PartKey> keys;
  std::error_code error;
  const fs::path folder = options_.folder / manager;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (const auto key = PartKey::Parse(name)) keys.insert(*key);
    if (const auto key = KeyOfDataFolder(name)) keys.insert(*key);
  }
  // Those that could not even be made.
  for (const auto& [name, trouble] : troubles_) {
    const fs::path path(name);
    const auto key = PartKey::Parse(path.filename().string());
    if (key && path.parent_path() == folder) keys.insert(*key);
  }
  std::vector<PartFacts> parts;
  for (const PartKey& key : keys) parts.push_back(FactsOf(FolderOf(manager, key), key));
  return parts;
}

PartFacts PartShelf::FactsOf(const RunFolder& folder, const PartKey& key) {
  PartFacts facts;
  facts.key = key;
  std::error_code error;
  facts.ready = fs::exists(folder.spec(), error);
  facts.began = fs::exists(BeganMark(folder), error);
  const auto lives = SupervisorLives(folder);
  // Not to be seen is not dead.
  facts.lives = facts.began && (!lives.ok() || *lives);
  const std::string name = folder.path.string();
  std::string left;
  if (facts.began && !facts.lives) left = Sweep(folder);
  // What does not die still has the node.
  facts.lives |= !left.empty();
  facts.files = FilesOf(folder, facts.lives);
  if (facts.began) facts.checkpoint = prints_.Of(folder.path / kCheckpointFile);
  if (facts.began && !facts.lives) facts.result = prints_.Of(folder.path / kResultFile);
  if (!lives.ok()) facts.trouble = lives.error().Describe();
  if (const auto trouble = troubles_.find(name); trouble != troubles_.end()) {
    facts.trouble = trouble->second;
  }
  if (!left.empty()) facts.trouble = left;
  const fs::path data = name + std::string(kDataSuffix);
  facts.has_data = fs::exists(data / kWholeMark, error);
  if (const auto trouble = data_troubles_.find(data.string()); trouble != data_troubles_.end()) {
    facts.data_trouble = trouble->second;
  }
  return facts;
}

std::string PartShelf::Sweep(const RunFolder& folder) {
  const auto now = clock_.Monotonic();
  const auto [found, first] = swept_.try_emplace(folder.path.string());
  if (first || now - found->second.at > kSweepPeriod)
    found->second = {now, EndAbandonedRun(folder)};
  return found->second.left;
}

void PartShelf::Fulfil(const std::string& manager, const PartWish& wish) {
  const RunFolder folder = FolderOf(manager, wish.key);
  const Status done = Try(folder, wish);
  if (done.ok()) {
    troubles_.erase(folder.path.string());
  } else {
    troubles_[folder.path.string()] = done.error().Describe();
  }
}

Status PartShelf::Try(const RunFolder& folder, const PartWish& wish) {
  std::error_code error;
  if (wish.want == "stop") return Stop(folder);
  if (wish.want == "forget") return Forget(folder);
  if (!fs::exists(folder.spec(), error)) {
    if (!wish.spec) return {};  // it was here once: the manager will notice
    RECKON_TRY(Prepare(folder, wish));
  }
  if (wish.want == "ready") return {};
  if (!fs::exists(BeganMark(folder), error)) RECKON_TRY(Start(folder));
  if (wish.want == "start") return {};
  return Order(folder, wish);
}

// Whole or not at all: a folder that is there has everything.
Status PartShelf::Prepare(const RunFolder& folder, const PartWish& wish) const {
  std::error_code error;
  fs::create_directories(folder.path.parent_path(), error);
  LaunchSpec spec = *wish.spec;
  for (ProcessSpec& process : spec.processes) {
    Place place = options_.place;
    place.host = process.place.host;
    place.address = process.place.address;
    process.place = std::move(place);
    // Programs of ours are named alone: where they are, every node knows for itself.
    constexpr char kOwn = '@';
    // For scripts that want one of ours.
    process.env["RECKON_PROGRAMS"] = options_.programs.string();
    std::string& program = process.argv[0];
    if (program[0] == kOwn) program = (options_.programs / program.substr(1)).string();
  }
  RECKON_ASSIGN(base::AtomicFolder made, base::AtomicFolder::Create(folder.path));
  for (const auto& [name, text] : wish.contents) RECKON_TRY(made.Write(name, text));
  RECKON_TRY(made.Write(folder.spec().filename().string(), base::DumpJson(ToJson(spec))));
  const fs::path data = folder.path.string() + std::string(kDataSuffix);
  RECKON_TRY(TakeData(data, made));
  RECKON_TRY(made.Commit());
  fs::remove_all(data, error);
  // The token that ranks report with is in there.
  fs::permissions(folder.path, fs::perms::owner_all, error);
  return {};
}

Status PartShelf::Start(const RunFolder& folder) const {
  RECKON_TRY(base::WriteFile(BeganMark(folder), ""));
  return StartSupervisor(options_.programs / "reckon-supervise", folder);
}

Status PartShelf::Order(const RunFolder& folder, const PartWish& wish) const {
  RECKON_ASSIGN(const PartOrders given, ReadOrders(folder));
  PartOrders orders;
  orders.go = true;
  orders.release = wish.want == "release";
  orders.ending = given.ending.empty() ? wish.ending : given.ending;
  orders.training = wish.training;
  const bool news = !given.go || orders.release || orders.ending != given.ending;
  if (given.release || !news) return {};
  return WriteOrders(folder, orders);
}

Status PartShelf::Stop(const RunFolder& folder) {
  RECKON_ASSIGN(const bool lives, SupervisorLives(folder));
  if (!lives) return {};
  const auto now = clock_.Monotonic();
  const auto asked = asked_to_stop_at_.try_emplace(folder.path.string(), now);
  const bool stands_still = now - asked.first->second > StopPatience(folder);
  const Status requested = stands_still ? KillSupervisor(folder) : RequestStop(folder);
  // It may have ended in between.
  if (!requested.ok() && requested.error().code() == ErrorCode::kNotFound) return {};
  return requested;
}

Status PartShelf::Forget(const RunFolder& folder) {
  RECKON_ASSIGN(const bool lives, SupervisorLives(folder));
  if (lives) return Stop(folder);
  std::error_code error;
  const std::string data = folder.path.string() + std::string(kDataSuffix);
  fs::remove_all(data, error);
  data_troubles_.erase(data);
  if (!fs::exists(folder.path, error)) return {};
  // Without its spec nobody would know them any more.
  if (const std::string left = Sweep(folder); !left.empty()) {
    return Error(ErrorCode::kUnavailable, left);
  }
  // Under another name first: half of a part must not look like one.
  const fs::path away = folder.path.string() + ".forgotten";
  fs::remove_all(away, error);
  fs::rename(folder.path, away, error);
  if (!error) fs::remove_all(away, error);
  const std::string name = folder.path.string();
  troubles_.erase(name);
  asked_to_stop_at_.erase(name);
  swept_.erase(name);
  if (!error) return {};
  return Error(ErrorCode::kIo, fmt::format("cannot remove {}: {}", name, error.message()));
}

void PartShelf::StopAll() {
  std::error_code error;
  for (const auto& manager : fs::directory_iterator(options_.folder, error)) {
    std::error_code no_folder;
    for (const auto& entry : fs::directory_iterator(manager.path(), no_folder)) {
      if (!PartKey::Parse(entry.path().filename().string())) continue;
      const RunFolder folder(entry.path());
      const Status stopped = Stop(folder);
      if (!stopped.ok()) troubles_[folder.path.string()] = stopped.error().Describe();
    }
  }
}

base::Result<std::string> PartShelf::ReadBytes(const std::string& manager, const PartKey& key,
                                               const std::string& file, uint64_t offset,
                                               size_t most) const {
  const fs::path path = FolderOf(manager, key).path / file;
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error(ErrorCode::kNotFound, fmt::format("{} cannot be read", path.string()));
  in.seekg(static_cast<std::streamoff>(offset));
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

}  // namespace reckon::act
