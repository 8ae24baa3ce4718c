#include "app/manage/managed_view.h"

#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/local/event_file.h"
#include "act/local/run_folder.h"
#include "app/runs/run_files.h"
#include "base/json.h"

namespace reckon::app {

std::filesystem::path PartFolder(const std::filesystem::path& db, int64_t run_id, int64_t attempt,
                                 const std::string& node) {
  return RunFolderPath(db, run_id) / "parts" / fmt::format("{}.{}", attempt, node);
}

base::Result<RunView> RanksOfManagedRun(const std::filesystem::path& db, int64_t run_id,
                                        const watch::ManagedRun& managed) {
  RunView view;
  for (const watch::Part& part : managed.parts) {
    const act::RunFolder folder(PartFolder(db, run_id, managed.attempt, part.node));
    act::EventReader reader(folder.events());
    RECKON_TRY(reader.Next([&](const base::Json& event) { view.Add(event); }));
  }
  return view;
}

base::Result<RunView> ViewOfManagedRun(store::Store& store, const std::filesystem::path& db,
                                       const core::Run& run, const core::ManagedRun& managed) {
  RECKON_ASSIGN(const base::Json json,
                base::ParseJson(managed.document, "the document of a managed run"));
  RECKON_ASSIGN(const ManagedDocument document, ManagedDocumentFromJson(json));
  RECKON_ASSIGN(RunView view, RanksOfManagedRun(db, run.id, document.run));
  constexpr size_t kPage = 1000;
  int64_t after = 0;
  for (;;) {
    RECKON_ASSIGN(const std::vector<core::Event> page, store.ListEvents(run.id, after, kPage));
    for (const core::Event& event : page) {
      after = event.id;
      if (event.kind != "run.state") continue;
      const base::Json detail = base::Json::parse(event.detail, nullptr, false);
      if (!detail.is_object()) continue;
      const base::Json more = detail.value("detail", base::Json::object());
      const double at = std::chrono::duration<double>(event.at.time_since_epoch()).count();
      view.Add({{"kind", "run.state"},
                {"at", at},
                {"state", detail.value("to", "")},
                {"reason", more.is_object() ? more.value("reason", "") : ""}});
    }
    if (page.size() < kPage) return view;
  }
}

}  // namespace reckon::app
