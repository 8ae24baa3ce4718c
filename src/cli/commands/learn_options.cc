#include "cli/commands/learn_options.h"

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::cli {

void DeclareData(OptionSet& options, app::DataRequest& data) {
  options.Text("--data", &data.file, "table to read: CSV, TSV, or - for standard input");
  options.Text("--samples", &data.samples, "sample set of the store to use instead of --data");
  options.Text("--as", &data.format,
               "format of --data: samples (default), ernest, extrap, adaptdl");
  options.Text("--delimiter", &data.delimiter, "one character or 'tab' (default: by the header)");
  options.Names("--numeric", &data.numeric, "columns that are numbers");
  options.Names("--category", &data.category, "columns that are categories");
}

void DeclareLearning(OptionSet& options, app::LearnRequest& learn) {
  DeclareData(options, learn.data);
  options.Text("--target", &learn.target, "column to forecast");
  options.Names("--ignore", &learn.ignore, "columns that are no inputs");
  options.Text("--missing", &learn.missing,
               "rows with empty cells: fill (default), drop or refuse");
  options.Names("--technique", &learn.techniques,
                fmt::format("only these: {} (default: those that suit the question)",
                            base::Join(app::KnownTechniques(), ", ")));
  options.Text("--preset", &learn.preset,
               fmt::format("try exactly a published list of candidates: {}",
                           base::Join(app::KnownPresets(), ", ")));
  options.Text("--features", &learn.features,
               "only these: raw, inverse, log, interactions, joined by commas; inverse=COL:COL and "
               "log=COL for some columns (default: searched)");
  options.Whole("--degree", &learn.degree, 1, 3,
                "products of up to this many factors, 1..3 (default: searched)");
  options.Text("--select", &learn.select,
               "keep some features: forward, importance or importance=SHARE (default: none)");
  options.Whole("--max-terms", &learn.max_terms, 1, 10000, "features that --select may keep");
  options.Text("--scale", &learn.scale, "fit the target (linear) or its log (default: searched)");
  options.Text("--workers", &learn.workers, "column that counts workers (default: by its name)");
  options.Text("--size", &learn.size, "column that measures the data (default: by its name)");
  options.Text("--nodes", &learn.nodes,
               "column that counts the machines that workers run on (default: by its name)");
  options.Text("--batch", &learn.batch, "column with the batch size (default: by its name)");
  options.Text("--bytes", &learn.bytes,
               "column with what a step exchanges: bytes, parameters (default: by its name)");
  options.Text("--servers", &learn.servers,
               "column that counts parameter servers (default: by its name)");
  options.Text("--work", &learn.work,
               "column with the operations that a sample takes (default: by its name)");
  options.Text("--activations", &learn.activations,
               "column with the numbers that layers give for a sample (default: by its name)");
  options.Text("--threads", &learn.threads,
               "column that counts the threads of one worker (default: by its name)");
  options.Text("--epochs", &learn.epochs,
               "column that counts passes over the data (default: by its name)");
  options.Text("--machine", &learn.machine,
               "category that names the type of machine (default: by its name)");
  options.Names("--extrinsic", &learn.extrinsic,
                "columns that scale the generic law: machines, cores, batch (default: by name)");
  options.Text("--penalty", &learn.penalty,
               "penalty of the generic law: none (default), l1, l2 (searched), or l2=LAMBDA");
  options.Whole("--seed", &learn.seed, 0, UINT64_MAX, "seed of every random choice (default: 1)");
}

}  // namespace reckon::cli
