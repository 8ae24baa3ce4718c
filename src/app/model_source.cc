#include "app/model_source.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data.h"
#include "app/forecast_file.h"
#include "base/file.h"
#include "base/json.h"
#include "learn/model_file.h"

namespace reckon::app {

base::Result<LoadedModel> LoadModel(const std::string& name, const Context& context) {
  if (name.empty()) return base::BadInput("no model; name a model file with --model");
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) {
    RECKON_ASSIGN(const std::string text, base::ReadFile(name));
    RECKON_ASSIGN(learn::Model model, learn::ModelFromText(text, name));
    return LoadedModel{std::move(model), name, std::nullopt};
  }
  const store::StoreAddress& address = context.db.address();
  if (!address.IsPostgres() && !std::filesystem::exists(address.text(), ignored)) {
    return base::Error(base::ErrorCode::kNotFound,
                       fmt::format("no model file '{}', and no store '{}' to find a model of that "
                                   "name in",
                                   name, context.db.name()));
  }
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  auto stored = LoadStoredModel(name, *store);
  if (!stored.ok() && stored.error().code() == base::ErrorCode::kNotFound) {
    return std::move(stored).error().Wrap(fmt::format("no model file '{}'", name));
  }
  return stored;
}

base::Result<LoadedModel> LoadStoredModel(const std::string& name, store::Store& store) {
  RECKON_ASSIGN(const core::ModelRecord record, store.FindModel(name));
  RECKON_ASSIGN(learn::Model model,
                learn::ModelFromText(record.document, fmt::format("{} of the store", name)));
  return LoadedModel{std::move(model), name, record.id};
}

base::Result<DataRequest> WithKindsOfModel(DataRequest request, const learn::Schema& schema) {
  // What can be read only once is taken as it comes.
  if (request.format != "samples" || !IsPlainFile(request.file)) return request;
  RECKON_ASSIGN(const tables::Source source, tables::Source::Open(request.file));
  RECKON_ASSIGN(const tables::ReadOptions options, ToReadOptions(request));
  RECKON_ASSIGN(const std::vector<std::string> header, tables::ReadHeader(source, options));
  for (const learn::InputColumn& input : schema.inputs) {
    const bool there = std::find(header.begin(), header.end(), input.name) != header.end();
    if (there && input.kind == core::ColumnKind::kCategory) request.category.push_back(input.name);
  }
  return request;
}

base::Result<int64_t> SaveModel(const std::string& name, const learn::Model& model,
                                const std::string& document, const Context& context) {
  RECKON_ASSIGN(const auto store, OpenStore(context, true));
  core::ModelRecord record;
  record.name = name;
  record.technique = model.fitted.candidate.technique;
  record.target = model.schema.target;
  record.data_fingerprint = model.data_fingerprint;
  record.document = document;
  RECKON_ASSIGN(const int64_t id, store->SaveModel(record));
  core::Event event;
  event.kind = "model.fitted";
  event.detail = base::DumpJsonLine({{"model", name}, {"id", id}});
  RECKON_TRY(store->AddEvent(event));
  return id;
}

}  // namespace reckon::app
