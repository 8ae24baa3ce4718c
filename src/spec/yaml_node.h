// The tree behind spec::Yaml.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "spec/yaml.h"

namespace reckon::spec {

struct Yaml::Node {
  enum class Kind { kMissing, kNull, kScalar, kList, kMap };
  Kind kind = Kind::kMissing;
  std::string scalar;
  std::vector<NodePtr> items;
  std::vector<std::pair<std::string, NodePtr>> entries;
  std::shared_ptr<const std::string> source;  // one text for all nodes of a document
  int line = 0;                               // from 1; 0: the source has no lines worth naming
};

}  // namespace reckon::spec
