#include "app/report/mean_lines.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "app/report/samples.h"
#include "app/runs/run_samples.h"
#include "base/text.h"

namespace reckon::app {
namespace {

struct Sum {
  double total = 0;
  size_t count = 0;
};

struct LineDraft {
  std::string name;
  std::map<double, Sum> points;
  size_t rows = 0;
};

// "cnn-small, images 3000": words speak for themselves, numbers do not.
std::string LineName(const core::Table& table, const std::vector<std::string>& by, size_t row) {
  std::vector<std::string> parts;
  for (const std::string& name : by) {
    const core::Column& column = table.columns[*table.Find(name)];
    const bool number = column.kind() == core::ColumnKind::kNumber;
    parts.push_back(number ? name + " " + column.Text(row) : column.Text(row));
  }
  return base::Join(parts, ", ");
}

// Whether equal cells of `known` always go with equal cells of `other`, and that is no accident of
// `known` hardly ever having the same value twice.
bool Tells(const core::Column& known, const core::Column& other) {
  std::map<std::string, std::string> told;
  for (size_t row = 0; row < known.size(); ++row) {
    const auto [entry, is_new] = told.try_emplace(known.Text(row), other.Text(row));
    if (!is_new && entry->second != other.Text(row)) return false;
  }
  return 2 * told.size() <= known.size();
}

}  // namespace

MeanLines MeansOver(const core::Table& table, const std::string& x, const std::string& y,
                    const std::vector<std::string>& by) {
  MeanLines result;
  const core::Column* across = NumbersIn(table, x);
  const core::Column* up = NumbersIn(table, y);
  if (across == nullptr || up == nullptr) return result;
  std::vector<std::string> apart;
  for (const std::string& name : by) {
    if (Differs(table, name)) apart.push_back(name);
  }
  std::map<std::vector<double>, LineDraft> drafts;  // by their cells, so that numbers are in order
  for (size_t row = 0; row < table.row_count; ++row) {
    std::vector<double> cells;
    for (const std::string& name : apart) cells.push_back(table.columns[*table.Find(name)][row]);
    const bool missing =
        std::any_of(cells.begin(), cells.end(), [](double cell) { return std::isnan(cell); });
    if (missing || std::isnan((*across)[row]) || std::isnan((*up)[row])) continue;
    LineDraft& draft = drafts[cells];
    draft.name = LineName(table, apart, row);
    Sum& sum = draft.points[(*across)[row]];
    sum.total += (*up)[row];
    ++sum.count;
    ++draft.rows;
  }
  std::vector<LineDraft> lines;
  for (auto& [cells, draft] : drafts) lines.push_back(std::move(draft));
  const bool longer = std::any_of(lines.begin(), lines.end(),
                                  [](const LineDraft& line) { return line.points.size() > 1; });
  if (longer) std::erase_if(lines, [](const LineDraft& line) { return line.points.size() == 1; });
  std::vector<size_t> rows;
  for (const LineDraft& line : lines) rows.push_back(line.rows);
  std::sort(rows.rbegin(), rows.rend());
  const size_t fewest = rows.size() > kMostLines ? rows[kMostLines - 1] : 0;
  for (const LineDraft& line : lines) {
    if (line.rows < fewest || result.lines.size() == kMostLines) {
      ++result.left_out;
      continue;
    }
    plot::Series series{line.name, {}};
    for (const auto& [at, sum] : line.points) {
      series.points.push_back({at, sum.total / static_cast<double>(sum.count)});
    }
    result.lines.push_back(std::move(series));
    result.rows += line.rows;
  }
  return result;
}

void NoteLeftOut(const std::string& title, const MeanLines& means,
                 std::vector<std::string>& notes) {
  if (means.left_out == 0) return;
  notes.push_back(fmt::format("{}: {} with the fewest runs left out", title,
                              base::Count(means.left_out, "line")));
}

std::vector<std::string> Independent(const core::Table& table,
                                     const std::vector<std::string>& columns) {
  std::vector<std::string> kept;
  for (const std::string& name : columns) {
    if (!Differs(table, name)) continue;
    const core::Column& column = table.columns[*table.Find(name)];
    const bool told = std::any_of(kept.begin(), kept.end(), [&](const std::string& known) {
      return Tells(table.columns[*table.Find(known)], column);
    });
    if (!told) kept.push_back(name);
  }
  return kept;
}

std::vector<std::string> IndependentInputs(const core::Table& table,
                                           std::vector<std::string> first) {
  for (const char* name :
       {"workers", "cpus_per_worker", "batch", "images", "epochs", "network", "pool", "strategy"}) {
    first.emplace_back(name);
  }
  const bool product = table.Find("workers") && table.Find("cpus_per_worker");
  for (const std::string& name : table.Names()) {
    if (IsRunInput(name) && !(product && name == "cpus")) first.push_back(name);
  }
  std::vector<std::string> once;
  for (std::string& name : first) {
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(std::move(name));
  }
  return Independent(table, once);
}

}  // namespace reckon::app
