#include "app/manage/managed_view.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/local/event_file.h"
#include "act/local/run_folder.h"
#include "app/runs/run_files.h"
#include "base/json.h"

namespace reckon::app {

std::filesystem::path PartFolder(const StorePlace& db, int64_t run_id, int64_t attempt,
                                 const std::string& node) {
  return RunFolderPath(db, run_id) / "parts" / fmt::format("{}.{}", attempt, node);
}

std::vector<std::filesystem::path> PartFoldersOf(const StorePlace& db, int64_t run_id,
                                                 int64_t attempt) {
  std::vector<std::filesystem::path> folders;
  const std::string mine = fmt::format("{}.", attempt);
  std::error_code none;
  for (const auto& entry :
       std::filesystem::directory_iterator(RunFolderPath(db, run_id) / "parts", none)) {
    if (entry.path().filename().string().starts_with(mine)) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

base::Result<RunView> RanksOfManagedRun(const StorePlace& db, int64_t run_id,
                                        const watch::ManagedRun& managed) {
  RunView view;
  for (const watch::Part& part : managed.parts) {
    const act::RunFolder folder(PartFolder(db, run_id, managed.attempt, part.node));
    act::EventReader reader(folder.events());
    RECKON_TRY(reader.Next([&](const base::Json& event) { view.Add(event); }));
  }
  return view;
}

base::Status ManagedRunReader::ReadStates(store::Store& store) {
  constexpr size_t kPage = 1000;
  for (;;) {
    RECKON_ASSIGN(const std::vector<core::Event> page, store.ListEvents(run_id_, after_, kPage));
    for (const core::Event& event : page) {
      after_ = event.id;
      if (event.kind != "run.state") continue;
      const base::Json detail = base::Json::parse(event.detail, nullptr, false);
      if (!detail.is_object()) continue;
      const base::Json more = detail.value("detail", base::Json::object());
      const double at = std::chrono::duration<double>(event.at.time_since_epoch()).count();
      view_.Add({{"kind", "run.state"},
                 {"at", at},
                 {"state", detail.value("to", "")},
                 {"reason", more.is_object() ? more.value("reason", "") : ""}});
    }
    if (page.size() < kPage) return {};
  }
}

base::Status ManagedRunReader::Next(store::Store& store, const watch::ManagedRun& managed) {
  if (managed.attempt != attempt_) {
    attempt_ = managed.attempt;
    parts_.clear();
    after_ = 0;
    view_ = {};
  }
  for (const watch::Part& part : managed.parts) {
    const act::RunFolder folder(PartFolder(db_, run_id_, attempt_, part.node));
    const auto reader = parts_.try_emplace(part.node, folder.events()).first;
    RECKON_TRY(reader->second.Next([&](const base::Json& event) { view_.Add(event); }));
  }
  return ReadStates(store);
}

base::Result<RunView> ManagedViews::Of(store::Store& store, const watch::ManagedRun& managed) {
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_.try_emplace(managed.run_id, Entry{ManagedRunReader(db_, managed.run_id)})
                     .first->second;
  entry.used = ++looks_;
  RECKON_TRY(entry.reader.Next(store, managed));
  const RunView view = entry.reader.view();
  if (entries_.size() > kMost) {
    entries_.erase(std::min_element(
        entries_.begin(), entries_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  }
  return view;
}

base::Result<RunView> ViewOfManagedRun(store::Store& store, const StorePlace& db,
                                       const core::Run& run, const core::ManagedRun& managed) {
  RECKON_ASSIGN(const base::Json json,
                base::ParseJson(managed.document, "the document of a managed run"));
  RECKON_ASSIGN(const ManagedDocument document, ManagedDocumentFromJson(json));
  ManagedRunReader reader(db, run.id);
  RECKON_TRY(reader.Next(store, document.run));
  return reader.view();
}

}  // namespace reckon::app
