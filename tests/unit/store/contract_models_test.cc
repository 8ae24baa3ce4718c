#include <array>
#include <cmath>
#include <limits>

#include "tests/unit/store/contract.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;

core::ModelRecord MakeModel(const std::string& name, const std::string& document) {
  return {.id = 0,
          .name = name,
          .technique = "ridge",
          .target = "epoch_s",
          .data_fingerprint = "abc",
          .document = document,
          .created_at = {}};
}

core::ForecastRecord MakeForecast(int64_t model_id, double predicted) {
  return {.id = 0,
          .model_id = model_id,
          .question = R"({"workers":4})",
          .forecast = {.predicted = predicted,
                       .lower = predicted / 2,
                       .upper = predicted * 2,
                       .in_support = false,
                       .outside = {"workers = 64 is above the measured 4..24", "ü"}},
          .created_at = {}};
}

TEST_P(StoreContract, TheLatestVersionOfAModelIsFound) {
  const std::string document = R"({"version": 1, "big": [1, 2.5, null]})";
  const auto first = store_->SaveModel(MakeModel("m", "{}"));
  const auto second = store_->SaveModel(MakeModel("m", document));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_LT(*first, *second);
  Reopen();
  const auto found = store_->FindModel("m");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->id, *second);
  EXPECT_EQ(found->name, "m");
  EXPECT_EQ(found->technique, "ridge");
  EXPECT_EQ(found->target, "epoch_s");
  EXPECT_EQ(found->data_fingerprint, "abc");
  EXPECT_EQ(found->document, document);
  EXPECT_GT(found->created_at, base::WallTime());
}

TEST_P(StoreContract, ModelsAreListedNewestFirstWithoutDocuments) {
  ASSERT_TRUE(store_->SaveModel(MakeModel("a", "{}")).ok());
  ASSERT_TRUE(store_->SaveModel(MakeModel("b", "{}")).ok());
  ASSERT_TRUE(store_->SaveModel(MakeModel("a", "{}")).ok());
  const auto models = store_->ListModels();
  ASSERT_TRUE(models.ok());
  ASSERT_EQ(models->size(), 3U);
  EXPECT_EQ((*models)[0].name, "a");
  EXPECT_EQ((*models)[1].name, "b");
  EXPECT_GT((*models)[0].id, (*models)[2].id);
  EXPECT_EQ((*models)[0].document, "");
}

TEST_P(StoreContract, AnUnknownModelIsNotFound) {
  ASSERT_TRUE(store_->SaveModel(MakeModel("epochs", "{}")).ok());
  const auto found = store_->FindModel("epoch");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(found.error().message().find("did you mean 'epochs'"), std::string::npos);
}

TEST_P(StoreContract, AModelWithoutNameOrValidDocumentIsRefused) {
  EXPECT_EQ(store_->SaveModel(MakeModel("", "{}")).error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->SaveModel(MakeModel("m", "{")).error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->SaveModel(MakeModel("m", "")).error().code(), ErrorCode::kBadInput);
  EXPECT_TRUE(store_->ListModels()->empty());
}

// Columns are named by whoever wrote the file.
TEST_P(StoreContract, ATargetMayBeAnyBytes) {
  core::ModelRecord model = MakeModel("m", "{}");
  model.target = "\xe9t\xe9 \\x41 \t";
  ASSERT_TRUE(store_->SaveModel(model).ok());
  EXPECT_EQ(store_->FindModel("m")->target, model.target);
  EXPECT_EQ(store_->ListModels()->front().target, model.target);
}

TEST_P(StoreContract, DocumentsAreKeptByteForByte) {
  for (const std::string& kept :
       {std::string("{ \"a\" : \"größe 🚀 \\u0000 \\\\N\",\r\n\t\"b\": 1 }\n"),
        "\"" + std::string(3'000'000, 'x') + "\""}) {
    ASSERT_TRUE(store_->SaveModel(MakeModel("m", kept)).ok());
    EXPECT_TRUE(store_->FindModel("m")->document == kept);
  }
  EXPECT_EQ(store_->SaveModel(MakeModel("m", std::string("{}\0", 3))).error().code(),
            ErrorCode::kBadInput);
}

TEST_P(StoreContract, ForecastsComeBackOldestFirst) {
  const int64_t model = *store_->SaveModel(MakeModel("m", "{}"));
  const int64_t other = *store_->SaveModel(MakeModel("n", "{}"));
  const double inf = std::numeric_limits<double>::infinity();
  std::array records{MakeForecast(model, 0.1), MakeForecast(other, 7), MakeForecast(model, 1e300)};
  records[2].forecast.lower = std::nan("");
  records[2].forecast.upper = inf;
  records[2].forecast.in_support = true;
  records[2].forecast.outside.clear();
  ASSERT_TRUE(store_->AddForecasts(records).ok());
  Reopen();
  const auto listed = store_->ListForecasts(model);
  ASSERT_TRUE(listed.ok());
  ASSERT_EQ(listed->size(), 2U);
  const core::ForecastRecord& first = (*listed)[0];
  const core::ForecastRecord& last = (*listed)[1];
  EXPECT_LT(first.id, last.id);
  EXPECT_EQ(first.model_id, model);
  EXPECT_EQ(first.question, records[0].question);
  EXPECT_EQ(first.forecast.predicted, 0.1);
  EXPECT_EQ(first.forecast.lower, 0.05);
  EXPECT_EQ(first.forecast.upper, 0.2);
  EXPECT_FALSE(first.forecast.in_support);
  EXPECT_EQ(first.forecast.outside, records[0].forecast.outside);
  EXPECT_GT(first.created_at, base::WallTime());
  EXPECT_EQ(last.forecast.predicted, 1e300);
  EXPECT_TRUE(std::isnan(last.forecast.lower));
  EXPECT_EQ(last.forecast.upper, inf);
  EXPECT_TRUE(last.forecast.in_support);
  EXPECT_TRUE(last.forecast.outside.empty());
}

TEST_P(StoreContract, OneBadForecastKeepsAllOut) {
  const int64_t model = *store_->SaveModel(MakeModel("m", "{}"));
  const std::array unknown_model{MakeForecast(model, 1), MakeForecast(model + 9, 2)};
  const auto status = store_->AddForecasts(unknown_model);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), ErrorCode::kNotFound);
  std::array bad_question{MakeForecast(model, 1), MakeForecast(model, 2)};
  bad_question[1].question = "[1]";
  EXPECT_EQ(store_->AddForecasts(bad_question).error().code(), ErrorCode::kBadInput);
  EXPECT_TRUE(store_->ListForecasts(model)->empty());
}

core::Run FinishedRun(Store& store, const std::string& name) {
  core::Run run;
  run.name = name;
  run.job = "{}";
  run = store.AddRun(run).value();
  for (const core::RunState next : {core::RunState::kPlanning, core::RunState::kStarting,
                                    core::RunState::kRunning, core::RunState::kFinished}) {
    run = store.MoveRun(run.id, run.state, next, "").value();
  }
  return run;
}

TEST_P(StoreContract, ForecastsAreHeldAgainstTheRunsTheyWereGivenFor) {
  const int64_t model = *store_->SaveModel(MakeModel("m", "{}"));
  const int64_t other = *store_->SaveModel(MakeModel("n", "{}"));
  const core::Run first = FinishedRun(*store_, "a");
  const core::Run second = FinishedRun(*store_, "b");
  core::Run open;
  open.name = "c";
  open.job = "{}";
  open = *store_->AddRun(open);
  std::array records{MakeForecast(model, 1), MakeForecast(model, 2), MakeForecast(other, 3),
                     MakeForecast(model, 4), MakeForecast(model, 5)};
  records[0].run_id = first.id;
  records[2].run_id = second.id;
  records[3].run_id = open.id;
  records[4].run_id = second.id;
  ASSERT_TRUE(store_->AddForecasts(records).ok());
  const auto all = store_->ListFinishedForecasts("", 10);
  ASSERT_TRUE(all.ok()) << all.error().Describe();
  ASSERT_EQ(all->size(), 3U);  // not the one without a run, not that of the run at work
  EXPECT_EQ((*all)[0].record.run_id, first.id);
  EXPECT_EQ((*all)[0].model, "m");
  EXPECT_EQ((*all)[0].target, "epoch_s");
  EXPECT_EQ((*all)[0].run_name, "a");
  EXPECT_EQ((*all)[0].finished_at, first.changed_at);
  EXPECT_FALSE((*all)[0].record.actual.has_value());
  EXPECT_EQ((*all)[1].model, "n");
  EXPECT_EQ((*all)[2].record.forecast.predicted, 5);
  const auto newest = store_->ListFinishedForecasts("m", 1);
  ASSERT_EQ(newest->size(), 1U);
  EXPECT_EQ((*newest)[0].record.forecast.predicted, 5);

  const int64_t id = (*all)[0].record.id;
  ASSERT_TRUE(store_->SetActual(id, 1.25).ok());
  ASSERT_TRUE(store_->SetActual(id, 7).ok());
  Reopen();
  EXPECT_EQ(store_->ListFinishedForecasts("m", 10)->front().record.actual, 1.25);
  EXPECT_EQ(store_->ListForecasts(model)->front().actual, 1.25);
}

TEST_P(StoreContract, WhatARunTookMustBeANumberOfARun) {
  const int64_t model = *store_->SaveModel(MakeModel("m", "{}"));
  std::array records{MakeForecast(model, 1)};
  ASSERT_TRUE(store_->AddForecasts(records).ok());
  const int64_t id = store_->ListForecasts(model)->front().id;
  EXPECT_EQ(store_->SetActual(id, 1).error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->SetActual(id + 1, 1).error().code(), ErrorCode::kNotFound);
  records[0].run_id = FinishedRun(*store_, "a").id;
  ASSERT_TRUE(store_->AddForecasts(records).ok());
  EXPECT_EQ(store_->SetActual(id + 1, std::nan("")).error().code(), ErrorCode::kBadInput);
  records[0].run_id = *records[0].run_id + 5;
  EXPECT_EQ(store_->AddForecasts(records).error().code(), ErrorCode::kNotFound);
}

TEST_P(StoreContract, ForecastsOfAnUnknownModelAreNotFound) {
  EXPECT_EQ(store_->ListForecasts(1).error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(store_->AddForecasts({}).ok());
}

}  // namespace
}  // namespace reckon::store::testing
