#include "app/data_store/data_store_state.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"
#include "base/file.h"

namespace reckon::app {

using base::Json;

base::Result<DataStoreState> ReadDataStoreState(const std::filesystem::path& file) {
  const auto text = base::ReadFile(file);
  if (!text.ok()) {
    if (text.error().code() == base::ErrorCode::kNotFound) return DataStoreState();
    return text.error();
  }
  RECKON_ASSIGN(const Json json, base::ParseJson(*text, file.string()));
  DataStoreState state;
  base::FieldReader fields(json, "");
  if (fields.Has("run")) {
    int64_t run = 0;
    fields.Read("run", run);
    state.run = run;
  }
  fields.Read("validation", state.validation);
  fields.Read("pieces", state.pieces);
  fields.Read("trained", state.trained);
  fields.Read("last_at", state.last_at);
  fields.Read("failed_at", state.failed_at);
  fields.Read("accuracy", state.accuracy);
  fields.Read("judged_by", state.judged_by);
  fields.Read("fetched", state.fetched);
  if (const base::Status read = fields.Check(); !read.ok()) {
    return base::Corrupt(fmt::format("{}: {}", file.string(), read.error().Describe()));
  }
  return state;
}

base::Status WriteDataStoreState(const DataStoreState& state, const std::filesystem::path& file) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  return base::WriteFile(file, base::DumpJson(Json{{"run", or_null(state.run)},
                                                   {"validation", state.validation},
                                                   {"pieces", state.pieces},
                                                   {"trained", state.trained},
                                                   {"last_at", or_null(state.last_at)},
                                                   {"failed_at", or_null(state.failed_at)},
                                                   {"accuracy", or_null(state.accuracy)},
                                                   {"judged_by", state.judged_by},
                                                   {"fetched", state.fetched}}));
}

}  // namespace reckon::app
