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

TEST_P(StoreContract, ForecastsOfAnUnknownModelAreNotFound) {
  EXPECT_EQ(store_->ListForecasts(1).error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(store_->AddForecasts({}).ok());
}

}  // namespace
}  // namespace reckon::store::testing
