// import, list and export: the store's doors.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report_json.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;

class ImportCommand final : public Command {
 public:
  std::string name() const override { return "import"; }
  std::string summary() const override { return "read measurements into the store"; }
  std::string details() const override {
    return "Example:\n"
           "  reckon import runs.csv --name lab && reckon fit --samples lab --target time_s\n"
           "Importing the same content again changes nothing.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("file", &request_.data.file, "table to read, or - for standard input");
    options.Text("--as", &request_.data.format,
                 "format: samples (CSV, TSV; default), ernest, extrap or adaptdl");
    options.Text("--name", &request_.name, "name of the sample set (default: the file's)");
    options.Text("--delimiter", &request_.data.delimiter, "one character or 'tab'");
    options.Names("--numeric", &request_.data.numeric, "columns that are numbers");
    options.Names("--category", &request_.data.category, "columns that are categories");
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (request_.data.file.empty()) return base::BadInput("no file to import");
    RECKON_ASSIGN(const app::ImportReport report, app::Import(request_, context));
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    if (report.already_there) {
      output.text =
          fmt::format("{} already holds {} of this content as '{}'; nothing to do\n",
                      context.db.name(), base::Count(report.set.row_count, "row"), report.set.name);
      return output;
    }
    output.text = fmt::format("{} kept as '{}' in {}\n", base::Count(report.set.row_count, "row"),
                              report.set.name, context.db.name());
    TextTable table;
    table.AddColumn("column", Align::kLeft);
    table.AddColumn("kind", Align::kLeft);
    table.AddColumn("missing", Align::kRight);
    for (const app::ImportedColumn& column : report.columns) {
      table.AddRow({column.name, column.kind, std::to_string(column.missing)});
    }
    output.text += table.Render();
    return output;
  }

 private:
  app::ImportRequest request_;
};

class ListCommand final : public Command {
 public:
  std::string name() const override { return "list"; }
  std::string summary() const override { return "list the store's samples, models and runs"; }
  void Declare(OptionSet&) override {}

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const app::ListReport report, app::List(context));
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    TextTable sets;
    sets.AddColumn("samples", Align::kLeft);
    sets.AddColumn("rows", Align::kRight);
    sets.AddColumn("imported", Align::kLeft);
    sets.AddColumn("from", Align::kLeft);
    for (const core::SampleSet& set : report.sample_sets) {
      sets.AddRow({set.name, std::to_string(set.row_count),
                   base::FormatTime(set.imported_at).substr(0, 19), set.source});
    }
    TextTable models;
    models.AddColumn("model", Align::kLeft);
    models.AddColumn("id", Align::kRight);
    models.AddColumn("technique", Align::kLeft);
    models.AddColumn("target", Align::kLeft);
    models.AddColumn("made", Align::kLeft);
    for (const core::ModelRecord& model : report.models) {
      models.AddRow({model.name, std::to_string(model.id), model.technique, model.target,
                     base::FormatTime(model.created_at).substr(0, 19)});
    }
    TextTable runs;
    runs.AddColumn("run", Align::kRight);
    runs.AddColumn("name", Align::kLeft);
    runs.AddColumn("state", Align::kLeft);
    runs.AddColumn("since", Align::kLeft);
    for (const core::Run& run : report.runs) {
      runs.AddRow({std::to_string(run.id), run.name, core::RunStateName(run.state),
                   base::FormatTime(run.changed_at).substr(0, 19)});
    }
    output.text = sets.Render() + "\n" + models.Render() + "\n" + runs.Render();
    return output;
  }
};

class ExportCommand final : public Command {
 public:
  std::string name() const override { return "export"; }
  std::string summary() const override { return "write the store's content to a file"; }
  std::string details() const override {
    return "Samples become CSV, a model its model file, runs and events JSON Lines.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("what", &request_.what, "samples, models, runs or events");
    options.Positional("name", &request_.name, "name of the sample set or model");
    options.Text("-o,--out", &request_.out, "file to write (default: standard output)");
  }

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const app::ExportReport report, app::Export(request_, context));
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    output.text = report.out.empty() ? report.text : fmt::format("written to {}\n", report.out);
    output.result_on_stdout = base::IsStandardOutput(report.out);
    return output;
  }

 private:
  app::ExportRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeImportCommand() { return std::make_unique<ImportCommand>(); }
std::unique_ptr<Command> MakeListCommand() { return std::make_unique<ListCommand>(); }
std::unique_ptr<Command> MakeExportCommand() { return std::make_unique<ExportCommand>(); }

}  // namespace reckon::cli
