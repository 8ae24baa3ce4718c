#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace reckon::base {

std::string_view Trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> ParseNumber(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  if (text.empty()) return std::nullopt;
  // from_chars also takes "nan" and "inf"; a number of ours starts with a digit, sign or point.
  const char first = text.front() == '-' && text.size() > 1 ? text[1] : text.front();
  if ((first < '0' || first > '9') && first != '.') return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool IsNonFiniteWord(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.size() != 3 && text.size() != 8) return false;
  const std::string lower = ToLower(text);
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

std::string RoundTrip(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::vector<ListEntry>> SplitList(std::string_view text) {
  std::vector<ListEntry> items;
  for (;;) {
    const size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos || text[start] != '"') {
      const size_t comma = text.find(',');
      items.push_back({std::string(Trim(text.substr(0, comma)))});
      if (comma == std::string_view::npos) return items;
      text.remove_prefix(comma + 1);
      continue;
    }
    text.remove_prefix(start + 1);
    std::string item;
    for (;;) {
      const size_t quote = text.find('"');
      if (quote == std::string_view::npos) return std::nullopt;
      item += text.substr(0, quote);
      text.remove_prefix(quote + 1);
      if (!text.starts_with('"')) break;
      item += '"';
      text.remove_prefix(1);
    }
    items.push_back({std::move(item), true});
    text = Trim(text);
    if (text.empty()) return items;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
}

std::string ListItem(std::string_view item) {
  const bool plain =
      !item.empty() && Trim(item) == item && item.find(',') == item.npos && item.front() != '"';
  if (plain) return std::string(item);
  std::string quoted = "\"";
  for (const char c : item) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string FirstOf(std::span<const std::string> names, size_t most) {
  const std::string text = Join(names.first(std::min(most, names.size())), ", ");
  return names.size() <= most ? text : fmt::format("{} and {} more", text, names.size() - most);
}

std::string Count(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    size_t length = 0;
    uint32_t code = 0;
    if ((lead & 0xE0) == 0xC0) {
      length = 2;
      code = lead & 0x1F;
    } else if ((lead & 0xF0) == 0xE0) {
      length = 3;
      code = lead & 0x0F;
    } else if ((lead & 0xF8) == 0xF0) {
      length = 4;
      code = lead & 0x07;
    } else {
      return false;
    }
    if (i + length > text.size()) return false;
    for (size_t j = 1; j < length; ++j) {
      const auto next = static_cast<unsigned char>(text[i + j]);
      if ((next & 0xC0) != 0x80) return false;
      code = code << 6 | (next & 0x3F);
    }
    // Longer than needed, a surrogate, or beyond the last character.
    constexpr std::array<uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[length] || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) {
      return false;
    }
    i += length;
  }
  return true;
}

bool SameSecret(std::string_view given, std::string_view wanted) {
  unsigned difference = given.size() == wanted.size() ? 0 : 1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const char byte = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned char>(byte) ^ static_cast<unsigned char>(wanted[i]);
  }
  return difference == 0;
}

std::string Join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> NearestWord(std::string_view word,
                                       std::span<const std::string> candidates) {
  std::optional<std::string> best;
  size_t best_distance = word.size() / 3 + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    // A word of which nothing is left is another word.
    if (distance >= std::max(word.size(), candidate.size())) continue;
    if (distance <= best_distance && (!best || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string SuggestFrom(std::string_view word, std::span<const std::string> candidates) {
  if (const auto nearest = NearestWord(word, candidates)) {
    return fmt::format("; did you mean '{}'?", ListItem(*nearest));
  }
  if (candidates.empty()) return "";
  constexpr size_t kShown = 8;
  std::vector<std::string> shown;
  for (const std::string& candidate : candidates.first(std::min(kShown, candidates.size()))) {
    shown.push_back(ListItem(candidate));
  }
  std::string text = "; known: " + Join(shown, ", ");
  if (candidates.size() > kShown) {
    text += fmt::format(" and {} more", candidates.size() - kShown);
  }
  return text;
}

}  // namespace reckon::base
