// Reports as JSON: what --json prints, and what any other door to the use cases will answer.
#pragma once

#include "app/archive.h"
#include "app/automl/automl.h"
#include "app/doctor.h"
#include "app/explain.h"
#include "app/fit.h"
#include "app/predict.h"
#include "app/validate.h"
#include "base/json.h"

namespace reckon::app {

base::Json ToJson(const FitReport& report);
base::Json ToJson(const ValidateReport& report);
base::Json ToJson(const PredictReport& report);
base::Json ToJson(const ExplainReport& report);
base::Json ToJson(const ImportReport& report);
base::Json ToJson(const ListReport& report);
base::Json ToJson(const ExportReport& report);
base::Json ToJson(const DoctorReport& report);
base::Json ToJson(const AutomlReport& report);

}  // namespace reckon::app
