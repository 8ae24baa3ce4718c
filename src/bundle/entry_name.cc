#include "bundle/entry_name.h"

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::bundle {
namespace {

using base::BadInput;

constexpr size_t kMostNameBytes = 1'000;
constexpr size_t kMostComponentBytes = 255;  // of the usual file systems
constexpr size_t kMostShownBytes = 200;

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

bool IsInsideCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

}  // namespace

base::Result<std::string> PlainName(std::string_view name) {
  if (name.empty()) return BadInput("has no name");
  if (name.front() == '/') return BadInput("has an absolute name");
  if (name.size() > kMostNameBytes) {
    return BadInput(fmt::format("has a name of more than {} bytes", kMostNameBytes));
  }
  for (const char c : name) {
    if (IsControl(c)) return BadInput("has a control character in its name");
    if (c == '\\') return BadInput("has a backslash in its name");
  }
  std::string plain;
  for (const std::string_view component : base::Split(name, '/')) {
    if (component.empty() || component == ".") continue;
    if (component == "..") return BadInput("leads out of its folder");
    if (component.size() > kMostComponentBytes) {
      return BadInput(
          fmt::format("has more than {} bytes in a part of its name", kMostComponentBytes));
    }
    if (!plain.empty()) plain += '/';
    plain += component;
  }
  return plain;
}

std::string ShownName(std::string_view name) {
  const bool is_utf8 = base::IsUtf8(name);
  std::string shown;
  for (const char c : name) {
    if (shown.size() >= kMostShownBytes && !(is_utf8 && IsInsideCharacter(c))) return shown + "...";
    const auto byte = static_cast<unsigned char>(c);
    if (IsControl(c) || (!is_utf8 && byte >= 0x80)) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

base::Status NamesSeen::Add(const std::string& name, bool is_folder) {
  if (files_.contains(name)) {
    return BadInput(is_folder ? "is a folder, and a file before" : "is there twice");
  }
  if (!is_folder && folders_.contains(name)) return BadInput("is a file, and a folder before");
  (is_folder ? folders_ : files_).insert(name);
  std::string_view above = name;
  for (size_t slash = above.rfind('/'); slash != std::string_view::npos; slash = above.rfind('/')) {
    above = above.substr(0, slash);
    if (files_.contains(above)) {
      return BadInput(fmt::format("lies in '{}', which is a file", ShownName(above)));
    }
    if (!folders_.emplace(above).second) break;
  }
  return {};
}

}  // namespace reckon::bundle
