#include "predict/formula_syntax.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace reckon::predict {
namespace {

using learn::Factor;
using learn::Schema;
using learn::Term;

// Column names as identifiers: "data size" and "data_size" become x_data_size and x_data_size_2.
std::vector<std::string> Identifiers(const Schema& schema) {
  std::vector<std::string> identifiers;
  std::set<std::string> taken;
  for (const learn::InputColumn& input : schema.inputs) {
    std::string name = "x_";
    for (const char c : input.name) {
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    std::string unique = name;
    for (int copy = 2; !taken.insert(unique).second; ++copy) {
      unique = fmt::format("{}_{}", name, copy);
    }
    identifiers.push_back(std::move(unique));
  }
  return identifiers;
}

}  // namespace

std::string LatexEscaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("_%&#${}").find(c) != std::string_view::npos) escaped += '\\';
    const bool blank = c == '\\' || c == '^' || c == '~' || static_cast<unsigned char>(c) < ' ';
    escaped += blank ? ' ' : c;
  }
  return escaped;
}

std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

Syntax::Syntax(FormulaLanguage in_language, const Schema& schema) : language(in_language) {
  if (is_code()) {
    columns = Identifiers(schema);
    return;
  }
  for (const learn::InputColumn& input : schema.inputs) columns.push_back(Name(input.name));
}

std::string Syntax::Name(const std::string& name) const {
  if (language == FormulaLanguage::kLatex) return "\\text{" + LatexEscaped(name) + "}";
  return OneLine(name);
}

std::string Syntax::Number(double value) const {
  if (!is_code()) return base::FormatNumber(value);
  std::string text = base::RoundTrip(value);
  // C++ would divide and compare whole numbers as integers.
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string Syntax::Quoted(const std::string& text) const {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      // Three octal digits mean the same in both languages, whatever follows.
      quoted += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string Syntax::LevelText(size_t column, const std::string& level) const {
  const std::string& name = columns[column];
  switch (language) {
    case FormulaLanguage::kLatex:
      return "[" + name + " = \\text{" + LatexEscaped(level) + "}]";
    case FormulaLanguage::kText:
      return fmt::format("[{} = {}]", name, OneLine(level));
    case FormulaLanguage::kPython:
      return fmt::format("({} == {})", name, Quoted(level));
    case FormulaLanguage::kCpp:
      return fmt::format("({} == {} ? 1.0 : 0.0)", name, Quoted(level));
  }
  return "";
}

std::string Syntax::FactorText(const Factor& factor, const Schema& schema) const {
  const std::string& column = columns[factor.column];
  switch (factor.form) {
    case Factor::Form::kRaw:
      return column;
    case Factor::Form::kInverse:
      if (language == FormulaLanguage::kLatex) return "\\frac{1}{" + column + "}";
      return is_code() ? "(1.0 / " + column + ")" : "1/" + column;
    case Factor::Form::kLog:
      if (language == FormulaLanguage::kLatex) return "\\ln(" + column + ")";
      if (language == FormulaLanguage::kPython) return "math.log(" + column + ")";
      return (language == FormulaLanguage::kCpp ? "std::log(" : "log(") + column + ")";
    case Factor::Form::kLevel:
      return LevelText(factor.column, schema.inputs[factor.column].levels[factor.level]);
  }
  return "";
}

std::string Syntax::TermText(const Term& term, const Schema& schema) const {
  std::vector<std::string> factors;
  for (const Factor& factor : term.factors) factors.push_back(FactorText(factor, schema));
  if (factors.empty()) return Number(1);
  return base::Join(factors, language == FormulaLanguage::kLatex ? " \\cdot " : " * ");
}

}  // namespace reckon::predict
