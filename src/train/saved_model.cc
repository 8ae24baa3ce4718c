#include "train/saved_model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"

namespace reckon::train {
namespace {

constexpr std::string_view kFormat = "reckon-trained-model-1";

// Dropout has no part in what the parameters mean.
std::vector<Layer> WithoutDropout(const Network& network) {
  std::vector<Layer> layers = network.layers;
  std::erase_if(layers, [](const Layer& layer) { return layer.kind == Layer::Kind::kDropout; });
  return layers;
}

}  // namespace

size_t SizeOf(const Numbers& numbers) {
  return std::visit([](const auto& values) { return values.size(); }, numbers);
}

base::Status WriteModel(const std::filesystem::path& path, const SavedModel& model) {
  ArrayFile file;
  file.facts["network"] = model.network;
  file.facts["knobs"] = model.knobs;
  file.facts["steps"] = model.steps;
  if (model.epochs) file.facts["epochs"] = *model.epochs;
  file.facts["optimiser_steps"] = model.optimiser_steps;
  file.facts["course"] = model.course;
  file.arrays = {
      {"parameters", model.parameters}, {"first", model.first}, {"second", model.second}};
  return WriteArrays(path, kFormat, file);
}

base::Result<SavedModel> ReadModel(const std::filesystem::path& path) {
  RECKON_ASSIGN(const std::string text, base::ReadFile(path));
  return ModelFromText(text, path.string());
}

base::Result<SavedModel> ModelFromText(std::string_view text, const std::string& source) {
  RECKON_ASSIGN(ArrayFile file, ArraysFromText(text, kFormat, source));
  SavedModel model;
  const auto steps = base::WholeAt(file.facts, "steps");
  const auto optimiser_steps = base::WholeAt(file.facts, "optimiser_steps");
  const base::Json network = file.facts.value("network", base::Json());
  const base::Json knobs = file.facts.value("knobs", base::Json());
  const bool texts = knobs.is_object() && std::all_of(knobs.begin(), knobs.end(),
                                                      [](const auto& v) { return v.is_string(); });
  if (!steps || !optimiser_steps || !network.is_string() || !texts || file.arrays.size() != 3) {
    return base::Corrupt(fmt::format("{}: not a whole trained model", source));
  }
  model.network = network.get<std::string>();
  model.knobs = knobs.get<std::map<std::string, std::string>>();
  model.steps = *steps;
  model.epochs = base::WholeAt(file.facts, "epochs");
  model.optimiser_steps = *optimiser_steps;
  model.course = file.facts.value("course", base::Json());
  model.parameters = std::move(file.arrays[0].values);
  model.first = std::move(file.arrays[1].values);
  model.second = std::move(file.arrays[2].values);
  for (auto* state : {&model.first, &model.second}) {
    if (state->index() == model.parameters.index()) continue;
    if (SizeOf(*state) > 0) {
      return base::Corrupt(fmt::format("{}: numbers of 32 and of 64 bits", source));
    }
    *state = model.parameters.index() == 0 ? Numbers(std::vector<float>())
                                           : Numbers(std::vector<double>());
  }
  return model;
}

base::Status CheckFits(const SavedModel& model, const core::TrainerJob& job, const Network& network,
                       const std::string& file) {
  const auto refuse = [&](const std::string& what) {
    return base::BadInput(fmt::format("{}: {}", file, what));
  };
  // What is not written and what is written as it is anyway are the same.
  const auto of_model = BuildNetwork(model.network, model.knobs, network.layers.front().in,
                                     network.layers.back().out.channels);
  if (!of_model.ok() || WithoutDropout(*of_model) != WithoutDropout(network)) {
    return refuse(fmt::format("a model of {}{}; the job trains {}", model.network,
                              model.network != job.network ? "" : " with other knobs",
                              job.network));
  }
  if (SizeOf(model.parameters) != network.parameters()) {
    return refuse(fmt::format("{} parameters; {} has {}", SizeOf(model.parameters), job.network,
                              network.parameters()));
  }
  if (std::holds_alternative<std::vector<double>>(model.parameters) != job.float64) {
    return refuse(job.float64 ? "of 32-bit numbers; the job wants 64-bit ones"
                              : "of 64-bit numbers; the job wants 32-bit ones");
  }
  return {};
}

}  // namespace reckon::train
