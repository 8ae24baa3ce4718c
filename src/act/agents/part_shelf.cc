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
#include <unistd.h>

#include "act/local/abandoned_run.h"
#include "act/local/part_orders.h"
#include "act/local/supervisor.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/system_error.h"
#include "bundle/bundle.h"

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
Status TakeData(const fs::path& from, bool with_code, base::AtomicFolder& to) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(from, error)) {
    const fs::path name = entry.path().filename();
    // The archive that the code came in is of no use any more.
    if (name == kWholeMark || (with_code && name == kBundleFile)) continue;
    RECKON_TRY(to.Link(entry.path()));
  }
  return {};
}

// Programs of ours are named alone, with this before: where they are, every node knows for itself.
bool IsOurs(const ProcessSpec& process) { return process.argv[0].starts_with('@'); }

// The folder and all in it; there are no links.
Status GiveTo(int64_t user, const fs::path& folder) {
  const auto id = static_cast<uid_t>(user);
  const auto failed = [](const fs::path& path) {
    return base::SystemError(fmt::format("cannot give {} to its user", path.string()));
  };
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (lchown(entry.path().c_str(), id, id) != 0) return failed(entry.path());
  }
  if (error) return Error(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()));
  return lchown(folder.c_str(), id, id) == 0 ? Status() : failed(folder);
}

fs::path ResultFileOf(const RunFolder& folder) {
  std::error_code error;
  const fs::path results = folder.path / kResultsFile;
  return fs::exists(results, error) ? results : folder.path / kResultFile;
}

// Present in parts whose commands have a folder of their own.
constexpr const char* kOwnFolderMark = "own-folder";

// Why there are no results, for people: it goes up as logs do.
fs::path NoResultsLog(const RunFolder& folder) { return folder.path / "results.log"; }

bool HasFirstWorker(const RunFolder& folder) {
  const auto spec = ReadLaunchSpec(folder);
  if (!spec.ok()) return false;
  return std::any_of(spec->processes.begin(), spec->processes.end(), [](const ProcessSpec& one) {
    return one.role == kWorkerRole && one.index == 0;
  });
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
  return ResultFileOf(FolderOf(manager, key));
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
  if (facts.began && !facts.lives) {
    facts.lives = PacksResults(folder);
    if (!facts.lives) facts.result = prints_.Of(ResultFileOf(folder));
  }
  if (!lives.ok()) facts.trouble = lives.error().Describe();
  if (const auto trouble = troubles_.find(name); trouble != troubles_.end()) {
    facts.trouble = trouble->second;
  }
  if (!left.empty()) facts.trouble = left;
  const fs::path data = name + std::string(kDataSuffix);
  // Whoever is killed while a part is made has code to unpack again.
  facts.has_data =
      fs::exists(data / kWholeMark, error) &&
      (!fs::exists(data / kBundleFile, error) || fs::exists(data / kBundleFolder, error));
  if (const auto trouble = data_troubles_.find(data.string()); trouble != data_troubles_.end()) {
    facts.data_trouble = trouble->second;
  }
  return facts;
}

bool PartShelf::PacksResults(const RunFolder& folder) {
  const std::string name = folder.path.string();
  const fs::path results = folder.path / kBundleFolder / kResultsFolder;
  const fs::path file = folder.path / kResultsFile;
  std::error_code error;
  if (!fs::exists(folder.path / kOwnFolderMark, error) || fs::exists(file, error) ||
      fs::exists(NoResultsLog(folder), error) || without_results_.contains(name)) {
    return false;
  }
  // Of a link, the folder of somebody else would be packed.
  if (fs::symlink_status(results, error).type() != fs::file_type::directory ||
      fs::is_empty(results, error)) {
    return false;
  }
  const auto found = packing_.find(name);
  if (found == packing_.end()) {
    if (!HasFirstWorker(folder)) return false;
    packing_.emplace(name, std::async(std::launch::async, [results, file]() -> Status {
                       RECKON_TRY(bundle::Pack(results, file, bundle::Limits(), {}));
                       return {};
                     }));
    return true;
  }
  if (found->second.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return true;
  const Status packed = found->second.get();
  packing_.erase(found);
  if (packed.ok()) return false;
  without_results_.insert(name);
  const std::string why = fmt::format("the results are not sent: {}\n", packed.error().Describe());
  const Status told = base::WriteFile(NoResultsLog(folder), why);
  if (!told.ok()) troubles_[name] = told.error().Describe();
  return false;
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
  RECKON_ASSIGN(base::AtomicFolder made, base::AtomicFolder::Create(folder.path));
  const bool all_ours = std::all_of(spec.processes.begin(), spec.processes.end(), IsOurs);
  const bool all_apart = options_.sandbox == SandboxUse::kAll && !all_ours;
  if (wish.bundle || all_apart) RECKON_TRY(TakeCode(folder, wish, made, spec));
  for (ProcessSpec& process : spec.processes) {
    Place place = options_.place;
    place.host = process.place.host;
    place.address = process.place.address;
    process.place = std::move(place);
    // For scripts that want one of ours.
    process.env["RECKON_PROGRAMS"] = options_.programs.string();
    std::string& program = process.argv[0];
    if (IsOurs(process)) program = (options_.programs / program.substr(1)).string();
  }
  for (const auto& [name, text] : wish.contents) RECKON_TRY(made.Write(name, text));
  RECKON_TRY(made.Write(folder.spec().filename().string(), base::DumpJson(ToJson(spec))));
  const fs::path data = folder.path.string() + std::string(kDataSuffix);
  RECKON_TRY(TakeData(data, wish.bundle.has_value(), made));
  RECKON_TRY(made.Commit());
  fs::remove_all(data, error);
  // The token that ranks report with is in there.
  fs::permissions(folder.path, fs::perms::owner_all, error);
  return {};
}

base::Result<bool> PartShelf::UnpackCode(const std::string& manager, const PartKey& key) {
  const fs::path data = DataFolderOf(manager, key);
  const fs::path code = data / kBundleFolder;
  std::error_code error;
  if (fs::exists(code, error)) return true;
  const auto found = unpacking_.find(data.string());
  if (found == unpacking_.end()) {
    const bool apart = options_.sandbox != SandboxUse::kNone && geteuid() == 0;
    const int64_t user = apart ? SandboxUserOf(key.run) : 0;
    unpacking_.emplace(
        data.string(), std::async(std::launch::async, [data, code, user]() -> Status {
          const fs::path half = code.string() + ".half";
          std::error_code failed;
          fs::remove_all(half, failed);
          fs::create_directory(half, failed);
          if (failed)
            return Error(ErrorCode::kIo, fmt::format("{}: {}", half.string(), failed.message()));
          RECKON_TRY(bundle::Unpack(data / kBundleFile, half, bundle::Limits()));
          if (user != 0) RECKON_TRY(GiveTo(user, half));
          fs::rename(half, code, failed);
          if (failed)
            return Error(ErrorCode::kIo, fmt::format("{}: {}", code.string(), failed.message()));
          return {};
        }));
    return false;
  }
  if (found->second.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  Status unpacked = found->second.get();
  unpacking_.erase(found);
  if (!unpacked.ok()) return std::move(unpacked).error();
  return true;
}

Status PartShelf::TakeCode(const RunFolder& folder, const PartWish& wish, base::AtomicFolder& made,
                           LaunchSpec& spec) const {
  const fs::path data = folder.path.string() + std::string(kDataSuffix);
  std::optional<Sandbox> sandbox;
  if (options_.sandbox != SandboxUse::kNone) {
    const int64_t user = geteuid() == 0 ? SandboxUserOf(spec.run_id) : 0;
    sandbox = Sandbox{(folder.path / kBundleFolder).string(), user, options_.shared};
  }
  if (wish.bundle) {
    RECKON_TRY(made.TakeIn(data / kBundleFolder));
  } else {
    RECKON_ASSIGN(const fs::path empty, made.MakeFolder(kBundleFolder));
    if (sandbox && sandbox->user != 0) RECKON_TRY(GiveTo(sandbox->user, empty));
  }
  RECKON_TRY(made.Write(kOwnFolderMark, ""));
  spec.setup_workdir = (folder.path / kBundleFolder).string();
  spec.setup_sandbox = sandbox;
  for (ProcessSpec& process : spec.processes) {
    if (IsOurs(process)) {
      // It runs as we do: what the job says of its environment is not for it.
      std::erase_if(process.env, [](const auto& one) { return !one.first.starts_with("RECKON_"); });
      continue;
    }
    process.workdir = spec.setup_workdir;
    process.sandbox = sandbox;
  }
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
  return base::ReadPiece(FolderOf(manager, key).path / file, offset, most);
}

}  // namespace reckon::act
