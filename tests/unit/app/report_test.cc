// Sections of reports, from tables whose right answer is known.
#include "app/report/report.h"

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/report/html_page.h"
#include "app/report/markdown_page.h"
#include "app/report/mean_lines.h"
#include "core/table_builder.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/base/fake_clock.h"
#include "tests/unit/plot/xml_check.h"

namespace reckon::app {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

double ExactTime(double workers, double images) { return 0.01 * images / std::sqrt(workers) + 2; }

class ReportTest : public ::testing::Test {
 protected:
  // Two runs of every point of a grid, by the law 0.01 images workers^-0.5 + 2, in a pool.
  ReportTest() {
    samples_.campaign.name = "grid";
    samples_.target = "training_loop_s";
    samples_.document = {{"design", "grid"},
                         {"points", 27},
                         {"impossible", 2},
                         {"vary", {"num_nodes"}},
                         {"pools", {{{"name", "a"}, {"price_per_hour", 36.0}}}}};
    core::TableBuilder runs;
    double run = 0;
    for (const double workers : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      for (const double images : {100.0, 200.0, 400.0, 800.0, 1600.0}) {
        for (int repeat = 0; repeat < 2; ++repeat) {
          const double time = ExactTime(workers, images);
          const std::string point = std::to_string(workers) + "/" + std::to_string(images);
          samples_.history.by_point[point].push_back(
              {static_cast<int64_t>(++run), Outcome::kMeasured, time, 2 * time, ""});
          runs.AddRow({{"run", run},
                       {"workers", workers},
                       {"cpus_per_worker", 1.0},
                       {"cpus", workers},
                       {"pool", "a"},
                       {"dilation", 2.0},
                       {"images", images},
                       {"wall_s", time + 1},
                       {"training_loop_s", time}});
        }
      }
    }
    samples_.runs = std::move(runs).Finish("runs");
  }

  Context MakeContext() {
    return {clock_, log_, progress_, stop_.get_token(), 2, folder_ / "reckon.db"};
  }

  support::TempFolder folder_;
  base::FakeClock clock_;
  base::Logger log_{base::LogLevel::kOff};
  base::NoProgress progress_;
  std::stop_source stop_;
  CampaignSamples samples_;
};

TEST(ReportNoiseTest, IsTheMeanRelativeDeviationOfRepeats) {
  // 9 and 11 deviate by sqrt(2) from 10, 100 and 100 not at all; one value tells nothing.
  const RepeatNoise noise = NoiseOf({{"a", {9, 11}}, {"b", {100, 100}}, {"c", {7}}});
  EXPECT_NEAR(*noise.percent, 100 * std::sqrt(2.0) / 10 / 2, 1e-9);
  EXPECT_EQ(noise.groups, 2U);
  EXPECT_EQ(noise.values, 4U);
  EXPECT_FALSE(NoiseOf({{"c", {7}}}).percent.has_value());
}

TEST_F(ReportTest, NoiseOfAColumnIsBetweenRunsOfOnePoint) {
  EXPECT_NEAR(*NoiseOf(samples_.history, samples_.runs, "training_loop_s").percent, 0, 1e-9);
  EXPECT_EQ(NoiseOf(samples_.history, samples_.runs, "training_loop_s").groups, 25U);
}

TEST_F(ReportTest, TheSummaryCountsPointsAndRuns) {
  samples_.history.by_point["x"] = {{90, Outcome::kFailed, 0, 5, "no"}};
  samples_.history.by_point["1.000000/100.000000"].push_back({91, Outcome::kNoisy, 9, 1, ""});
  const ReportSummary summary = MakeSummary(samples_);
  EXPECT_EQ(summary.measured, 25U);
  EXPECT_EQ(summary.failed, 1U);
  EXPECT_EQ(summary.impossible, 2U);
  EXPECT_EQ(summary.waiting, 0U);
  EXPECT_EQ(summary.points, 28U) << "more than the file has now";
  EXPECT_EQ(summary.runs, 51U);
  EXPECT_EQ(summary.disturbed, 1U);
  EXPECT_NEAR(*summary.noise.percent, 0, 1e-9);
}

TEST(ReportLinesTest, MeansAreTakenByLineAndValue) {
  core::TableBuilder builder;
  builder.AddRow({{"x", 1.0}, {"y", 2.0}, {"kind", "a"}, {"size", 5.0}});
  builder.AddRow({{"x", 1.0}, {"y", 4.0}, {"kind", "a"}, {"size", 5.0}});
  builder.AddRow({{"x", 2.0}, {"y", 7.0}, {"kind", "a"}, {"size", 5.0}});
  builder.AddRow({{"x", 1.0}, {"kind", "b"}, {"size", 5.0}});
  builder.AddRow({{"x", 2.0}, {"y", 9.0}, {"kind", "b"}, {"size", 5.0}});
  const MeanLines means = MeansOver(std::move(builder).Finish("t"), "x", "y", {"kind", "size"});
  ASSERT_EQ(means.lines.size(), 1U) << "b has one point alone";
  EXPECT_EQ(means.lines[0].name, "a");
  ASSERT_EQ(means.lines[0].points.size(), 2U);
  EXPECT_EQ(means.lines[0].points[0].y, 3);
  EXPECT_EQ(means.lines[0].points[1].y, 7);
  EXPECT_EQ(means.rows, 3U);
}

TEST(ReportLinesTest, ColumnsThatOthersTellAreNotIndependent) {
  core::TableBuilder builder;
  for (int i = 0; i < 8; ++i) {
    builder.AddRow({{"workers", i % 2 + 1.0},
                    {"cpus_per_worker", i / 4 + 1.0},
                    {"cpus", (i % 2 + 1.0) * (i / 4 + 1.0)},
                    {"pool", i / 4 == 0 ? "small" : "large"},
                    {"rate", i * 0.1},
                    {"network", "lenet5"}});
  }
  const core::Table table = std::move(builder).Finish("t");
  EXPECT_THAT(IndependentInputs(table), ElementsAre("workers", "cpus_per_worker", "rate"));
  EXPECT_THAT(IndependentInputs(table, {"pool"}), ElementsAre("pool", "workers", "rate"));
}

TEST_F(ReportTest, StagesAreValidatedByWhatWasVaried) {
  const auto section = MakeStages(samples_, {}, MakeContext()).value();
  ASSERT_EQ(section.stages.size(), 1U);
  EXPECT_EQ(section.stages[0].column, "training_loop_s");
  std::vector<std::string> labels;
  for (const StageMethod& method : section.methods) {
    labels.push_back(method.label);
    ASSERT_EQ(method.cells.size(), 1U);
    EXPECT_LT(*method.cells[0].mape_percent, method.way == "extrapolation" ? 10 : 2)
        << method.label;
  }
  EXPECT_THAT(labels, ElementsAre("hold-out 20 %", "interpolation cpus=2,8",
                                  "extrapolation cpus > 8", "extrapolation images > 800"));
  const auto wrong = MakeStages(samples_, {.extrapolate = {"cpu>3"}}, MakeContext());
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().Describe(), HasSubstr("did you mean 'cpus'"));
}

TEST_F(ReportTest, AnExactLawGivesItsPowersAndItsErrors) {
  const auto section =
      MakeLaw(samples_, {.holdout = 0.2, .seed = 1, .resamples = 5}, MakeContext()).value();
  ASSERT_EQ(section.groups.size(), 1U);
  const LawGroup& group = section.groups[0];
  EXPECT_THAT(group.inputs, ElementsAre("workers", "images"));
  ASSERT_EQ(group.powers.size(), 1U);
  EXPECT_EQ(group.powers[0].column, "workers");
  EXPECT_NEAR(group.powers[0].power, -0.5, 1e-3);
  EXPECT_EQ(group.held_out, 10U);
  EXPECT_EQ(group.errors.front().model, "law");
  EXPECT_LT(*group.errors.front().mape_percent, 0.1);
  EXPECT_THAT(group.errors.back().model, HasSubstr("the best of all"));
  EXPECT_EQ(group.path.size(), 12U) << "six strengths of either penalty";
  EXPECT_GT(*group.path.front().r2, 0.999);
  const auto power =
      std::find_if(group.parameters.begin(), group.parameters.end(),
                   [](const ExplainedInterval& one) { return one.name == "power of images"; });
  ASSERT_NE(power, group.parameters.end());
  EXPECT_NEAR(power->value, 1, 1e-3);
  ASSERT_EQ(group.fits.size(), group.parameters.size());
  const auto fit = std::find_if(group.fits.begin(), group.fits.end(), [](const LawFit& one) {
    return one.parameter == "power of images";
  });
  ASSERT_NE(fit, group.fits.end());
  EXPECT_NEAR(fit->mean, 1, 1e-2);
  EXPECT_GE(fit->deviation, 0);
  EXPECT_TRUE(group.errors.front().rmse.has_value());
}

TEST_F(ReportTest, FrameworksHaveALawEach) {
  std::vector<double> codes(samples_.runs.row_count, 0);
  core::Table other = samples_.runs;
  samples_.runs.columns.push_back(
      core::Column::Categories("env_FRAMEWORK", {"torch"}, core::NumberVector::Of(codes)));
  other.columns.push_back(
      core::Column::Categories("env_FRAMEWORK", {"ddp"}, core::NumberVector::Of(codes)));
  core::TableBuilder both;
  both.AddTable(samples_.runs);
  both.AddTable(other);
  samples_.runs = std::move(both).Finish("runs");
  const auto section =
      MakeLaw(samples_, {.holdout = 0.2, .seed = 1, .resamples = 2}, MakeContext()).value();
  ASSERT_EQ(section.groups.size(), 2U);
  EXPECT_EQ(section.groups[0].name, "ddp");
  EXPECT_EQ(section.groups[1].name, "torch");
  EXPECT_EQ(section.groups[1].rows, 50U);
}

TEST_F(ReportTest, ALawThatDoesNotApplyIsAbsent) {
  std::erase_if(samples_.runs.columns, [](const core::Column& column) {
    return column.name() == "workers" || column.name() == "cpus" || column.name() == "images";
  });
  const auto section = MakeLaw(samples_, {}, MakeContext());
  ASSERT_TRUE(section.ok()) << section.error().Describe();
  EXPECT_THAT(section->groups, IsEmpty());
  EXPECT_THAT(section->notes, Contains(HasSubstr("no usable input column")));
}

TEST_F(ReportTest, WorkersHaveTimesAndCosts) {
  const auto section = MakeWorkers(samples_);
  ASSERT_TRUE(section.has_value());
  ASSERT_EQ(section->figures.size(), 2U);
  const ReportFigure& time = section->figures[0];
  ASSERT_EQ(time.chart.lines.size(), 5U);
  EXPECT_EQ(time.chart.lines[0].name, "images 100");
  EXPECT_EQ(time.chart.lines[4].name, "images 1600");
  EXPECT_NEAR(time.chart.lines[0].points[2].y, ExactTime(4, 100), 1e-9);
  // 36 an hour are 0.01 a second; four hosts, in time that runs two times slower.
  EXPECT_NEAR(section->figures[1].chart.lines[0].points[2].y, ExactTime(4, 100) * 4 * 0.01 / 2,
              1e-9);
}

TEST_F(ReportTest, TimesAreDrawnOverWhatWasVaried) {
  const auto section = MakeScaling(samples_);
  ASSERT_TRUE(section.has_value());
  std::vector<std::string> titles;
  for (const ReportFigure& figure : section->figures) titles.push_back(figure.chart.title);
  EXPECT_THAT(titles, ElementsAre("training_loop_s over workers", "training_loop_s over images"));
  EXPECT_EQ(section->figures[0].rows, 50U);
}

TEST_F(ReportTest, NodesAreDrawnByTypeAndEstimatorsListed) {
  EXPECT_FALSE(MakeNodes(samples_, {}).has_value());
  core::TableBuilder nodes;
  for (int i = 0; i < 30; ++i) {
    nodes.AddRow({{"run", 1.0},
                  {"host", i % 2 == 0 ? "nano0" : "nano1"},
                  {"cpu_before", i / 30.0},
                  {"cpu_p95", i / 60.0 + 0.5}});
    nodes.AddRow({{"run", 1.0}, {"host", "pi"}, {"cpu_before", i / 30.0}, {"cpu_p95", 1.0}});
  }
  samples_.nodes = std::move(nodes).Finish("nodes");
  const auto section =
      MakeNodes(samples_, {{"nano", "compute", {}, 70, 30, 3.21, 1.5, 2.5, "boost", ""}});
  ASSERT_TRUE(section.has_value());
  ASSERT_EQ(section->figures.size(), 1U);
  const plot::Chart& chart = section->figures[0].chart;
  ASSERT_EQ(chart.lines.size(), 2U);
  EXPECT_EQ(chart.lines[0].name, "nano");
  EXPECT_EQ(chart.lines[0].points.size(), 10U) << "means by tenths";
  EXPECT_EQ(chart.dots[0].points.size(), 30U);
  HtmlPage page("", "");
  AddNodes(*section, page);
  EXPECT_THAT(page.Finish(), HasSubstr("<td class=\"number\">3.21 %</td>"));
  MarkdownPage text("", "");
  AddNodes(*section, text);
  EXPECT_THAT(text.Finish(), HasSubstr("| nano | compute | 70/30 | 3.21 % | 1.50 % | 2.50 % |\n"));
}

TEST(MarkdownPageTest, WhatWouldBeMarkupIsEscaped) {
  MarkdownPage page("A | B", "");
  page.Section("s", "<b>");
  page.Table({"caption", {{"name", false}, {"n"}}, {{{"a|b"}}, {{"*", "1"}, true}}});
  page.Figures({{"one", "<svg/>", ""}, {"one", "<svg/>", ""}, {"two", "<svg/>", ""}});
  page.Code("x = 1");
  EXPECT_EQ(page.Finish(),
            "# A \\| B\n\n## \\<b>\n\n**caption**\n\n| name | n |\n| --- | ---: |\n| a\\|b |  |\n"
            "| *\\** | *1* |\n\nFigures, on the page of HTML: one; two.\n\n```\nx = 1\n```\n");
}

// The document without its first line, which is no XML.
std::string Root(const std::string& html) { return html.substr(html.find('\n') + 1); }

TEST_F(ReportTest, ThePageIsWellFormedAndEscaped) {
  const std::string hostile = "<script>alert('x')</script> & \"co\"";
  samples_.campaign.name = hostile;
  ReportData report;
  report.summary = MakeSummary(samples_);
  report.stages = MakeStages(samples_, {}, MakeContext()).value();
  report.stages->notes.push_back(hostile);
  report.scaling = MakeScaling(samples_);
  report.scaling->figures[0].caption = hostile;
  report.law = MakeLaw(samples_, {.resamples = 2}, MakeContext()).value();
  report.workers = MakeWorkers(samples_);
  report.absent = {hostile};
  const std::string html = ToHtml(report);
  EXPECT_THAT(html, testing::StartsWith("<!doctype html>\n<html"));
  EXPECT_EQ(plot::XmlCheck::Problem(Root(html)), "");
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("<a href=\"#stages\">"));
  EXPECT_THAT(html, HasSubstr("1.07 %")) << "Table III beside ours";
  EXPECT_EQ(html, ToHtml(report));
  const base::Json json = ToJson(report);
  EXPECT_EQ(json["stages"]["methods"].size(), 4U);
  EXPECT_EQ(json["summary"]["points"]["measured"], 25);
  EXPECT_FALSE(json.contains("nodes"));
}

TEST_F(ReportTest, StoppingEndsTheFits) {
  stop_.request_stop();
  const auto stages = MakeStages(samples_, {}, MakeContext());
  ASSERT_FALSE(stages.ok());
  EXPECT_EQ(stages.error().code(), base::ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace reckon::app
