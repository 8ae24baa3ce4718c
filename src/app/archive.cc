#include "app/archive.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/outputs.h"
#include "app/runs/run_sync.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "tables/writer.h"

namespace reckon::app {
namespace {

constexpr size_t kListedRuns = 50;
constexpr size_t kPage = 1000;

std::string DefaultName(const std::string& file) {
  return file == "-" ? "stdin" : std::filesystem::path(file).stem().string();
}

std::string EventLine(const core::Event& event) {
  base::Json json;
  json["id"] = event.id;
  json["at"] = base::FormatTime(event.at);
  json["kind"] = event.kind;
  json["run"] = event.run_id ? base::Json(*event.run_id) : base::Json();
  json["detail"] = base::Json::parse(event.detail, nullptr, false);
  return base::DumpJsonLine(json) + "\n";
}

std::string RunLine(const core::Run& run) {
  base::Json json;
  json["id"] = run.id;
  json["name"] = run.name;
  json["state"] = core::RunStateName(run.state);
  json["created_at"] = base::FormatTime(run.created_at);
  json["changed_at"] = base::FormatTime(run.changed_at);
  json["job"] = base::Json::parse(run.job, nullptr, false);
  json["plan"] = run.plan.empty() ? base::Json() : base::Json::parse(run.plan, nullptr, false);
  return base::DumpJsonLine(json) + "\n";
}

base::Result<std::string> ExportRuns(store::Store& store) {
  std::string text;
  std::optional<int64_t> before;
  for (;;) {
    RECKON_ASSIGN(const std::vector<core::Run> page, store.ListRuns(kPage, before));
    for (const core::Run& run : page) text += RunLine(run);
    if (page.size() < kPage) return text;
    before = page.back().id;
  }
}

base::Result<std::string> ExportEvents(store::Store& store) {
  std::string text;
  int64_t after = 0;
  for (;;) {
    RECKON_ASSIGN(const std::vector<core::Event> page, store.ListEvents({}, after, kPage));
    for (const core::Event& event : page) text += EventLine(event);
    if (page.size() < kPage) return text;
    after = page.back().id;
  }
}

base::Result<std::string> ExportModel(store::Store& store, std::string name) {
  if (name.empty()) {
    RECKON_ASSIGN(const std::vector<core::ModelRecord> models, store.ListModels());
    std::vector<std::string> names;
    for (const core::ModelRecord& model : models) {
      if (std::find(names.begin(), names.end(), model.name) == names.end()) {
        names.push_back(model.name);
      }
    }
    if (names.size() != 1) {
      return base::BadInput(names.empty() ? "the store holds no models"
                                          : "the store holds several models; name one: " +
                                                base::Join(names, ", "));
    }
    name = names.front();
  }
  RECKON_ASSIGN(const core::ModelRecord record, store.FindModel(name));
  return record.document;
}

}  // namespace

base::Result<ImportReport> Import(const ImportRequest& request, const Context& context) {
  RECKON_ASSIGN(const core::Table table, LoadData(request.data, context));
  const std::string name = request.name.empty() ? DefaultName(request.data.file) : request.name;
  const std::string fingerprint = FingerprintOf(table);
  RECKON_ASSIGN(const auto store, OpenStore(context, true));
  ImportReport report;
  for (const core::Column& column : table.columns) {
    ImportedColumn entry{column.name(), core::ColumnKindName(column.kind()), 0};
    for (size_t row = 0; row < column.size(); ++row) entry.missing += std::isnan(column[row]);
    report.columns.push_back(std::move(entry));
  }
  RECKON_ASSIGN(const auto known, store->FindSampleSetByFingerprint(fingerprint));
  if (known && (request.name.empty() || known->name == request.name)) {
    report.set = *known;
    report.already_there = true;
    return report;
  }
  RECKON_ASSIGN(report.set,
                store->AddSampleSet(name, fingerprint, table, context.stop, context.progress));
  core::Event event;
  event.kind = "samples.imported";
  event.detail = base::DumpJsonLine(
      {{"set", report.set.name}, {"rows", report.set.row_count}, {"source", table.source}});
  RECKON_ASSIGN([[maybe_unused]] const int64_t event_id, store->AddEvent(event));
  return report;
}

base::Result<ListReport> List(const Context& context) {
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  ListReport report;
  RECKON_ASSIGN(report.runs, store->ListRuns(kListedRuns, {}));
  for (core::Run& run : report.runs) {
    if (core::IsFinal(run.state)) continue;
    RECKON_ASSIGN(const SyncedRun synced, SyncRun(*store, context.db, run.id, context.clock));
    run = synced.run;
  }
  RECKON_ASSIGN(report.sample_sets, store->ListSampleSets());
  RECKON_ASSIGN(report.models, store->ListModels());
  return report;
}

base::Result<ExportReport> Export(const ExportRequest& request, const Context& context) {
  RECKON_TRY(CheckOutputs({{"--out", request.out}}, {}, context));
  ExportReport report;
  if (request.what == "samples") {
    DataRequest data;
    data.samples = request.name;
    RECKON_ASSIGN(const core::Table table, LoadData(data, context));
    if (!request.out.empty()) {
      RECKON_TRY(tables::WriteTable(table, request.out));
      report.out = request.out;
    } else {
      report.text = tables::TableText(table, ',');
    }
    return report;
  }
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  if (request.what == "models") {
    RECKON_ASSIGN(report.text, ExportModel(*store, request.name));
  } else if (request.what == "runs") {
    RECKON_ASSIGN(report.text, ExportRuns(*store));
  } else if (request.what == "events") {
    RECKON_ASSIGN(report.text, ExportEvents(*store));
  } else {
    return base::BadInput(
        fmt::format("cannot export '{}'; expected samples, models, runs or events", request.what));
  }
  if (!request.out.empty()) {
    RECKON_TRY(base::WriteFile(request.out, report.text));
    report.out = request.out;
    report.text.clear();
  }
  return report;
}

}  // namespace reckon::app
