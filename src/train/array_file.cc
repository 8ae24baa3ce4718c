#include "train/array_file.h"

#include <cstring>

#include <fmt/format.h>

#include "base/file.h"
#include "base/fingerprint.h"

namespace reckon::train {
namespace {

std::string_view AsText(const NamedArray& array) {
  return std::visit(
      [](const auto& values) {
        return std::string_view(reinterpret_cast<const char*>(values.data()),
                                values.size() * sizeof values[0]);
      },
      array.values);
}

bool IsDouble(const NamedArray& array) {
  return std::holds_alternative<std::vector<double>>(array.values);
}

std::string TextAt(const base::Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The array that `entry` of the head announces, its bytes taken from the front of `body`; false
// when it does not make sense.
bool TakeArray(const base::Json& entry, std::string_view& body, NamedArray& array) {
  if (!entry.is_object()) return false;
  array.name = TextAt(entry, "name");
  const auto size = base::WholeAt(entry, "size");
  const std::string type = TextAt(entry, "type");
  if (array.name.empty() || !size || (type != "f32" && type != "f64")) return false;
  const size_t width = type == "f32" ? sizeof(float) : sizeof(double);
  if (*size > body.size() / width) return false;
  const auto fill = [&]<typename Real>(std::vector<Real> values) {
    values.resize(*size);
    if (*size > 0) std::memcpy(values.data(), body.data(), *size * width);
    array.values = std::move(values);
  };
  if (type == "f32") {
    fill(std::vector<float>());
  } else {
    fill(std::vector<double>());
  }
  body.remove_prefix(*size * width);
  return true;
}

}  // namespace

size_t NamedArray::size() const {
  return std::visit([](const auto& numbers) { return numbers.size(); }, values);
}

std::string ArrayChecksum(const base::Json& head, std::string_view body) {
  base::Json rest = head;
  rest.erase("checksum");
  base::Fingerprint fingerprint;
  fingerprint.Add(base::DumpJsonLine(rest));
  fingerprint.Add(body);
  return fingerprint.Hex();
}

base::Status WriteArrays(const std::filesystem::path& path, std::string_view format,
                         const ArrayFile& file) {
  std::string body;
  base::Json arrays = base::Json::array();
  for (const NamedArray& array : file.arrays) {
    base::Json entry;
    entry["name"] = array.name;
    entry["type"] = IsDouble(array) ? "f64" : "f32";
    entry["size"] = array.size();
    arrays.push_back(std::move(entry));
    body += AsText(array);
  }
  base::Json head;
  head["format"] = format;
  head["facts"] = file.facts;
  head["arrays"] = std::move(arrays);
  head["checksum"] = ArrayChecksum(head, body);
  RECKON_ASSIGN(base::AtomicFile out, base::AtomicFile::Create(path));
  RECKON_TRY(out.Append(base::DumpJsonLine(head) + "\n"));
  RECKON_TRY(out.Append(body));
  return out.Commit();
}

base::Result<ArrayFile> ArraysFromText(std::string_view text, std::string_view format,
                                       const std::string& source) {
  const auto corrupt = [&](const std::string& what) {
    return base::Corrupt(fmt::format("{}: {}", source, what));
  };
  const size_t line = text.find('\n');
  const auto parsed = base::ParseJson(text.substr(0, line), source);
  const base::Json head = parsed.ok() ? *parsed : base::Json();
  if (line == std::string_view::npos || !head.is_object() || TextAt(head, "format") != format ||
      !head.contains("facts") || !head["facts"].is_object() || !head.contains("arrays") ||
      !head["arrays"].is_array() || TextAt(head, "checksum").empty()) {
    return corrupt(fmt::format("not a file of the format {}", format));
  }
  const std::string_view body = text.substr(line + 1);
  ArrayFile file;
  file.facts = head["facts"];
  std::string_view rest = body;
  for (const base::Json& entry : head["arrays"]) {
    if (!TakeArray(entry, rest, file.arrays.emplace_back())) {
      return corrupt(fmt::format("{} bytes after its first line, which tells of others: cut off?",
                                 body.size()));
    }
  }
  if (!rest.empty()) return corrupt(fmt::format("{} bytes too many at its end", rest.size()));
  if (ArrayChecksum(head, body) != TextAt(head, "checksum")) {
    return corrupt("damaged: its checksum does not fit");
  }
  return file;
}

base::Result<ArrayFile> ReadArrays(const std::filesystem::path& path, std::string_view format) {
  RECKON_ASSIGN(const std::string text, base::ReadFile(path));
  return ArraysFromText(text, format, path.string());
}

}  // namespace reckon::train
