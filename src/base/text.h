// Small parsing of text that several layers need.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::base {

// Without leading and trailing blanks (space, tab, CR).
std::string_view Trim(std::string_view text);

// The whole of `text` as a decimal number ("-1.5e3", "+7"; no hex, no blanks inside). nullopt when
// it is anything else, including "nan" and "inf" and numbers beyond the range of double.
std::optional<double> ParseNumber(std::string_view text);

// The whole of `text` as a decimal integer.
std::optional<int64_t> ParseInteger(std::string_view text);

// "nan", "inf", "-Infinity" in any case: numbers to other programs, never to us.
bool IsNonFiniteWord(std::string_view text);

// Shortest text that reads back as the same double.
std::string RoundTrip(double value);

// ASCII letters only.
std::string ToLower(std::string_view text);

std::vector<std::string_view> Split(std::string_view text, char separator);
// The pieces would point into a string that is gone.
template <class Text>
requires std::same_as<Text, std::string> std::vector<std::string_view> Split(Text&& text,
                                                                             char separator)
= delete;

struct ListEntry {
  std::string text;
  bool quoted = false;
};

// The items of a list that a person typed: separated by commas, without blanks around them; an item
// in double quotes may hold commas, and "" inside them is a quote. nullopt: a quote is not closed
// or text follows it (kBadList says so).
std::optional<std::vector<ListEntry>> SplitList(std::string_view text);
inline constexpr std::string_view kBadList = "a quote is not closed, or text follows it";

// `item` as SplitList takes it: in quotes when it would not come back otherwise.
std::string ListItem(std::string_view item);

// "1 row", "2 rows".
std::string Count(uint64_t count, std::string_view noun);

// Whether every byte belongs to a well-formed UTF-8 character.
bool IsUtf8(std::string_view text);

// Takes the same time wherever they differ, so that nobody can guess a token byte by byte.
bool SameSecret(std::string_view given, std::string_view wanted);

std::string Join(std::span<const std::string> parts, std::string_view separator);
// "a, b, c and 4 more": at most so many of them by name.
std::string FirstOf(std::span<const std::string> names, size_t most);

// The candidate nearest to `word` by edits, if it is near enough to be a slip; for "did you mean".
std::optional<std::string> NearestWord(std::string_view word,
                                       std::span<const std::string> candidates);

// "; did you mean 'x'?" or "; known: a, b, c" (at most eight of them): the tail of a message about
// an unknown name.
std::string SuggestFrom(std::string_view word, std::span<const std::string> candidates);

}  // namespace reckon::base
