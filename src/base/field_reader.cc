#include "base/field_reader.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::base {

bool IsFileName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

bool IsPlainName(std::string_view name) {
  constexpr size_t kLongest = 200;
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
  return IsFileName(name) && name.size() <= kLongest &&
         name.find_first_not_of(kPlain) == std::string_view::npos;
}

FieldReader::FieldReader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
  if (!json.is_object()) Fail(path_.empty() ? "it" : path_, "an object");
}

bool FieldReader::Has(const char* key) {
  read_.insert(key);
  return problem_.empty() && json_.contains(key) && !json_.at(key).is_null();
}

void FieldReader::Require(const char* key) {
  if (!Has(key) && problem_.empty()) problem_ = fmt::format("{} is missing", PathOf(key));
}

void FieldReader::Read(const char* key, std::string& text) {
  if (const Json* value = Get(key, &Json::is_string, "text")) text = value->get<std::string>();
}

void FieldReader::Read(const char* key, int64_t& number) {
  if (const Json* value = Get(key, &Json::is_number_integer, "a whole number")) {
    number = value->get<int64_t>();
    if (number < 0) Fail(PathOf(key), "a whole number of at least 0");
  }
}

void FieldReader::Read(const char* key, uint64_t& number) {
  int64_t whole = static_cast<int64_t>(number);
  Read(key, whole);
  if (whole >= 0) number = static_cast<uint64_t>(whole);
}

void FieldReader::Read(const char* key, double& number) {
  if (const Json* value = Get(key, &Json::is_number, "a number of at least 0")) {
    number = value->get<double>();
    if (!std::isfinite(number) || number < 0) Fail(PathOf(key), "a number of at least 0");
  }
}

void FieldReader::Read(const char* key, bool& flag) {
  if (const Json* value = Get(key, &Json::is_boolean, "true or false")) flag = value->get<bool>();
}

void FieldReader::Read(const char* key, std::optional<double>& number) {
  if (!Has(key)) return;
  double value = 0;
  Read(key, value);
  number = value;
}

void FieldReader::Read(const char* key, std::vector<std::string>& list) {
  const Json* value = Get(key, &Json::is_array, "a list of texts");
  if (value == nullptr) return;
  list.clear();
  for (const Json& entry : *value) {
    if (!entry.is_string()) return Fail(PathOf(key), "a list of texts");
    list.push_back(entry.get<std::string>());
  }
}

void FieldReader::Read(const char* key, std::map<std::string, std::string>& map) {
  const Json* value = Get(key, &Json::is_object, "an object of texts");
  if (value == nullptr) return;
  map.clear();
  for (const auto& [name, entry] : value->items()) {
    const bool sound = entry.is_string() && !name.empty() && name.find('=') == std::string::npos;
    if (!sound) return Fail(PathOf(key) + "." + name, "a variable's name and its text");
    map[name] = entry.get<std::string>();
  }
}

void FieldReader::Read(const char* key, std::map<std::string, uint64_t>& map) {
  const Json* value = Get(key, &Json::is_object, "an object of whole numbers");
  if (value == nullptr) return;
  map.clear();
  for (const auto& [name, entry] : value->items()) {
    if (!entry.is_number_unsigned()) {
      return Fail(PathOf(key) + "." + name, "a whole number of at least 0");
    }
    map[name] = entry.get<uint64_t>();
  }
}

void FieldReader::ReadFileName(const char* key, std::string& name) {
  Read(key, name);
  if (!IsFileName(name)) Fail(PathOf(key), "a name without '/'");
}

void FieldReader::ReadPlainName(const char* key, std::string& name) {
  Read(key, name);
  if (!IsPlainName(name)) Fail(PathOf(key), "a name of letters, digits and '._+-'");
}

const Json* FieldReader::Object(const char* key) { return Get(key, &Json::is_object, "an object"); }

const Json* FieldReader::List(const char* key) { return Get(key, &Json::is_array, "a list"); }

std::string FieldReader::PathOf(const char* key) const {
  return path_.empty() ? std::string(key) : path_ + "." + key;
}

void FieldReader::Fail(const std::string& path, std::string_view expected) {
  if (problem_.empty()) problem_ = fmt::format("{} is not {}", path, expected);
}

Status FieldReader::Check() {
  if (problem_.empty() && json_.is_object()) {
    for (const auto& [name, value] : json_.items()) {
      if (!read_.contains(name)) return BadInput(PathOf(name.c_str()) + " is not known");
    }
  }
  return problem_.empty() ? Status() : BadInput(problem_);
}

const Json* FieldReader::Get(const char* key, Test test, const char* expected) {
  if (!Has(key)) return nullptr;
  const Json& value = json_.at(key);
  if ((value.*test)()) return &value;
  Fail(PathOf(key), expected);
  return nullptr;
}

}  // namespace reckon::base
