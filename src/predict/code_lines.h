// Functions as lines of Python or C++.
#pragma once

#include <string>
#include <vector>

#include "learn/dataset.h"
#include "predict/formula_syntax.h"

namespace reckon::predict {

// Writes nested functions, whose parameters have the names of the columns everywhere.
class CodeLines {
 public:
  CodeLines(FormulaLanguage language, const learn::Schema& of)
      : schema(of), syntax(language, of), cpp(language == FormulaLanguage::kCpp) {}

  const learn::Schema& schema;
  const Syntax syntax;
  const bool cpp;  // otherwise Python

  std::string Take() { return std::move(out_); }

  void Line(const std::string& text);
  void Indent() { ++depth_; }
  void Dedent() { --depth_; }
  std::string Comment(const std::string& text) const { return (cpp ? "// " : "# ") + text; }

  // A function of all columns; inside another one, a local function.
  void Begin(const std::string& name);
  void End();
  // With the columns themselves for empty arguments.
  std::string Call(const std::string& name, std::vector<std::string> arguments) const;
  std::string CallPlain(const std::string& name) const;

  void Set(const std::string& name, const std::string& value);
  // "f = [...]"
  void List(const std::string& name, const std::vector<std::string>& values);
  void Return(const std::string& value);

  std::string Math(const char* function) const {
    return std::string(cpp ? "std::" : "math.") + function;
  }
  std::string Min(const std::string& a, const std::string& b) const;
  std::string Max(const std::string& a, const std::string& b) const;
  std::string Power(const std::string& base, const std::string& power) const;

 private:
  std::string Parameters() const;

  size_t depth_ = 0;
  std::string out_;
};

}  // namespace reckon::predict
