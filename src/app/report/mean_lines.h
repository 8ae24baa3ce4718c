// Means of one column over another, a line for each combination of further columns.
#pragma once

#include <string>
#include <vector>

#include "core/table.h"
#include "plot/chart.h"

namespace reckon::app {

struct MeanLines {
  std::vector<plot::Series> lines;  // those with most rows, at most kMostLines; points by x
  size_t rows = 0;                  // that the lines are made from
  size_t left_out = 0;              // lines
};

inline constexpr size_t kMostLines = 8;

// Rows that lack one of the columns x, y and `by` are left out; lines of one point are too when
// there are longer ones. `by` columns with one value are not in the names of lines.
MeanLines MeansOver(const core::Table& table, const std::string& x, const std::string& y,
                    const std::vector<std::string>& by);

// What is to be said about lines that were left out of the chart of that title; nothing if none
// were.
void NoteLeftOut(const std::string& title, const MeanLines& means, std::vector<std::string>& notes);

// Of `columns` those that differ and that no earlier one tells: what lines must be told apart by.
std::vector<std::string> Independent(const core::Table& table,
                                     const std::vector<std::string>& columns);

// The inputs of collected samples that are independent, `first` ones first, then those that most
// campaigns vary. Not the processors of all workers, which others multiply to.
std::vector<std::string> IndependentInputs(const core::Table& table,
                                           std::vector<std::string> first = {});

}  // namespace reckon::app
