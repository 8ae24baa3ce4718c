// What laws see of the columns: logarithms, levels, thresholds.
#pragma once

#include <optional>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "learn/dataset.h"
#include "learn/features/roles.h"
#include "learn/question.h"

namespace reckon::learn {

// One input of a law, made from one column.
struct LawInput {
  enum class Form {
    kLog,        // log x, x held within low..high
    kRaw,        // (x - low) / (high - low), x held within: columns with values <= 0
    kLevel,      // 1 where the category has this level
    kThreshold,  // 1 where x > low
  };
  Form form = Form::kLog;
  size_t column = 0;
  size_t level = 0;
  double low = 0;
  double high = 0;

  double Of(double cell) const;
};

struct LawInputs {
  std::vector<LawInput> scaling;  // numbers: each term of a law has its own power of them
  std::vector<LawInput> levels;   // levels and thresholds

  // rows x inputs.
  static Matrix Apply(const std::vector<LawInput>& inputs, const Matrix& x);
};

// The inputs for a question. A column that moves with the extrapolated one is held within its
// measured range, so that it cannot run away together with it; with few values it becomes
// thresholds. Columns that the others determine are left out, but neither the extrapolated one nor
// those that are asked for `first`.
LawInputs ChooseLawInputs(const Dataset& data, const Question& question,
                          const std::vector<size_t>& first = {});

base::Json LawInputsToJson(const std::vector<LawInput>& inputs, const Schema& schema);
// kCorrupt when it names columns or levels that the schema does not have.
base::Result<std::vector<LawInput>> LawInputsFromJson(const base::Json& json, const Schema& schema);

}  // namespace reckon::learn
