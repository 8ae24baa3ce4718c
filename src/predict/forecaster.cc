#include "predict/forecaster.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::predict {
namespace {

// Rows evaluated together: large enough to amortise calls, small enough to stay in cache.
constexpr Eigen::Index kBlock = 1024;

std::vector<std::string> OutsideOf(const learn::Schema& schema,
                                   const Eigen::Ref<const Eigen::RowVectorXd>& x) {
  std::vector<std::string> outside;
  for (size_t j = 0; j < schema.inputs.size(); ++j) {
    const learn::InputColumn& input = schema.inputs[j];
    const double cell = x(static_cast<Eigen::Index>(j));
    if (input.kind == core::ColumnKind::kCategory || (cell >= input.min && cell <= input.max)) {
      continue;
    }
    outside.push_back(fmt::format("{} = {} is {} the measured {}..{}", input.name,
                                  base::RoundTrip(cell), cell < input.min ? "below" : "above",
                                  base::RoundTrip(input.min), base::RoundTrip(input.max)));
  }
  return outside;
}

}  // namespace

base::Result<std::vector<core::Forecast>> MakeForecasts(const learn::Model& model,
                                                        const core::Table& questions,
                                                        const std::stop_token& stop,
                                                        base::Progress& progress) {
  RECKON_ASSIGN(learn::EncodedInputs inputs, learn::EncodeInputs(questions, model.schema));
  const learn::FeatureMap& features = model.fitted.predictor->features();
  std::vector<core::Forecast> forecasts;
  forecasts.reserve(questions.row_count);
  progress.Begin("forecasting", questions.row_count);
  for (Eigen::Index begin = 0; begin < inputs.x.rows(); begin += kBlock) {
    if (stop.stop_requested()) {
      progress.End();
      return base::Error(base::ErrorCode::kInterrupted, "interrupted");
    }
    const Eigen::Index count = std::min(kBlock, inputs.x.rows() - begin);
    const numeric::Matrix block = inputs.x.middleRows(begin, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const std::string problem = features.DomainProblem(block.row(i), model.schema);
      if (!problem.empty()) {
        progress.End();
        return base::BadInput(
            fmt::format("{}: {}", questions.Place(static_cast<size_t>(begin + i)), problem));
      }
    }
    const learn::Bounds bounds = model.PredictBounds(block);
    for (Eigen::Index i = 0; i < count; ++i) {
      std::vector<std::string> outside = OutsideOf(model.schema, block.row(i));
      const bool known = learn::InputDistance(block.row(i), model.schema) == 0;
      core::Forecast forecast{.predicted = bounds.predicted(i),
                              .lower = bounds.lower(i),
                              .upper = bounds.upper(i),
                              .in_support = known,
                              .beyond = !outside.empty(),
                              .outside = std::move(outside)};
      for (std::string& text : inputs.problems[static_cast<size_t>(begin + i)]) {
        forecast.in_support = false;
        forecast.outside.push_back(std::move(text));
      }
      forecasts.push_back(std::move(forecast));
    }
    progress.Advance(static_cast<uint64_t>(count));
  }
  progress.End();
  return forecasts;
}

}  // namespace reckon::predict
