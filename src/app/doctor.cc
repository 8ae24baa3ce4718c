#include "app/doctor.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "app/data.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "store/sqlite/sqlite_store.h"

namespace reckon::app {
namespace {

namespace fs = std::filesystem;

Finding CheckProcessors() {
  const unsigned count = std::max(1U, std::thread::hardware_concurrency());
  Finding finding{"processors", Health::kGood, fmt::format("{} usable", count), ""};
  if (count == 1) {
    finding.health = Health::kLimited;
    finding.advice = "-j above 1 brings nothing; measurements share the core with everything else";
  }
  return finding;
}

Finding CheckMemory() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return {"memory", Health::kLimited, "unknown", ""};
  const uint64_t total = static_cast<uint64_t>(info.totalram) * info.mem_unit;
  const uint64_t spare = static_cast<uint64_t>(info.freeram + info.bufferram) * info.mem_unit;
  Finding finding{"memory", Health::kGood,
                  fmt::format("{} in all, at least {} free", base::FormatBytes(total),
                              base::FormatBytes(spare)),
                  ""};
  if (total < 1'000'000'000) {
    finding.health = Health::kLimited;
    finding.advice = "tables above a few hundred MB may not fit";
  }
  return finding;
}

std::string FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

Finding CheckCgroup() {
  const fs::path root = "/sys/fs/cgroup";
  if (fs::exists(root / "cgroup.controllers")) {
    const std::string quota = FirstLine(root / "cpu.max");
    const bool writable = access((root / "cgroup.procs").c_str(), W_OK) == 0;
    return {"cgroups", writable ? Health::kGood : Health::kLimited,
            fmt::format("version 2, controllers: {}{}", FirstLine(root / "cgroup.controllers"),
                        quota.empty() ? "" : ", own CPU quota " + quota),
            writable ? "" : "no permission to set CPU quotas for jobs; needs root or delegation"};
  }
  if (fs::exists(root / "cpu/cpu.cfs_quota_us")) {
    const bool writable = access((root / "cpu/cpu.cfs_quota_us").c_str(), W_OK) == 0 ||
                          access((root / "cpu/cgroup.procs").c_str(), W_OK) == 0;
    return {"cgroups", writable ? Health::kGood : Health::kLimited, "version 1",
            writable ? "" : "no permission to set CPU quotas for jobs; needs root"};
  }
  return {"cgroups", Health::kLimited, "none found",
          "jobs cannot be held to a CPU quota on this machine"};
}

Finding CheckGpu() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    return {"GPU", Health::kLimited, "no NVIDIA driver found",
            "GPU use cannot be measured here; forecasts from tables work all the same"};
  }
  dlclose(library);
  return {"GPU", Health::kGood, "NVIDIA management library present", ""};
}

Finding CheckDisk(const fs::path& folder) {
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0) {
    return {"disk", Health::kBroken, fmt::format("folder '{}' is not there", folder.string()),
            "make it, or choose another store with --db"};
  }
  const uint64_t free_bytes = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  Finding finding{"disk", Health::kGood,
                  fmt::format("{} free in '{}'", base::FormatBytes(free_bytes), folder.string()),
                  ""};
  if (free_bytes < 100'000'000) {
    finding.health = Health::kLimited;
    finding.advice = "little space is left for the store and for results";
  }
  return finding;
}

Finding CheckStoreFolder(const fs::path& folder, const Context& context) {
  // A real store in a scratch folder beside the real one: shows that SQLite's locks and shared
  // memory work on this file system, which network file systems often break.
  std::string scratch = (folder / ".reckon-doctor-XXXXXX").string();
  if (mkdtemp(scratch.data()) == nullptr) {
    return {"store folder", Health::kBroken, fmt::format("cannot write in '{}'", folder.string()),
            "choose another place with --db"};
  }
  auto opened = store::SqliteStore::Open(fs::path(scratch) / "try.db", context.clock);
  Finding finding{"store folder", Health::kGood,
                  fmt::format("stores work in '{}'", folder.string()), ""};
  if (!opened.ok()) {
    finding = {"store folder", Health::kBroken, opened.error().Describe(),
               "choose a folder on a local disk with --db"};
  } else {
    opened->reset();
  }
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  return finding;
}

Finding CheckStore(const Context& context) {
  const Finding not_yet{"store", Health::kGood,
                        fmt::format("'{}' is not there yet", context.db.name()), ""};
  const store::StoreAddress& address = context.db.address();
  if (!address.IsPostgres() && !fs::exists(address.text())) return not_yet;
  auto store = OpenStore(context, false);
  if (!store.ok() && store.error().code() == base::ErrorCode::kNotFound) {
    return {"store", Health::kLimited, store.error().Describe(),
            "the first command that keeps something makes the store, createdb the database"};
  }
  if (!store.ok()) {
    return {"store", Health::kBroken, store.error().Describe(), "choose another one with --db"};
  }
  const auto sets = (*store)->ListSampleSets();
  const auto models = (*store)->ListModels();
  if (!sets.ok() || !models.ok()) {
    return {"store", Health::kBroken, (sets.ok() ? models.error() : sets.error()).Describe(),
            "restore it from a copy"};
  }
  return {"store", Health::kGood,
          fmt::format("'{}': {} sample sets, {} models", context.db.name(), sets->size(),
                      models->size()),
          ""};
}

// The store's, or where runs keep their files: what is there of it.
fs::path FolderToWatch(const StorePlace& db) {
  if (!db.address().IsPostgres()) {
    const fs::path file = db.address().text();
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
  }
  fs::path folder = db.RunsFolder();
  while (!fs::exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

bool OnPath(const char* program) {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return false;
  for (const std::string_view folder : base::Split(path, ':')) {
    if (access((std::string(folder) + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

struct Tool {
  const char* program;
  const char* purpose;
  const char* package;
};

constexpr std::array kTools{
    Tool{"rsvg-convert", "turn plots into PNG", "librsvg2-bin"},
    Tool{"sqlite3", "look into a store by hand", "sqlite3"},
    Tool{"bwrap", "let an agent run code that was sent to it", "bubblewrap"},
};

}  // namespace

DoctorReport Examine(const Context& context) {
  DoctorReport report;
  const fs::path folder = FolderToWatch(context.db);
  report.findings = {CheckProcessors(), CheckMemory(), CheckCgroup(), CheckGpu()};
  report.findings.push_back(CheckDisk(folder));
  if (report.findings.back().health != Health::kBroken) {
    if (!context.db.address().IsPostgres()) {
      report.findings.push_back(CheckStoreFolder(folder, context));
    }
    report.findings.push_back(CheckStore(context));
  }
  for (const Tool& tool : kTools) {
    const bool there = OnPath(tool.program);
    report.findings.push_back(
        {tool.program, there ? Health::kGood : Health::kLimited, there ? "found" : "not installed",
         there ? ""
               : fmt::format("optional, to {}: apt-get install {}", tool.purpose, tool.package)});
  }
  for (const Finding& finding : report.findings) {
    report.healthy = report.healthy && finding.health != Health::kBroken;
  }
  return report;
}

}  // namespace reckon::app
