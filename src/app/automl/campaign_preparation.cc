#include <fmt/format.h>

#include "app/automl/campaign.h"

namespace reckon::app {
namespace {

using base::Result;
using base::Status;
using Kind = Literal::Kind;

const std::string kPreparation = "DataPreparation";
const std::string kSelection = "FeatureSelection";

constexpr int kHighestDegree = 3;

Result<ColumnChoice> ReadColumnChoice(Configuration& configuration, const std::string& name) {
  ColumnChoice choice;
  const auto option = configuration.Find(kPreparation, name);
  if (!option) return choice;
  const Literal& value = option->value;
  if (value.kind == Kind::kNone || (value.kind == Kind::kTruth && !value.truth)) return choice;
  if (value.kind == Kind::kText && (value.text == "[*]" || value.text == "*")) {
    choice.all = true;
    return choice;
  }
  auto names = configuration.Texts(kPreparation, name);
  if (!names.ok()) return configuration.Wrong(*option, "a list of columns, or [*] for all");
  choice.names = **std::move(names);
  if (choice.names == std::vector<std::string>{"*"}) return ColumnChoice{true, {}};
  return choice;
}

Status ReadDegree(Configuration& configuration, Campaign& campaign) {
  const auto option = configuration.Find(kPreparation, "product_max_degree");
  if (!option) return {};
  const Literal& value = option->value;
  if (value.kind == Kind::kNone || (value.kind == Kind::kTruth && !value.truth)) return {};
  const bool infinite = value.kind == Kind::kText && value.text == "inf";
  if (!infinite && (value.kind != Kind::kWhole || value.number < 0)) {
    return configuration.Wrong(*option, "a whole number of factors, or inf");
  }
  if (infinite || value.number > kHighestDegree) {
    campaign.preparation.degree = kHighestDegree;
    campaign.warnings.push_back(fmt::format("{}: products have at most {} factors",
                                            configuration.Place(*option), kHighestDegree));
    return {};
  }
  campaign.preparation.degree = value.number < 1 ? 1 : static_cast<int>(value.number);
  return {};
}

Status ReadRename(Configuration& configuration, DataPreparation& preparation) {
  const std::string expected = "old and new names, such as {'x1': 'cores'}";
  RECKON_ASSIGN(const auto entries,
                configuration.Dictionary(kPreparation, "rename_columns", expected));
  if (!entries) return {};
  for (const auto& [old_name, new_name] : *entries) {
    if (new_name.kind != Kind::kText || new_name.text.empty()) {
      return configuration.Wrong(*configuration.Find(kPreparation, "rename_columns"), expected);
    }
    preparation.rename.emplace_back(old_name, new_name.text);
  }
  return {};
}

Status CheckErnest(Configuration& configuration, const DataPreparation& preparation) {
  if (!preparation.ernest) return {};
  const ConfiguredOption option = *configuration.Find(kPreparation, "ernest");
  const bool columns = preparation.use_columns || !preparation.skip_columns.empty();
  const bool forms = preparation.inverse.IsAny() || preparation.log.IsAny();
  if (!columns && !forms && preparation.degree == 1) return {};
  return configuration.Wrong(option,
                             "ernest without use_columns, skip_columns, inverse, log and products, "
                             "since it makes features "
                             "of its own");
}

}  // namespace

Status ReadPreparation(Configuration& configuration, Campaign& campaign) {
  DataPreparation& preparation = campaign.preparation;
  RECKON_ASSIGN(const auto path, configuration.Text(kPreparation, "input_path"));
  if (!path) return configuration.Missing(kPreparation, "input_path", "the table to read");
  preparation.input_path = *path;
  RECKON_TRY(ReadRename(configuration, preparation));
  RECKON_ASSIGN(preparation.use_columns, configuration.Texts(kPreparation, "use_columns"));
  RECKON_ASSIGN(const auto skip, configuration.Texts(kPreparation, "skip_columns"));
  if (skip) preparation.skip_columns = *skip;
  if (skip && preparation.use_columns) {
    campaign.warnings.push_back(
        "[DataPreparation] skip_columns has no effect, since use_columns says what is used");
    preparation.skip_columns.clear();
  }
  RECKON_ASSIGN(preparation.skip_rows, ReadBounds(configuration, kPreparation, "skip_rows"));
  RECKON_ASSIGN(preparation.inverse, ReadColumnChoice(configuration, "inverse"));
  RECKON_ASSIGN(preparation.log, ReadColumnChoice(configuration, "log"));
  RECKON_TRY(ReadDegree(configuration, campaign));
  RECKON_ASSIGN(const auto interactions,
                configuration.Truth(kPreparation, "product_interactions_only"));
  preparation.interactions_only = interactions.value_or(false);
  RECKON_ASSIGN(const auto ernest, configuration.Truth(kPreparation, "ernest"));
  preparation.ernest = ernest.value_or(false);
  // Linear techniques always standardise and trees need not.
  RECKON_ASSIGN([[maybe_unused]] const auto normalize,
                configuration.Truth(kPreparation, "normalization"));
  if (const auto option = configuration.Find(kPreparation, "selected_products")) {
    campaign.warnings.push_back(
        fmt::format("{}: single products cannot be chosen; product_max_degree "
                    "alone says which are made",
                    configuration.Place(*option)));
  }
  return CheckErnest(configuration, preparation);
}

Status ReadSelection(Configuration& configuration, Campaign& campaign) {
  if (!configuration.HasSection(kSelection)) return {};
  FeatureSelection& selection = campaign.selection;
  const auto method = configuration.Find(kSelection, "method");
  const std::string methods = "SFS or XGBoost";
  if (!method) return configuration.Missing(kSelection, "method", methods);
  if (method->value.text != "SFS" && method->value.text != "XGBoost") {
    return configuration.Wrong(*method, methods);
  }
  selection.method = method->value.text == "SFS" ? FeatureSelection::Method::kForward
                                                 : FeatureSelection::Method::kImportance;
  for (const char* name : {"max_features", "k_features"}) {
    RECKON_ASSIGN(const auto most, configuration.Whole(kSelection, name, 1));
    if (most) selection.most_features = *most;
  }
  RECKON_ASSIGN(const auto folds, configuration.Whole(kSelection, "folds", 2));
  const bool forward = selection.method == FeatureSelection::Method::kForward;
  if (forward && folds && *folds != 5) {
    campaign.warnings.push_back(
        fmt::format("[FeatureSelection] folds = {}: features are compared by 5 folds", *folds));
  }
  RECKON_ASSIGN(const auto tolerance, configuration.Share(kSelection, "XGBoost_tolerance"));
  if (!forward && !tolerance) {
    return configuration.Missing(kSelection, "XGBoost_tolerance",
                                 "the share of the gain that the features kept must reach");
  }
  selection.tolerance = tolerance.value_or(selection.tolerance);
  return {};
}

}  // namespace reckon::app
