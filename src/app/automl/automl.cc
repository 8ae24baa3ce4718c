#include "app/automl/automl.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/automl/campaign_data.h"
#include "app/automl/campaign_files.h"
#include "app/automl/campaign_splits.h"
#include "app/automl/candidate_grid.h"
#include "app/report_json.h"
#include "base/file.h"
#include "base/folder.h"
#include "learn/model_file.h"
#include "tables/writer.h"

namespace reckon::app {
namespace {

using base::Result;
using base::Status;

// Streams of random numbers.
constexpr uint64_t kDraws = 31;
constexpr uint64_t kSplits = 32;

void AddOnce(const std::vector<std::string>& more, std::vector<std::string>& all) {
  for (const std::string& one : more) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
}

class CampaignRunner {
 public:
  CampaignRunner(const AutomlRequest& request, const Context& context, AutomlReport& report)
      : request_(request), context_(context), report_(report) {}

  Status Prepare() {
    RECKON_ASSIGN(text_, base::ReadFile(request_.configuration));
    RECKON_ASSIGN(Configuration configuration, Configuration::Parse(text_, request_.configuration));
    RECKON_ASSIGN(campaign_, ReadCampaign(configuration));
    report_.warnings = campaign_.warnings;
    RECKON_ASSIGN(prepared_,
                  PrepareCampaign(campaign_, request_.configuration, context_, report_.warnings));
    RECKON_ASSIGN(const learn::FeatureOptions features,
                  CampaignFeatures(campaign_, prepared_.data));
    RECKON_ASSIGN(grid_, MakeCandidates(campaign_, features, prepared_.data,
                                        base::Rng(request_.seed).Fork(kDraws)));
    AddOnce(grid_.warnings, report_.warnings);
    prepared_.search.candidates =
        learn::Preset{grid_.groups, campaign_.folds, campaign_.selection_share};
    prepared_.search.seed = request_.seed;
    report_.configuration = request_.configuration;
    report_.data = prepared_.table.source;
    report_.target = prepared_.data.schema.target;
    report_.rows = prepared_.data.rows();
    report_.inputs = prepared_.data.schema.Names();
    report_.candidates = grid_.candidates.size();
    report_.notes = prepared_.notes;
    return MakeMethods();
  }

  Status Run() {
    if (!methods_.empty()) {
      RECKON_ASSIGN(const std::vector<ValidationBlock> blocks,
                    RunSplits(prepared_, methods_, context_, report_.notes));
      for (const ValidationBlock& block : blocks) AddRun(block);
    }
    return FitModels();
  }

  Status Write() {
    RECKON_ASSIGN(base::AtomicFolder folder, base::AtomicFolder::Create(request_.out));
    const auto write = [&](const std::string& name, const std::string& text) -> Status {
      RECKON_TRY(folder.Write(name, text));
      report_.files.push_back(name);
      return {};
    };
    RECKON_TRY(write("configuration_file.ini", text_));
    RECKON_TRY(write("preprocessed.csv", tables::TableText(LearnedTable(), ',')));
    RECKON_TRY(write("results.txt", ResultsText(report_, models_)));
    RECKON_TRY(write("results.csv", ResultsTable(report_)));
    for (size_t m = 0; m < models_.size(); ++m) {
      const AutomlRow& row = report_.models[m];
      const std::string document = learn::ModelToText(models_[m]);
      if (m == 0) RECKON_TRY(write("best.json", document));
      RECKON_TRY(write(row.label + ".json", document));
      RECKON_TRY(write(row.label + ".txt", TechniqueText(row, models_[m])));
      const auto rows = held_out_.find(row.technique);
      if (!(campaign_.plots || request_.plots) || rows == held_out_.end()) continue;
      RECKON_TRY(write(row.label + ".svg", DrawHeldOut(row.label, report_.target, rows->second)));
    }
    // The last, since it lists the others. It does not name its own folder: that may be moved, and
    // the same campaign writes the same bytes wherever it goes.
    report_.files.emplace_back("results.json");
    base::Json results = ToJson(report_);
    results.erase("out");
    RECKON_TRY(folder.Write("results.json", base::DumpJson(results)));
    report_.out = request_.out;
    RECKON_TRY(folder.Commit());
    return {};
  }

 private:
  Status MakeMethods() {
    if (campaign_.validation == Validation::kAll) {
      if (campaign_.runs > 1) {
        report_.warnings.push_back(
            "run_num: with validation = All every run would be the same one");
      }
      if (campaign_.plots || request_.plots) {
        report_.warnings.push_back(
            "generate_plots: pictures show rows held out, and validation = All has none");
      }
      return {};
    }
    for (size_t run = 0; run < campaign_.runs; ++run) {
      if (context_.stop.stop_requested()) {
        return base::Error(base::ErrorCode::kInterrupted, "interrupted");
      }
      std::vector<std::string> warnings;
      const base::Rng rng = base::Rng(request_.seed + run).Fork(kSplits);
      RECKON_ASSIGN(ValidationMethod method, CampaignMethod(campaign_, prepared_, rng, warnings));
      method.describe = [this](const learn::Candidate& candidate) {
        return grid_.NameOf(candidate).hyperparameters;
      };
      method.seed = request_.seed + run;
      AddOnce(warnings, report_.warnings);
      methods_.push_back(std::move(method));
    }
    return {};
  }

  void AddRun(const ValidationBlock& block) {
    AutomlRun run{block.method, block.splits, block.training_rows, block.validation_rows, {}};
    for (const TechniqueRow& row : block.techniques) {
      run.techniques.push_back({grid_.LabelOf(row.technique), row.technique, row.description,
                                row.training, row.selection, row.validation,
                                run.techniques.empty()});
    }
    for (const auto& [technique, rows] : block.held_out) {
      held_out_[technique].Add(rows);
    }
    report_.runs.push_back(std::move(run));
  }

  Status FitModels() {
    RECKON_ASSIGN(learn::SearchOutcome outcome, learn::Search(prepared_.data, prepared_.search,
                                                              context_.stop, context_.progress));
    AddOnce(outcome.notes, report_.notes);
    for (learn::Contender& contender : outcome.contenders) {
      const NamedCandidate& named = grid_.NameOf(contender.fitted.candidate);
      AutomlRow row{named.label,        named.candidate.technique, named.hyperparameters,
                    contender.training, contender.selection,       std::nullopt,
                    models_.empty()};
      if (campaign_.validation == Validation::kAll) row.validation = contender.training;
      report_.models.push_back(std::move(row));
      learn::SearchOutcome alone;
      alone.contenders.push_back(std::move(contender));
      learn::Model model = learn::MakeModel(prepared_.data, prepared_.search, std::move(alone));
      model.data_fingerprint = FingerprintOf(prepared_.table);
      models_.push_back(std::move(model));
    }
    for (const NamedCandidate& named : grid_.candidates) {
      const bool fitted =
          std::any_of(report_.models.begin(), report_.models.end(),
                      [&](const AutomlRow& row) { return row.label == named.label; });
      if (fitted) continue;
      AddOnce({fmt::format("{} could not be fitted; too many products of columns, or too few rows",
                           named.label)},
              report_.warnings);
    }
    return {};
  }

  // The rows that were learned from, without the columns that were not.
  core::Table LearnedTable() const {
    core::Table learned;
    learned.row_count = prepared_.table.row_count;
    for (const core::Column& column : prepared_.table.columns) {
      const std::vector<std::string>& ignored = prepared_.dataset_options.ignore;
      if (std::find(ignored.begin(), ignored.end(), column.name()) == ignored.end()) {
        learned.columns.push_back(column);
      }
    }
    return learned;
  }

  const AutomlRequest& request_;
  const Context& context_;
  AutomlReport& report_;
  std::string text_;
  Campaign campaign_;
  Prepared prepared_;
  CandidateGrid grid_;
  std::vector<ValidationMethod> methods_;  // one a run
  std::map<std::string, Gathered> held_out_;
  std::vector<learn::Model> models_;  // as report_.models
};

}  // namespace

Result<AutomlReport> Automl(const AutomlRequest& request, const Context& context) {
  if (request.configuration.empty()) {
    return base::BadInput("no configuration; name it with -c conf.ini");
  }
  if (request.out.empty()) return base::BadInput("no folder for the results; name it with -o DIR");
  RECKON_TRY(base::CheckFreeFolder(request.out, "-o"));
  AutomlReport report;
  CampaignRunner runner(request, context, report);
  RECKON_TRY(runner.Prepare());
  RECKON_TRY(runner.Run());
  RECKON_TRY(runner.Write());
  return report;
}

}  // namespace reckon::app
