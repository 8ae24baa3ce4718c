// What the measurements cannot tell, and which measurement would.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "learn/features/roles.h"
#include "learn/question.h"

namespace reckon::learn {

struct Unidentified {
  enum class Kind {
    kConstant,    // a column with one value: its effect is held at that value
    kTogether,    // two columns that never moved apart: one stands for both
    kDetermined,  // a column that several others give: left out
    kOneSetting,  // a category's level seen at one value of the scaling column
    kFrozen,      // a term of a law that no row told the coefficient of
    kUncertain,   // a parameter whose interval holds 0 and is wider than the parameter
  };
  Kind kind = Kind::kConstant;
  std::vector<std::string> columns;
  std::string what;  // in words
  std::string next;  // the next measurement that would settle it, in words
};

// "constant", "together", "determined", "one setting", "frozen", "uncertain".
std::string_view UnidentifiedName(Unidentified::Kind kind);
// kCorrupt for any other name.
base::Result<Unidentified::Kind> ParseUnidentified(std::string_view name);

// Everything but frozen terms and uncertain parameters, from the rows alone: columns in the order
// of the schema. The scaling column is the question's, else the one that counts workers. Numbers
// are compared on no more than kIdentifyRows rows.
std::vector<Unidentified> FindUnidentified(const Dataset& data, const Roles& roles,
                                           const Question& question);

inline constexpr size_t kIdentifyRows = 2000;

}  // namespace reckon::learn
