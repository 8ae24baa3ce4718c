// Trained models and checkpoints from anywhere: no input may crash the reader. A checksum stops
// random changes at the door, so half of the inputs get a right one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json.h"
#include "train/saved_model.h"

namespace {

using namespace reckon;  // NOLINT(google-build-using-namespace): a program of its own

void Read(std::string_view text) {
  const auto model = train::ModelFromText(text, "fuzz");
  if (!model.ok()) {
    RECKON_CHECK(model.error().code() == base::ErrorCode::kCorrupt);
    return;
  }
  RECKON_CHECK(model->first.index() == model->parameters.index());
  RECKON_CHECK(model->second.index() == model->parameters.index());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Read(text);
  const size_t line = text.find('\n');
  if (data[0] % 2 == 0 || line == std::string_view::npos) return 0;
  auto head = base::ParseJson(text.substr(0, line), "fuzz");
  if (!head.ok() || !head->is_object()) return 0;
  const std::string_view body = text.substr(line + 1);
  (*head)["checksum"] = train::ArrayChecksum(*head, body);
  Read(base::DumpJsonLine(*head) + "\n" + std::string(body));
  return 0;
}
