// How each language writes what formulas are made of.
#pragma once

#include <string>
#include <vector>

#include "learn/features/term.h"
#include "predict/formula_writer.h"

namespace reckon::predict {

std::string LatexEscaped(const std::string& text);
// Line ends and tabs become blanks.
std::string OneLine(std::string text);

struct Syntax {
  FormulaLanguage language;
  std::vector<std::string> columns;  // as this language writes them

  Syntax(FormulaLanguage in_language, const learn::Schema& schema);

  bool is_code() const {
    return language == FormulaLanguage::kPython || language == FormulaLanguage::kCpp;
  }
  std::string Name(const std::string& name) const;
  std::string Number(double value) const;
  std::string Quoted(const std::string& text) const;
  // 1 where the column has this level, else 0.
  std::string LevelText(size_t column, const std::string& level) const;
  std::string FactorText(const learn::Factor& factor, const learn::Schema& schema) const;
  std::string TermText(const learn::Term& term, const learn::Schema& schema) const;
};

}  // namespace reckon::predict
