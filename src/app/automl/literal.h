// A value as Python writes it: what configurations of aMLLibrary are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace reckon::app {

struct Literal {
  enum class Kind { kNone, kTruth, kWhole, kReal, kText, kList, kDict };
  Kind kind = Kind::kNone;
  bool truth = false;
  double number = 0;           // kWhole and kReal
  std::string text;            // kText
  std::vector<Literal> keys;   // kDict: keys[i] belongs to items[i]
  std::vector<Literal> items;  // kList (tuples and sets as well) and kDict

  bool IsNumber() const { return kind == Kind::kWhole || kind == Kind::kReal; }

  static Literal Whole(double number);
  static Literal Real(double number);
  static Literal Text(std::string text);
};

// Text in quotes, numbers, True, False, None, and lists, tuples, sets and dictionaries of them; a
// '#' outside quotes begins a comment. kBadInput says what was expected and where ("at character
// 7").
base::Result<Literal> ParseLiteral(std::string_view text);

// The value in one line, for messages and reports: [1, 'x', {'a': 2.5}].
std::string LiteralText(const Literal& literal);

}  // namespace reckon::app
