// Model files from anywhere: no input may crash the reader or make a model that crashes when used.
// A checksum stops random changes at the door, so half of the inputs get a right one.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json.h"
#include "learn/model_file.h"
#include "predict/formula_writer.h"

namespace {

using namespace reckon;  // NOLINT(google-build-using-namespace): a program of its own

void Use(const learn::Model& model) {
  numeric::Matrix x(2, static_cast<Eigen::Index>(model.schema.inputs.size()));
  for (size_t j = 0; j < model.schema.inputs.size(); ++j) {
    x(0, static_cast<Eigen::Index>(j)) = model.schema.inputs[j].typical;
    x(1, static_cast<Eigen::Index>(j)) = -1;
  }
  for (const double value : model.fitted.Predict(x)) RECKON_CHECK(!std::isnan(value));
  for (const auto language : {predict::FormulaLanguage::kText, predict::FormulaLanguage::kCpp}) {
    RECKON_CHECK(!predict::WriteFormula(model, language).empty());
  }
  // What was read can be written and read again.
  RECKON_CHECK(learn::ModelFromText(learn::ModelToText(model), "again").ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    const auto model = learn::ModelFromText(text, "fuzz");
    if (model.ok()) Use(*model);
    return 0;
  }
  auto document = base::ParseJson(text, "fuzz");
  if (!document.ok() || !document->is_object()) return 0;
  document->erase("checksum");
  (*document)["checksum"] = learn::ModelChecksum(*document);
  const auto model = learn::ModelFromText(base::DumpJson(*document), "fuzz");
  if (model.ok()) Use(*model);
  return 0;
}
