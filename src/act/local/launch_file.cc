// ReadLaunchSpec of supervisor.h: what `reckon run` wrote for the supervisor.
#include <nlohmann/json.hpp>

#include "act/local/supervisor.h"
#include "base/file.h"
#include "base/json.h"

namespace reckon::act {

base::Result<LaunchSpec> ReadLaunchSpec(const RunFolder& folder) {
  RECKON_ASSIGN(const std::string text, base::ReadFile(folder.spec()));
  RECKON_ASSIGN(const base::Json json, base::ParseJson(text, folder.spec().string()));
  base::Result<LaunchSpec> spec = LaunchSpecFromJson(json);
  if (!spec.ok()) return std::move(spec).error().Wrap(folder.spec().string());
  return spec;
}

}  // namespace reckon::act
