#include "app/validate.h"

#include "app/validation_methods.h"

namespace reckon::app {

base::Result<ValidateReport> Validate(const ValidateRequest& request, const Context& context) {
  RECKON_ASSIGN(const Prepared prepared, Prepare(request.learn, context));
  RECKON_ASSIGN(const std::vector<ValidationMethod> methods,
                ValidationMethods(request, prepared.data));
  ValidateReport report;
  report.target = prepared.data.schema.target;
  report.rows = prepared.data.rows();
  report.notes = prepared.notes;
  RECKON_ASSIGN(report.blocks, RunSplits(prepared, methods, context, report.notes));
  return report;
}

}  // namespace reckon::app
