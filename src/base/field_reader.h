// Reads JSON that came from elsewhere: a file of ours that somebody may have touched, a message.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace reckon::base {

// Reads the fields of one object into variables; remembers the first problem with its path
// ("processes[2].place.host"), and Check refuses fields that nobody read. A field that is not there
// or null leaves the variable as it is, unless it is required. Numbers are at least 0. `json`
// outlives it.
class FieldReader {
 public:
  // `path` of the object itself; "" for the whole document.
  FieldReader(const Json& json, std::string path);

  bool Has(const char* key);
  void Require(const char* key);
  void Read(const char* key, std::string& text);
  void Read(const char* key, int64_t& number);
  void Read(const char* key, uint64_t& number);
  void Read(const char* key, double& number);
  void Read(const char* key, bool& flag);
  void Read(const char* key, std::optional<double>& number);
  void Read(const char* key, std::vector<std::string>& list);
  // Of variables: names are not empty and free of '='.
  void Read(const char* key, std::map<std::string, std::string>& map);
  void Read(const char* key, std::map<std::string, uint64_t>& map);
  // A name that becomes a file's.
  void ReadFileName(const char* key, std::string& name);
  void ReadPlainName(const char* key, std::string& name);
  // nullptr: there is none, or it is something else, which is a problem.
  const Json* Object(const char* key);
  const Json* List(const char* key);
  // What is there is not looked at.
  void Ignore(const char* key) { read_.insert(key); }

  std::string PathOf(const char* key) const;
  void Fail(const std::string& path, std::string_view expected);
  // kBadInput: the first problem.
  Status Check();

 private:
  using Test = bool (Json::*)() const noexcept;
  const Json* Get(const char* key, Test test, const char* expected);

  const Json& json_;
  std::string path_;
  std::string problem_;
  std::set<std::string> read_;
};

// Whether it can be the name of a file: no '/', not "." or "..", not empty, no zero byte.
bool IsFileName(std::string_view name);
// A file name of letters, digits and "._+-" alone, which needs no escape anywhere.
bool IsPlainName(std::string_view name);

}  // namespace reckon::base
