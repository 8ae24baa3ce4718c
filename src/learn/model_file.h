// The model file: versioned JSON, documented in docs/model-file.md.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "learn/model.h"

namespace reckon::learn {

inline constexpr int kModelFileVersion = 1;

// The value of "checksum": a fingerprint of the document without that field, on one line.
std::string ModelChecksum(const base::Json& document);

// The same model gives the same bytes: there is no date in the file.
std::string ModelToText(const Model& model);

// `source` names the text in messages. kCorrupt when it is no model file, was written by a newer
// Reckon, is cut short, or does not match its checksum.
base::Result<Model> ModelFromText(std::string_view text, std::string_view source);

}  // namespace reckon::learn
