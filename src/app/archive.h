// reckon import, list and export: tables into the store, and out of it again.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"
#include "app/data.h"
#include "core/run.h"
#include "core/sample.h"

namespace reckon::app {

struct ImportRequest {
  DataRequest data;
  std::string name;  // of the set; empty: the file's name without folder and ending
};

struct ImportedColumn {
  std::string name;
  std::string kind;
  size_t missing = 0;
};

struct ImportReport {
  core::SampleSet set;
  std::vector<ImportedColumn> columns;
  bool already_there = false;  // the same content is in the store; nothing was written
};

// All rows or none. Importing the same content again changes nothing and says so.
base::Result<ImportReport> Import(const ImportRequest& request, const Context& context);

struct ListReport {
  std::vector<core::SampleSet> sample_sets;
  std::vector<core::ModelRecord> models;
  std::vector<core::Run> runs;
};

base::Result<ListReport> List(const Context& context);

struct ExportRequest {
  std::string what;  // samples, models, runs or events
  std::string name;  // of the set or the model; empty: the only one
  std::string out;   // empty: the text is in the report
};

struct ExportReport {
  std::string out;
  std::string text;
};

// Samples as CSV, a model as its model file, runs and events as JSON Lines.
base::Result<ExportReport> Export(const ExportRequest& request, const Context& context);

}  // namespace reckon::app
