// How each language writes what formulas are made of.
#pragma once

#include <string>
#include <vector>

#include "learn/dataset.h"
#include "learn/features/term.h"
#include "predict/formula_writer.h"

namespace reckon::predict {

std::string LatexEscaped(const std::string& text);
// Without line breaks and other control characters.
std::string OneLine(std::string text);

struct Syntax {
  FormulaLanguage language;
  std::vector<std::string> columns;  // as this language writes them

  Syntax(FormulaLanguage in_language, const learn::Schema& schema);

  bool is_code() const {
    return language == FormulaLanguage::kPython || language == FormulaLanguage::kCpp;
  }
  std::string Name(const std::string& name) const;
  // Four digits for people, all of them for code.
  std::string Number(double value) const;
  std::string Quoted(const std::string& text) const;
  std::string FactorText(const learn::Factor& factor, const learn::Schema& schema) const;
  std::string TermText(const learn::Term& term, const learn::Schema& schema) const;
};

}  // namespace reckon::predict
