// YAML that people wrote (job files, lab files, configuration), read with errors that name file,
// line, path and what was expected:
//
//   job.yaml, line 7: trainer.batch: expected a whole number from 1 on, found 'x'
//
// One document a text. Duplicate keys, keys that are no plain values, and more nesting or more
// nodes than a person writes (anchors can multiply) are errors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace reckon::spec {

// A node of a document, or the knowledge that there is none: a missing node still knows its path,
// so that asking it for a value gives a good message. Immutable, cheap to copy, thread-safe.
class Yaml {
 public:
  static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  Yaml();  // missing

  // `source` names the text in messages. kBadInput with the line. Empty text is a null node.
  static base::Result<Yaml> Parse(std::string_view text, std::string_view source);
  static base::Result<Yaml> ReadFile(const std::filesystem::path& path);

  bool IsMissing() const;
  bool IsNull() const;  // written, but without a value
  bool IsScalar() const;
  bool IsList() const;
  bool IsMap() const;
  // Neither missing nor null: for optional fields.
  explicit operator bool() const { return !IsMissing() && !IsNull(); }

  // Missing when this is no map or has no such key.
  Yaml operator[](const std::string& key) const;
  // The node below maps: "trainer.batch". Missing when there is none.
  Yaml At(std::string_view dotted_path) const;
  std::vector<Yaml> items() const;                            // empty unless a list
  std::vector<std::pair<std::string, Yaml>> entries() const;  // empty unless a map; as written

  // The value, or Wrong(...). Bounds are inclusive; kLeast, kMost and kInfinite mean none.
  base::Result<std::string> Text() const;
  base::Result<int64_t> Whole(int64_t least = kLeast, int64_t most = kMost) const;
  base::Result<double> Number(double least = -kInfinite, double most = kInfinite) const;
  base::Result<bool> Flag() const;                       // true/false, yes/no, on/off
  base::Result<std::vector<std::string>> Texts() const;  // a list of values, or one alone

  // kBadInput: "FILE, line N: PATH: expected EXPECTED, found '...'".
  base::Error Wrong(std::string_view expected) const;
  // kBadInput unless this is a map with no other keys than these.
  base::Status AllowKeys(std::span<const std::string> keys) const;

  std::string Origin() const;  // "job.yaml, line 7"; a missing node: where it should be
  const std::string& path() const { return path_; }  // "trainer.batch", "hosts[2].name"; root: ""
  std::string Place() const;                         // "job.yaml, line 7: trainer.batch"

  // The document with one value set, as by --set trainer.batch=64. The text is YAML, so lists work;
  // maps on the way are made. The value's place then reads "--set trainer.batch".
  base::Result<Yaml> With(const std::string& dotted_path, const std::string& value) const;
  // Likewise with a value of another document, which keeps its own line.
  base::Result<Yaml> With(const std::string& dotted_path, const Yaml& value) const;
  // One value alone, as text, which was not read from a document: `source` is its place.
  static base::Result<Yaml> Value(const std::string& text, const std::string& source);

 private:
  struct Node;
  class Reader;
  // Shared, since every handle into the same document keeps its part of the tree alive.
  using NodePtr = std::shared_ptr<const Node>;
  Yaml(NodePtr node, std::string path) : node_(std::move(node)), path_(std::move(path)) {}

  NodePtr node_;  // never null
  std::string path_;
};

}  // namespace reckon::spec
