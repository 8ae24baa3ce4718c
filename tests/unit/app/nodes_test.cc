#include "app/nodes.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace reckon::app {
namespace {

TEST(NodesTest, JsonTellsWhatIsNotMeasured) {
  NodeUsage machine{"local", "", 2, 1000, {}};
  machine.usage.cpu = {0.5, 0.75};
  machine.usage.gpu = observe::Spread{0.25, 1};
  const NodeUsage host{"h0", "quad", 0.2, 500, {}};
  const base::Json json = ToJson({{machine, host}, {"beware"}});
  EXPECT_EQ(json["nodes"][0]["lab"], nullptr);
  EXPECT_EQ(json["nodes"][0]["cpu"]["mean"], 0.5);
  EXPECT_EQ(json["nodes"][0]["cpu"]["p95"], 0.75);
  EXPECT_EQ(json["nodes"][0]["gpu"]["mean"], 0.25);
  EXPECT_EQ(json["nodes"][1]["lab"], "quad");
  EXPECT_EQ(json["nodes"][1]["cpus"], 0.2);
  EXPECT_EQ(json["nodes"][1]["gpu"], nullptr);
  EXPECT_EQ(json["nodes"][1]["disk_read_bytes_s"], nullptr);
  EXPECT_EQ(json["warnings"][0], "beware");
  EXPECT_EQ(FullName(machine), "local");
  EXPECT_EQ(FullName(host), "quad.h0");
}

}  // namespace
}  // namespace reckon::app
