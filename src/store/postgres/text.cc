#include "store/postgres/text.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::store {
namespace {

std::string NumberText(double number) {
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return base::RoundTrip(number);
}

std::string BytesText(std::string_view bytes) {
  std::string text = "\\x";
  text.reserve(2 + 2 * bytes.size());
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

}  // namespace

std::optional<std::string> PostgresText(const SqlValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  if (const auto* bytes = std::get_if<SqlBytes>(&value)) return BytesText(bytes->bytes);
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr || std::isnan(*real)) return std::nullopt;
  return NumberText(*real);
}

void AppendCopyText(std::string_view text, std::string& line) {
  for (const char c : text) {
    switch (c) {
      case '\\':
        line += "\\\\";
        break;
      case '\n':
        line += "\\n";
        break;
      case '\r':
        line += "\\r";
        break;
      case '\t':
        line += "\\t";
        break;
      default:
        line += c;
    }
  }
}

}  // namespace reckon::store
