// Arrays of numbers in a file: a line of JSON that tells what they are, then the numbers as they
// lie in memory. Models and checkpoints are such files (docs/job-file.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"

namespace reckon::train {

struct NamedArray {
  std::string name;
  std::variant<std::vector<float>, std::vector<double>> values;

  size_t size() const;
};

struct ArrayFile {
  base::Json facts = base::Json::object();  // whatever the writer wants to know again
  std::vector<NamedArray> arrays;

  // nullptr when there is none of that name and type.
  template <typename Real>
  std::vector<Real>* Find(std::string_view name) {
    for (NamedArray& array : arrays) {
      if (array.name == name) return std::get_if<std::vector<Real>>(&array.values);
    }
    return nullptr;
  }
};

// Whole or not at all. `format` names the kind of file ("reckon-model-1").
base::Status WriteArrays(const std::filesystem::path& path, std::string_view format,
                         const ArrayFile& file);
// kCorrupt: not of that format, cut off, or damaged (its checksum tells). kNotFound: there is none.
base::Result<ArrayFile> ReadArrays(const std::filesystem::path& path, std::string_view format);
// The same of a file's text; `source` names it in messages.
base::Result<ArrayFile> ArraysFromText(std::string_view text, std::string_view format,
                                       const std::string& source);
// Over the first line but for its "checksum", and all that follows it.
std::string ArrayChecksum(const base::Json& head, std::string_view body);

}  // namespace reckon::train
