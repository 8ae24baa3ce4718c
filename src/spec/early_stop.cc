#include "spec/early_stop.h"

#include <string>
#include <vector>

#include "spec/fields.h"

namespace reckon::spec {

base::Result<std::optional<core::EarlyStop>> ReadEarlyStop(
    const Yaml& node, const std::optional<core::TrainerJob>& trainer) {
  if (!node) return std::optional<core::EarlyStop>();
  core::EarlyStop stop;
  if (!node.IsMap()) {
    RECKON_ASSIGN(const bool wanted, node.Flag());
    if (!wanted) return std::optional<core::EarlyStop>();
  } else {
    RECKON_TRY(
        node.AllowKeys(std::vector<std::string>{"accuracy", "least_gain", "confidence", "epochs"}));
    const Fields fields(node);
    if (node["accuracy"]) {
      RECKON_ASSIGN(stop.accuracy, node["accuracy"].Number(0, 1));
    }
    RECKON_TRY(fields.Number("least_gain", 0, 1, stop.least_gain));
    RECKON_TRY(fields.Percent("confidence", 1, stop.confidence));
    RECKON_TRY(fields.Whole("epochs", 1, 1'000'000, stop.epochs));
  }
  if (trainer) {
    if (stop.epochs > 0) return node["epochs"].Wrong("nothing: the trainer has its own 'epochs'");
    stop.epochs = trainer->epochs;
  } else if (stop.epochs == 0) {
    return node.Wrong("'epochs': how many the command trains at most");
  }
  return std::optional<core::EarlyStop>(stop);
}

}  // namespace reckon::spec
