#include "learn/regressors/kernel_predictor.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "learn/json_fields.h"
#include "numeric/gaussian_process.h"

namespace reckon::learn {
namespace {

using Shape = KernelFormula::Shape;

constexpr const char* kGaussianName = "gaussian";
constexpr const char* kMaternName = "matern52";

Vector ToVector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// Rows of inputs that every term can be evaluated at.
base::Result<Matrix> CentresFromJson(const base::Json& json, const Schema& schema,
                                     const FeatureMap& features) {
  const auto corrupt = [](std::string message) {
    return base::Error(base::ErrorCode::kCorrupt, std::move(message));
  };
  const auto columns = static_cast<Eigen::Index>(schema.inputs.size());
  Matrix centres(static_cast<Eigen::Index>(json.size()), columns);
  for (Eigen::Index i = 0; i < centres.rows(); ++i) {
    const base::Json& row = json[static_cast<size_t>(i)];
    if (!row.is_array() || row.size() != schema.inputs.size()) {
      return corrupt("a centre has not as many cells as the model has inputs");
    }
    for (Eigen::Index j = 0; j < columns; ++j) {
      const base::Json& cell = row[static_cast<size_t>(j)];
      if (!cell.is_number()) return corrupt("a cell of a centre is not a number");
      centres(i, j) = cell.get<double>();
    }
    const std::string problem = features.DomainProblem(centres.row(i), schema);
    if (!problem.empty()) return corrupt("a centre: " + problem);
  }
  return centres;
}

}  // namespace

KernelPredictor::KernelPredictor(Parts parts) : parts_(std::move(parts)) {
  RECKON_CHECK(parts_.features.terms().size() == static_cast<size_t>(parts_.weights.size()));
  RECKON_CHECK(parts_.weights.size() == parts_.scale.size());
  RECKON_CHECK(parts_.centres.rows() == parts_.coefficients.size());
  scaled_centres_ = parts_.scale.asDiagonal() * parts_.features.Apply(parts_.centres).transpose();
}

Vector KernelPredictor::Predict(const Matrix& x) const {
  const Matrix terms = parts_.features.Apply(x);
  Vector predicted = (terms * parts_.weights).array() + parts_.intercept;
  Vector at(terms.cols());
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    at = terms.row(i).transpose().cwiseProduct(parts_.scale);
    // Differences first: a sum of squares minus twice a product would lose digits near a centre.
    const Vector squared = (scaled_centres_.colwise() - at).colwise().squaredNorm();
    if (parts_.shape == Shape::kGaussian) {
      predicted(i) += parts_.coefficients.dot((-squared.array()).exp().matrix());
    } else {
      predicted(i) += parts_.coefficients.dot(squared.unaryExpr(&numeric::Matern52));
    }
  }
  return predicted;
}

Formula KernelPredictor::ToFormula() const {
  KernelFormula formula;
  formula.line = {
      parts_.intercept, parts_.features.terms(), {parts_.weights.begin(), parts_.weights.end()}};
  formula.shape = parts_.shape;
  formula.scale.assign(parts_.scale.begin(), parts_.scale.end());
  formula.centres = scaled_centres_;
  formula.coefficients.assign(parts_.coefficients.begin(), parts_.coefficients.end());
  return formula;
}

base::Json KernelPredictor::ToJson(const Schema& schema) const {
  base::Json json;
  json["shape"] = parts_.shape == Shape::kGaussian ? kGaussianName : kMaternName;
  json["intercept"] = parts_.intercept;
  json["weights"] = std::vector<double>(parts_.weights.begin(), parts_.weights.end());
  json["scale"] = std::vector<double>(parts_.scale.begin(), parts_.scale.end());
  json["features"] = parts_.features.ToJson(schema);
  json["coefficients"] =
      std::vector<double>(parts_.coefficients.begin(), parts_.coefficients.end());
  json["centres"] = base::Json::array();
  for (Eigen::Index i = 0; i < parts_.centres.rows(); ++i) {
    const auto row = parts_.centres.row(i);
    json["centres"].push_back(std::vector<double>(row.begin(), row.end()));
  }
  return json;
}

base::Result<std::unique_ptr<Predictor>> KernelPredictor::Load(const base::Json& json,
                                                               const Schema& schema) {
  JsonFields fields(json, "predictor");
  Parts parts;
  const std::string shape = fields.Text("shape");
  if (shape != kGaussianName && shape != kMaternName) fields.Fail("unknown shape of a kernel");
  parts.shape = shape == kGaussianName ? Shape::kGaussian : Shape::kMatern52;
  parts.intercept = fields.Number("intercept");
  parts.weights = ToVector(fields.Numbers("weights"));
  parts.scale = ToVector(fields.Numbers("scale"));
  parts.coefficients = ToVector(fields.Numbers("coefficients"));
  const base::Json& features = fields.List("features");
  const base::Json& centres = fields.List("centres");
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(parts.features, FeatureMap::FromJson(features, schema));
  const auto terms = static_cast<Eigen::Index>(parts.features.terms().size());
  if (parts.weights.size() != terms || parts.scale.size() != terms) {
    fields.Fail("there are not as many weights and scales as features");
  }
  if (static_cast<size_t>(parts.coefficients.size()) != centres.size()) {
    fields.Fail("there are not as many coefficients as centres");
  }
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(parts.centres, CentresFromJson(centres, schema, parts.features));
  return std::unique_ptr<Predictor>(std::make_unique<KernelPredictor>(std::move(parts)));
}

}  // namespace reckon::learn
