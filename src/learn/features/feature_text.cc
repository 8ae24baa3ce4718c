#include "learn/features/feature_text.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::learn {
namespace {

constexpr const char* kExpected =
    "expected raw, inverse, log and interactions, separated by commas; inverse and log may name "
    "columns: log=COLUMN:COLUMN";

// Reads the parts of the text one after the other.
class FeatureTextReader {
 public:
  explicit FeatureTextReader(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ >= text_.size(); }
  bool Take(char c) {
    SkipBlanks();
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  // Up to the next comma, equals sign or colon.
  std::string Word() {
    const size_t end = std::min(text_.find_first_of(",=:", at_), text_.size());
    const std::string word(base::Trim(text_.substr(at_, end - at_)));
    at_ = end;
    return word;
  }
  // A name, in quotes or not; nullopt when there is none or its quote is not closed.
  std::optional<std::string> Name() {
    if (!Take('"')) {
      std::string word = Word();
      if (word.empty() || word.find('"') != std::string::npos) return std::nullopt;
      return word;
    }
    std::string name;
    for (; !AtEnd(); ++at_) {
      if (text_[at_] != '"') {
        name += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        name += '"';
        ++at_;
      } else {
        ++at_;
        SkipBlanks();
        return name.empty() ? std::nullopt : std::optional(name);
      }
    }
    return std::nullopt;
  }

 private:
  void SkipBlanks() {
    while (!AtEnd() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::string FormName(const std::string& form, const std::vector<std::string>& columns) {
  return columns.empty() ? form : form + " of " + base::Join(columns, ", ");
}

}  // namespace

std::string FeatureOptionsName(const FeatureOptions& options) {
  std::vector<std::string> parts;
  if (options.raw) parts.emplace_back("raw");
  if (options.inverse) parts.push_back(FormName("inverse", options.inverse_of));
  if (options.log) parts.push_back(FormName("log", options.log_of));
  std::string name = base::Join(parts, "+");
  if (options.degree > 1) {
    name += fmt::format(", degree {}", options.degree);
    if (options.interactions_only) name += " of different columns";
  }
  if (options.select.way != TermSelection::Way::kNone) {
    name += fmt::format(", {} selection", SelectionWayName(options.select.way));
    if (options.select.most_terms > 0) {
      name += fmt::format(" of at most {}", options.select.most_terms);
    }
  }
  return name;
}

base::Result<FeatureOptions> ParseFeatureOptions(const std::string& text) {
  FeatureOptions options{.raw = false};
  FeatureTextReader reader(text);
  do {
    const std::string form = reader.Word();
    std::vector<std::string>* columns = nullptr;
    if (form == "raw") {
      options.raw = true;
    } else if (form == "inverse") {
      options.inverse = true;
      columns = &options.inverse_of;
    } else if (form == "log") {
      options.log = true;
      columns = &options.log_of;
    } else if (form == "interactions") {
      options.interactions_only = true;
      options.degree = 2;
    } else {
      return base::BadInput(fmt::format("unknown feature form '{}'; {}", form, kExpected));
    }
    if (!reader.Take('=')) continue;
    if (columns == nullptr) {
      return base::BadInput(fmt::format("'{}' takes no columns; {}", form, kExpected));
    }
    do {
      std::optional<std::string> name = reader.Name();
      if (!name) {
        return base::BadInput(fmt::format(
            "a column of '{}' in '{}' is empty or {}; {}", form, text,
            "has a quote that is not closed (quote names with commas, colons or quotes)",
            kExpected));
      }
      columns->push_back(std::move(*name));
    } while (reader.Take(':'));
  } while (reader.Take(','));
  if (!reader.AtEnd()) {
    return base::BadInput(fmt::format("cannot read the features '{}'; {}", text, kExpected));
  }
  // Products of nothing are nothing: of the columns themselves, then.
  if (!options.raw && !options.inverse && !options.log) options.raw = true;
  return options;
}

base::Status CheckFeatureColumns(const FeatureOptions& options, const Dataset& data) {
  const auto check = [&](const std::string& form, const std::vector<std::string>& columns,
                         const auto& fits, const char* needs) -> base::Status {
    for (const std::string& name : columns) {
      RECKON_ASSIGN(const size_t j, data.schema.FindInput(name));
      if (data.schema.inputs[j].kind == core::ColumnKind::kCategory) {
        return base::BadInput(
            fmt::format("{} of '{}': it is a category, not a number", form, name));
      }
      for (const double cell : data.x.col(static_cast<Eigen::Index>(j))) {
        if (fits(cell)) continue;
        return base::BadInput(fmt::format("{} of '{}' needs values {} 0, and it has {}", form, name,
                                          needs, base::RoundTrip(cell)));
      }
    }
    return {};
  };
  RECKON_TRY(check(
      "inverse", options.inverse_of, [](double cell) { return cell != 0; }, "other than"));
  return check(
      "log", options.log_of, [](double cell) { return cell > 0; }, "above");
}

}  // namespace reckon::learn
