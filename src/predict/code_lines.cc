#include "predict/code_lines.h"

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::predict {

void CodeLines::Line(const std::string& text) {
  if (!text.empty()) out_.append(depth_ * 4, ' ');
  out_ += text + "\n";
}

std::string CodeLines::Parameters() const {
  std::vector<std::string> names;
  for (size_t j = 0; j < schema.inputs.size(); ++j) {
    const bool category = schema.inputs[j].kind == core::ColumnKind::kCategory;
    const std::string type = category ? "std::string_view " : "double ";
    names.push_back((cpp ? type : "") + syntax.columns[j]);
  }
  return base::Join(names, ", ");
}

void CodeLines::Begin(const std::string& name) {
  if (!cpp) {
    Line(fmt::format("def {}({}):", name, Parameters()));
  } else if (depth_ == 0) {
    Line(fmt::format("double {}({}) {{", name, Parameters()));
  } else {
    Line(fmt::format("const auto {} = []({}) -> double {{", name, Parameters()));
  }
  Indent();
}

void CodeLines::End() {
  Dedent();
  if (cpp) Line(depth_ == 0 ? "}" : "};");
}

std::string CodeLines::Call(const std::string& name, std::vector<std::string> arguments) const {
  for (size_t j = 0; j < arguments.size(); ++j) {
    if (arguments[j].empty()) arguments[j] = syntax.columns[j];
  }
  return fmt::format("{}({})", name, base::Join(arguments, ", "));
}

std::string CodeLines::CallPlain(const std::string& name) const {
  return Call(name, std::vector<std::string>(schema.inputs.size()));
}

void CodeLines::Set(const std::string& name, const std::string& value) {
  Line(cpp ? fmt::format("const double {} = {};", name, value)
           : fmt::format("{} = {}", name, value));
}

void CodeLines::List(const std::string& name, const std::vector<std::string>& values) {
  Line(fmt::format(fmt::runtime(cpp ? "const std::vector<double> {}{{{}}};" : "{} = [{}]"), name,
                   base::Join(values, ", ")));
}

void CodeLines::Return(const std::string& value) {
  Line(cpp ? fmt::format("return {};", value) : "return " + value);
}

std::string CodeLines::Min(const std::string& a, const std::string& b) const {
  return fmt::format("{}({}, {})", cpp ? "std::min" : "min", a, b);
}

std::string CodeLines::Max(const std::string& a, const std::string& b) const {
  return fmt::format("{}({}, {})", cpp ? "std::max" : "max", a, b);
}

std::string CodeLines::Power(const std::string& base, const std::string& power) const {
  return cpp ? fmt::format("std::pow({}, {})", base, power) : fmt::format("{} ** {}", base, power);
}

}  // namespace reckon::predict
