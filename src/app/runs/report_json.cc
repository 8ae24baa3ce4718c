#include "app/runs/report_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/runs/accuracy_watch.h"
#include "app/runs/eta.h"

namespace reckon::app {
namespace {

using base::Json;

Json RankJson(const RankView& rank) {
  Json json;
  json["role"] = rank.role;
  json["index"] = rank.index;
  json["host"] = rank.host;
  json["pid"] = rank.pid;
  json["state"] = rank.state;
  if (rank.total > 0) {
    json["done"] = rank.done;
    json["total"] = rank.total;
    json["unit"] = rank.unit;
  }
  if (rank.usage) {
    json["wall_s"] = rank.usage->wall_s;
    json["cpu_s"] = rank.usage->cpu_s;
    json["peak_memory_bytes"] = rank.usage->peak_memory_bytes;
    json["bytes_sent"] = rank.usage->bytes_sent;
    json["bytes_received"] = rank.usage->bytes_received;
    json["bytes_complete"] = rank.usage->bytes_complete;
    json["disk_read_bytes"] = rank.usage->disk_read_bytes;
    json["disk_written_bytes"] = rank.usage->disk_written_bytes;
    json["cpu_p95_cores"] = rank.usage->cpu_p95_cores;
    json["memory_mean_bytes"] = rank.usage->memory_mean_bytes;
    json["memory_p95_bytes"] = rank.usage->memory_p95_bytes;
    json["sent_p95_bytes_s"] = rank.usage->sent_p95_bytes_s;
    json["received_p95_bytes_s"] = rank.usage->received_p95_bytes_s;
  }
  if (!rank.stages.empty()) json["stages_s"] = rank.stages;
  if (!rank.metrics.empty()) json["metrics"] = rank.metrics;
  return json;
}

Json EpochJson(const RunView::Epoch& epoch) {
  Json json;
  json["epoch"] = epoch.epoch + 1;
  json["train_epoch_s"] = epoch.train_s;
  json["validate_epoch_s"] = epoch.validate_s;
  json["accuracy"] = epoch.accuracy ? Json(*epoch.accuracy) : Json();
  json["loss"] = epoch.loss ? Json(*epoch.loss) : Json();
  return json;
}

}  // namespace

Json ToJson(const RunReport& report) {
  Json json;
  json["run"] = report.run.id;
  json["name"] = report.run.name;
  json["state"] = core::RunStateName(report.run.state);
  json["reason"] = report.view.reason;
  if (!report.view.ending.empty()) json["ending"] = report.view.ending;
  json["note"] = report.note;
  json["lost_workers"] = report.view.LostWorkers();
  json["begun_at_step"] = report.view.BegunAtStep();
  json["folder"] = report.folder;
  json["created_at"] = base::FormatTime(report.run.created_at);
  const RunView& view = report.view;
  if (view.running_since && view.ended_at) {
    json["ended_after_s"] = std::max(0.0, *view.ended_at - *view.running_since);
  } else if (view.running_since && report.now > 0) {
    json["running_for_s"] = std::max(0.0, report.now - *view.running_since);
  }
  const RunView::Progress progress = report.view.WorkersProgress(report.now);
  if (progress.total > 0) {
    json["progress"]["done"] = progress.done;
    json["progress"]["total"] = progress.total;
    json["progress"]["unit"] = progress.unit;
  }
  if (progress.total > 0 || progress.remaining_s) {
    json["progress"]["remaining_s"] = progress.remaining_s ? Json(*progress.remaining_s) : Json();
  }
  const Json job = Json::parse(report.run.job, nullptr, false);
  if (const auto outlook = OutlookOf(job, view)) json["outlook"] = ToJson(*outlook);
  if (const auto eta = EtaOf(job, view, report.now)) json["eta"] = ToJson(*eta);
  if (report.forecast) json["forecast"] = ToJson(*report.forecast);
  json["epochs"] = Json::array();
  for (const auto& epoch : report.view.Epochs()) json["epochs"].push_back(EpochJson(epoch));
  if (const auto stages = view.SlowestStages(); !stages.empty()) json["stages_s"] = stages;
  json["ranks"] = Json::array();
  for (const RankView& rank : report.view.ranks) json["ranks"].push_back(RankJson(rank));
  return json;
}

}  // namespace reckon::app
