#include "app/report/report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/estimators/estimators.h"
#include "app/outputs.h"
#include "app/report/html_page.h"
#include "app/report/markdown_page.h"
#include "base/file.h"
#include "base/text.h"

namespace reckon::app {
namespace {

base::Status CheckSections(const std::vector<std::string>& asked) {
  const std::vector<std::string>& known = ReportSections();
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return base::BadInput(
        fmt::format("--section: no section '{}'{}", name, base::SuggestFrom(name, known)));
  }
  return {};
}

// None of a campaign that has measured too few hosts for them, or no hosts at all: why is added to
// `absent`.
base::Result<std::vector<EstimatorRow>> EstimatorsOf(const std::string& campaign, uint64_t seed,
                                                     const Context& context,
                                                     std::vector<std::string>& absent) {
  EstimatorsRequest request;
  request.campaign = campaign;
  request.seed = seed;
  request.save = false;
  auto learned = FitEstimators(request, context);
  if (learned.ok()) return std::move(learned->estimators);
  const base::ErrorCode code = learned.error().code();
  if (code == base::ErrorCode::kBadInput || code == base::ErrorCode::kNotFound) {
    absent.push_back("errors of estimators: " + learned.error().Describe());
    return std::vector<EstimatorRow>();
  }
  return std::move(learned).error();
}

}  // namespace

const std::vector<std::string>& ReportSections() {
  static const std::vector<std::string> names{"stages", "scaling", "law", "workers", "nodes"};
  return names;
}

base::Result<ReportData> MakeReport(const ReportRequest& request, const Context& context) {
  if (request.campaign.empty()) {
    return base::BadInput("no campaign; name the one to report on, as 'reckon report ray'");
  }
  RECKON_TRY(CheckSections(request.sections));
  RECKON_TRY(CheckOutputs({{"--out", request.out}}, {}, context));
  RECKON_ASSIGN(const CampaignSamples samples, LoadCampaignSamples(request.campaign, context));
  ReportData report;
  report.summary = MakeSummary(samples);
  const auto wanted = [&](const char* name) {
    return request.sections.empty() || std::find(request.sections.begin(), request.sections.end(),
                                                 name) != request.sections.end();
  };
  if (wanted("stages")) {
    RECKON_ASSIGN(StagesSection stages, MakeStages(samples, request.validation, context));
    if (stages.stages.empty()) {
      report.absent.push_back("stages: " + base::Join(stages.notes, "; "));
    } else {
      report.stages = std::move(stages);
    }
  }
  if (wanted("scaling")) {
    report.scaling = MakeScaling(samples);
    if (!report.scaling) report.absent.emplace_back("scaling: nothing numeric was varied");
  }
  if (wanted("law")) {
    const LawOptions options{request.validation.holdout, request.validation.seed};
    RECKON_ASSIGN(LawSection law, MakeLaw(samples, options, context));
    if (law.groups.empty()) {
      report.absent.push_back("law: " + base::Join(law.notes, "; "));
    } else {
      report.law = std::move(law);
    }
  }
  if (wanted("workers")) {
    report.workers = MakeWorkers(samples);
    if (!report.workers) report.absent.emplace_back("workers: their number was not varied");
  }
  if (wanted("nodes")) {
    RECKON_ASSIGN(std::vector<EstimatorRow> estimators,
                  EstimatorsOf(request.campaign, request.validation.seed, context, report.absent));
    report.nodes = MakeNodes(samples, std::move(estimators));
    if (!report.nodes) report.absent.emplace_back("nodes: no host was observed while training");
  }
  RECKON_ASSIGN(base::AtomicFile file, base::AtomicFile::Create(request.out));
  RECKON_TRY(file.Append(request.out.ends_with(".md") ? ToMarkdown(report) : ToHtml(report)));
  RECKON_TRY(file.Commit());
  report.out = request.out;
  return report;
}

namespace {

std::string TitleOf(const ReportData& report) {
  return fmt::format("Campaign {}", report.summary.campaign);
}

std::string SubtitleOf(const ReportData& report) {
  return fmt::format("{} of {}", report.summary.target, base::Count(report.summary.runs, "run"));
}

std::string Fill(const ReportData& report, Page& page) {
  AddSummary(report.summary, page);
  if (report.stages) AddStages(*report.stages, page);
  if (report.scaling) AddScaling(*report.scaling, page);
  if (report.law) AddLaw(*report.law, page);
  if (report.workers) AddWorkers(*report.workers, page);
  if (report.nodes) AddNodes(*report.nodes, page);
  if (!report.absent.empty()) {
    page.Section("absent", "What the measurements do not show");
    page.List(report.absent);
  }
  return page.Finish();
}

}  // namespace

std::string ToHtml(const ReportData& report) {
  HtmlPage page(TitleOf(report), SubtitleOf(report));
  return Fill(report, page);
}

std::string ToMarkdown(const ReportData& report) {
  MarkdownPage page(TitleOf(report), SubtitleOf(report));
  return Fill(report, page);
}

base::Json ToJson(const ReportData& report) {
  base::Json json{{"summary", ToJson(report.summary)}};
  if (report.stages) json["stages"] = ToJson(*report.stages);
  if (report.scaling) json["scaling"] = ToJson(*report.scaling);
  if (report.law) json["law"] = ToJson(*report.law);
  if (report.workers) json["workers"] = ToJson(*report.workers);
  if (report.nodes) json["nodes"] = ToJson(*report.nodes);
  json["absent"] = report.absent;
  json["out"] = report.out;
  return json;
}

}  // namespace reckon::app
