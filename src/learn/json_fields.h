// Reading JSON objects of model files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"

namespace reckon::learn {

// Reads fields of one JSON object; the first wrong one is remembered with its path.
class JsonFields {
 public:
  JsonFields(const base::Json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json.is_object()) problem_ = path_ + " is not an object";
  }

  double Number(const char* key) {
    const base::Json* value = Get(key, &base::Json::is_number, "a number");
    return value != nullptr ? value->get<double>() : 0;
  }
  std::string Text(const char* key) {
    const base::Json* value = Get(key, &base::Json::is_string, "text");
    return value != nullptr ? value->get<std::string>() : "";
  }
  uint64_t Count(const char* key) {
    const base::Json* value = Get(key, &base::Json::is_number_unsigned, "a whole number");
    return value != nullptr ? value->get<uint64_t>() : 0;
  }
  bool Flag(const char* key) {
    const base::Json* value = Get(key, &base::Json::is_boolean, "true or false");
    return value != nullptr && value->get<bool>();
  }
  const base::Json& Object(const char* key) {
    return Child(key, &base::Json::is_object, "an object");
  }
  const base::Json& List(const char* key) { return Child(key, &base::Json::is_array, "a list"); }
  // A list of numbers and nothing else.
  std::vector<double> Numbers(const char* key) {
    std::vector<double> numbers;
    for (const base::Json& entry : List(key)) {
      if (!entry.is_number()) {
        Fail(fmt::format("{}.{} holds what is not a number", path_, key));
        return {};
      }
      numbers.push_back(entry.get<double>());
    }
    return numbers;
  }
  std::optional<double> MaybeNumber(const char* key) {
    if (problem_.empty() && json_.contains(key) && json_[key].is_null()) return std::nullopt;
    return Number(key);
  }
  void Fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  base::Status Check() const {
    return problem_.empty() ? base::Status() : base::Error(base::ErrorCode::kCorrupt, problem_);
  }

 private:
  using Test = bool (base::Json::*)() const noexcept;

  const base::Json* Get(const char* key, Test test, const char* expected) {
    if (!problem_.empty()) return nullptr;
    if (!json_.contains(key) || !(json_[key].*test)()) {
      problem_ = fmt::format("{}.{} is not {}", path_, key, expected);
      return nullptr;
    }
    return &json_[key];
  }
  const base::Json& Child(const char* key, Test test, const char* expected) {
    static const base::Json kNothing;
    const base::Json* value = Get(key, test, expected);
    return value != nullptr ? *value : kNothing;
  }

  const base::Json& json_;
  std::string path_;
  std::string problem_;
};

}  // namespace reckon::learn
