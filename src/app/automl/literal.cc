#include "app/automl/literal.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::app {
namespace {

using base::BadInput;
using base::Result;
using Kind = Literal::Kind;

constexpr int kDeepest = 50;

void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Literal> Whole() {
    RECKON_ASSIGN(Literal value, Value(0));
    SkipBlanks();
    // "1, 2" is a tuple in Python.
    if (Peek() == ',') {
      Literal tuple;
      tuple.kind = Kind::kList;
      tuple.items.push_back(std::move(value));
      while (Peek() == ',') {
        ++at_;
        SkipBlanks();
        if (at_ == text_.size()) break;
        RECKON_ASSIGN(Literal next, Value(0));
        tuple.items.push_back(std::move(next));
        SkipBlanks();
      }
      value = std::move(tuple);
    }
    if (at_ != text_.size()) return Expected("the end of the value");
    return value;
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  base::Error Expected(std::string_view what) const {
    return BadInput(fmt::format("expected {} at character {}", what, at_ + 1));
  }

  Result<Literal> Value(int depth) {
    SkipBlanks();
    if (depth > kDeepest) return BadInput("lists nested too deeply");
    const char c = Peek();
    if (c == '[') return List(']', depth);
    if (c == '(') return List(')', depth);
    if (c == '{') return Braces(depth);
    if (c == '\'' || c == '"') return Quoted();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '+') {
      return Number();
    }
    return Word();
  }

  Result<Literal> List(char closing, int depth) {
    Literal list;
    list.kind = Kind::kList;
    bool comma = false;
    ++at_;
    for (SkipBlanks(); Peek() != closing; SkipBlanks()) {
      if (at_ == text_.size()) return Expected(fmt::format("'{}'", closing));
      RECKON_ASSIGN(Literal item, Value(depth + 1));
      list.items.push_back(std::move(item));
      SkipBlanks();
      if (Peek() == closing) break;
      if (Peek() != ',') return Expected(fmt::format("',' or '{}'", closing));
      comma = true;
      ++at_;
    }
    ++at_;
    // Parentheses around one value are only parentheses.
    if (closing == ')' && list.items.size() == 1 && !comma) {
      Literal inner = std::move(list.items.front());
      return inner;
    }
    return list;
  }

  Result<Literal> Braces(int depth) {
    Literal braces;
    braces.kind = Kind::kDict;
    ++at_;
    for (SkipBlanks(); Peek() != '}'; SkipBlanks()) {
      if (at_ == text_.size()) return Expected("'}'");
      RECKON_ASSIGN(Literal key, Value(depth + 1));
      SkipBlanks();
      const bool first = braces.items.empty();
      if (first && Peek() != ':') braces.kind = Kind::kList;
      if (braces.kind == Kind::kDict) {
        if (Peek() != ':') return Expected("':' and a value");
        ++at_;
        RECKON_ASSIGN(Literal item, Value(depth + 1));
        braces.keys.push_back(std::move(key));
        braces.items.push_back(std::move(item));
      } else {
        braces.items.push_back(std::move(key));
      }
      SkipBlanks();
      if (Peek() == '}') break;
      if (Peek() != ',') return Expected("',' or '}'");
      ++at_;
    }
    ++at_;
    return braces;
  }

  Result<Literal> Quoted() {
    std::string text;
    // Texts behind each other are one text.
    for (; Peek() == '\'' || Peek() == '"'; SkipBlanks()) RECKON_TRY(OneQuoted(text));
    return Literal::Text(std::move(text));
  }

  base::Status OneQuoted(std::string& out) {
    const size_t begin = at_;
    const char quote = text_[at_];
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_, 3) == three;
    const std::string closing = is_long ? three : std::string(1, quote);
    at_ += closing.size();
    while (text_.substr(at_, closing.size()) != closing) {
      if (at_ >= text_.size() || (!is_long && text_[at_] == '\n')) {
        at_ = begin;
        return BadInput(fmt::format("the quote at character {} is not closed", begin + 1));
      }
      if (text_[at_] == '\\') {
        RECKON_TRY(Escape(out));
      } else {
        out += text_[at_++];
      }
    }
    at_ += closing.size();
    return {};
  }

  base::Status Escape(std::string& out) {
    ++at_;
    if (at_ == text_.size()) return Expected("a character behind the backslash");
    const char c = Peek();
    ++at_;
    constexpr std::string_view kNames = "ntrabfv0\\'\"";
    constexpr std::string_view kMeant("\n\t\r\a\b\f\v\0\\'\"", 11);
    const size_t known = kNames.find(c);
    if (known != std::string_view::npos) {
      out += kMeant[known];
    } else if (c == 'x' || c == 'u') {
      const std::string digits(text_.substr(at_, c == 'x' ? 2 : 4));
      const bool whole = digits.size() == (c == 'x' ? 2 : 4) &&
                         std::all_of(digits.begin(), digits.end(),
                                     [](unsigned char digit) { return std::isxdigit(digit) != 0; });
      if (!whole) return Expected("hexadecimal digits");
      const unsigned long code = std::strtoul(digits.c_str(), nullptr, 16);
      // Halves of a pair are no character of their own.
      if (code >= 0xd800 && code <= 0xdfff) return Expected("a character");
      AppendUtf8(static_cast<uint32_t>(code), out);
      at_ += digits.size();
    } else if (c != '\n') {
      out += '\\';
      out += c;
    }
    return {};
  }

  Result<Literal> Number() {
    bool negative = false;
    while (Peek() == '-' || Peek() == '+') {
      negative = negative != (Peek() == '-');
      ++at_;
      SkipBlanks();
    }
    const size_t begin = at_;
    std::string digits;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool sign = (c == '-' || c == '+') && !digits.empty() &&
                        (digits.back() == 'e' || digits.back() == 'E');
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && !sign) break;
      if (c != '_') digits += c;
      ++at_;
    }
    const auto number = base::ParseNumber(digits);
    if (!number) {
      at_ = begin;
      return Expected("a number");
    }
    const bool whole = digits.find_first_of(".eE") == std::string::npos;
    const double value = negative ? -*number : *number;
    return whole ? Literal::Whole(value) : Literal::Real(value);
  }

  Result<Literal> Word() {
    const size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(Peek())) != 0 || Peek() == '_') ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    Literal value;
    if (word == "None") return value;
    if (word == "True" || word == "False") {
      value.kind = Kind::kTruth;
      value.truth = word == "True";
      return value;
    }
    at_ = begin;
    return Expected("a value (text needs quotes)");
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Literal Literal::Whole(double number) {
  Literal literal;
  literal.kind = Kind::kWhole;
  literal.number = number;
  return literal;
}

Literal Literal::Real(double number) {
  Literal literal;
  literal.kind = Kind::kReal;
  literal.number = number;
  return literal;
}

Literal Literal::Text(std::string text) {
  Literal literal;
  literal.kind = Kind::kText;
  literal.text = std::move(text);
  return literal;
}

Result<Literal> ParseLiteral(std::string_view text) { return Reader(text).Whole(); }

std::string LiteralText(const Literal& literal) {
  switch (literal.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kTruth:
      return literal.truth ? "True" : "False";
    case Kind::kWhole:
    case Kind::kReal:
      return base::RoundTrip(literal.number);
    case Kind::kText:
      return "'" + literal.text + "'";
    case Kind::kList:
    case Kind::kDict:
      break;
  }
  std::vector<std::string> parts;
  const bool dict = literal.kind == Kind::kDict;
  for (size_t i = 0; i < literal.items.size(); ++i) {
    std::string part = dict ? LiteralText(literal.keys[i]) + ": " : "";
    parts.push_back(part + LiteralText(literal.items[i]));
  }
  return (dict ? "{" : "[") + base::Join(parts, ", ") + (dict ? "}" : "]");
}

}  // namespace reckon::app
