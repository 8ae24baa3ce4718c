#include "cli/run_text.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units.h"
#include "cli/text_table.h"
#include "core/run.h"

namespace reckon::cli {
namespace {

using base::Json;
using Align = TextTable::Align;

std::optional<double> NumberAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string TextAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

const Json& ListAt(const Json& json, const char* key) {
  static const Json kNone = Json::array();
  const auto found = json.find(key);
  return found != json.end() && found->is_array() ? *found : kNone;
}

std::string EpochTable(const Json& run) {
  const Json& epochs = ListAt(run, "epochs");
  if (epochs.empty()) return "";
  TextTable table;
  for (const char* column : {"epoch", "loss", "accuracy", "train", "validate"}) {
    table.AddColumn(column, Align::kRight);
  }
  const auto number = [](const std::optional<double>& value) {
    return value ? base::FormatNumber(*value) : "";
  };
  for (const Json& epoch : epochs) {
    table.AddRow({fmt::format("{:.0f}", NumberAt(epoch, "epoch").value_or(0)),
                  number(NumberAt(epoch, "loss")), number(NumberAt(epoch, "accuracy")),
                  base::FormatDuration(NumberAt(epoch, "train_epoch_s").value_or(0)),
                  base::FormatDuration(NumberAt(epoch, "validate_epoch_s").value_or(0))});
  }
  return "\n" + table.Render();
}

// Stages outside of epochs: the slowest worker's.
std::string StageTable(const Json& run) {
  const auto stages = run.find("stages_s");
  if (stages == run.end() || stages->empty()) return "";
  TextTable table;
  table.AddColumn("stage", Align::kLeft);
  table.AddColumn("time", Align::kRight);
  for (const auto& [stage, seconds] : stages->items()) {
    table.AddRow({stage, base::FormatDuration(seconds.get<double>())});
  }
  return "\n" + table.Render();
}

std::string RankTable(const Json& run) {
  const Json& ranks = ListAt(run, "ranks");
  if (ranks.empty()) return "";
  TextTable table;
  table.AddColumn("process", Align::kLeft);
  table.AddColumn("host", Align::kLeft);
  table.AddColumn("state", Align::kLeft);
  for (const char* column : {"wall", "cpu", "memory", "sent", "received"}) {
    table.AddColumn(column, Align::kRight);
  }
  for (const Json& rank : ranks) {
    std::vector<std::string> cells{
        fmt::format("{} {:.0f}", TextAt(rank, "role"), NumberAt(rank, "index").value_or(0)),
        TextAt(rank, "host"), TextAt(rank, "state")};
    if (const auto wall_s = NumberAt(rank, "wall_s")) {
      const auto bytes = [&](const char* key) {
        return base::FormatBytes(static_cast<uint64_t>(NumberAt(rank, key).value_or(0)));
      };
      const auto complete = rank.find("bytes_complete");
      const char* least = complete == rank.end() || *complete != Json(false) ? "" : ">= ";
      cells.push_back(base::FormatDuration(*wall_s));
      cells.push_back(base::FormatDuration(NumberAt(rank, "cpu_s").value_or(0)));
      cells.push_back(bytes("peak_memory_bytes"));
      cells.push_back(least + bytes("bytes_sent"));
      cells.push_back(least + bytes("bytes_received"));
    }
    cells.resize(8);
    table.AddRow(cells);
  }
  return "\n" + table.Render();
}

// Of a run that a manager carries out.
std::string PartTable(const Json& run) {
  const auto managed = run.find("managed");
  if (managed == run.end()) return "";
  std::string text;
  const std::string waiting = TextAt(*managed, "waiting");
  if (!waiting.empty()) text += "waits: " + waiting + "\n";
  const Json& parts = ListAt(*managed, "parts");
  if (parts.empty()) return text;
  text += fmt::format("\nattempt {:.0f}, spent {:.4f} $", NumberAt(*managed, "attempt").value_or(0),
                      NumberAt(*managed, "spent").value_or(0));
  if (const auto cost = managed->find("cost_at_end"); cost != managed->end()) {
    text += fmt::format("; likely {:.4f} $ ({:.4f} to {:.4f}) at the end",
                        NumberAt(*cost, "expected").value_or(0),
                        NumberAt(*cost, "lower").value_or(0), NumberAt(*cost, "upper").value_or(0));
  }
  text += "\n";
  TextTable table;
  table.AddColumn("node", Align::kLeft);
  table.AddColumn("workers", Align::kRight);
  table.AddColumn("state", Align::kLeft);
  for (const Json& part : parts) {
    const bool lost = part.value("lost", false);
    const std::string ended = TextAt(part, "ended");
    std::string state = part.value("running", false) ? "running" : TextAt(part, "wanted");
    if (!ended.empty()) state = ended;
    if (lost) state = "lost";
    table.AddRow({TextAt(part, "node"),
                  fmt::format("{:.0f}", NumberAt(part, "workers").value_or(0)), state});
  }
  return text + table.Render();
}

// "forecast of training_loop_s: 4.1 s (3.5 s to 4.8 s); it was 4.3 s: forecast 4.7 % too low".
std::string ForecastLine(const Json& run) {
  const auto forecast = run.find("forecast");
  if (forecast == run.end()) return "";
  const std::string target = TextAt(*forecast, "target");
  const bool seconds = target.ends_with("_s");
  const auto show = [&](const std::optional<double>& value) {
    if (!value) return std::string("?");
    return seconds ? base::FormatDuration(*value) : base::FormatNumber(*value);
  };
  const auto predicted = NumberAt(*forecast, "predicted");
  std::string line =
      fmt::format("forecast of {}: {} ({} to {}){}", target, show(predicted),
                  show(NumberAt(*forecast, "lower")), show(NumberAt(*forecast, "upper")),
                  forecast->value("in_support", true) ? "" : ", beyond what was measured");
  const auto actual = NumberAt(*forecast, "actual");
  if (predicted && actual && *actual != 0) {
    const double off = *predicted / *actual - 1;
    line += fmt::format("; it was {}: forecast {:.1f} % too {}", show(actual), 100 * std::abs(off),
                        off < 0 ? "low" : "high");
  }
  return line + "\n";
}

std::string Likely(const Json& value, int digits) {
  const auto median = NumberAt(value, "median");
  if (!median) return "";
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", *median, digits,
                     NumberAt(value, "lower").value_or(0), digits,
                     NumberAt(value, "upper").value_or(0), digits);
}

// "accuracy 0.912 after 9 of 30 epochs; likely 14 (11 to 19) are worth it; at the end 0.934 (0.92
// to 0.95)".
std::string OutlookLine(const Json& run) {
  const auto outlook = run.find("outlook");
  if (outlook == run.end()) return "";
  std::string line = fmt::format("accuracy {:.3f} after {:.0f} of {:.0f} epochs",
                                 NumberAt(*outlook, "accuracy_now").value_or(0),
                                 NumberAt(*outlook, "epochs_done").value_or(0),
                                 NumberAt(*outlook, "epochs_asked").value_or(0));
  const auto target = NumberAt(*outlook, "target");
  if (const std::string epochs = Likely(outlook->value("epochs_needed", Json()), 0);
      !epochs.empty()) {
    line += target ? fmt::format("; {:.3f} is likely reached after {}", *target, epochs)
                   : fmt::format("; likely {} are worth it", epochs);
  } else if (target) {
    line += fmt::format("; {:.3f} will likely not be reached", *target);
  }
  if (const std::string end = Likely(outlook->value("accuracy_at_end", Json()), 3); !end.empty()) {
    line += fmt::format("; {} after all of them", end);
  }
  return line + "\n";
}

bool IsOver(const Json& run) {
  const auto state = core::ParseRunState(TextAt(run, "state"));
  return state && core::IsFinal(*state);
}

std::string ProgressLine(const Json& run) {
  const auto progress = run.find("progress");
  if (IsOver(run) || progress == run.end()) return "";
  std::vector<std::string> parts;
  const double total = NumberAt(*progress, "total").value_or(0);
  if (total > 0) {
    const double done = NumberAt(*progress, "done").value_or(0);
    parts.push_back(fmt::format("{:.0f} of {:.0f} {} ({:.0f} %)", done, total,
                                TextAt(*progress, "unit"), 100 * done / total));
  }
  if (const auto eta = run.find("eta"); eta != run.end()) {
    const auto show = [&](const char* key) {
      return base::FormatDuration(NumberAt(*eta, key).value_or(0));
    };
    parts.push_back(fmt::format("about {} left ({} to {})", show("remaining_s"), show("lower_s"),
                                show("upper_s")));
  } else if (const auto left = NumberAt(*progress, "remaining_s")) {
    parts.push_back(fmt::format("about {} left", base::FormatDuration(*left)));
  }
  return parts.empty() ? "" : base::Join(parts, ", ") + "\n";
}

}  // namespace

std::string RunHeadline(const Json& run) {
  std::string line = fmt::format("run {:.0f} '{}': {}", NumberAt(run, "run").value_or(0),
                                 TextAt(run, "name"), TextAt(run, "state"));
  const auto ended = NumberAt(run, "ended_after_s");
  if (const auto took = ended ? ended : NumberAt(run, "running_for_s")) {
    line += fmt::format(" {} {}", ended ? "after" : "for", base::FormatDuration(*took));
  }
  if (const std::string reason = TextAt(run, "reason"); !reason.empty()) line += ": " + reason;
  line += "\n";
  if (const std::string note = TextAt(run, "note"); !note.empty()) line += "note: " + note + "\n";
  const auto lost = static_cast<size_t>(NumberAt(run, "lost_workers").value_or(0));
  if (lost > 0 && TextAt(run, "state") == core::RunStateName(core::RunState::kFinished)) {
    line += fmt::format("note: {} lost on the way; models leave this run out\n",
                        base::Count(lost, "worker"));
  }
  if (const double step = NumberAt(run, "begun_at_step").value_or(0); step > 0) {
    line +=
        fmt::format("note: went on from step {:.0f} of a checkpoint; models leave it out\n", step);
  }
  if (const std::string ending = TextAt(run, "ending"); !ending.empty() && !IsOver(run)) {
    line += "it ends after this epoch: " + ending + "\n";
  }
  return line + ProgressLine(run) + (IsOver(run) ? "" : OutlookLine(run));
}

std::string RunText(const Json& run) {
  std::string text =
      RunHeadline(run) + EpochTable(run) + StageTable(run) + RankTable(run) + PartTable(run);
  if (const std::string folder = TextAt(run, "folder"); !folder.empty()) {
    text += fmt::format("\nlogs and events: {}\n", folder);
  }
  return text + ForecastLine(run);
}

}  // namespace reckon::cli
