#include "spec/cluster_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/catalogue_file.h"

namespace reckon::spec {
namespace {

using testing::HasSubstr;

template <typename Read>
std::string Complaint(const std::string& text, Read read) {
  const auto value = read(Yaml::Parse(text, "f.yaml").value());
  EXPECT_FALSE(value.ok());
  return value.ok() ? "" : value.error().Describe();
}

TEST(ClusterFileTest, ReadsNodesWithTheirStateAndApps) {
  const auto cluster = ClusterFromYaml(Yaml::Parse(R"(
name: edge
estimators: deep-edge
types:
  tx2: {forward: 5ms, max_batch: 64, latencies: {sift: 120ms}}
workers:
  - {name: nano, count: 2, cpu: 30%, memory: 40, apps: {sift: 200ms}}
  - {name: box, type: tx2, gpu: 10%, transfer: 1ms, initialise: 5s, bandwidth: 100Mbit}
servers:
  - {name: pi4, cpu: 20%, bandwidth: 1Gbit, apply: 2ms}
)",
                                                   "f.yaml")
                                           .value())
                           .value();
  EXPECT_EQ(cluster.campaign, "deep-edge");
  EXPECT_EQ(cluster.types.at("tx2").max_batch, 64);
  EXPECT_DOUBLE_EQ(cluster.types.at("tx2").latency_s.at("sift"), 0.12);
  ASSERT_EQ(cluster.workers.size(), 3U);
  EXPECT_EQ(cluster.workers[1].node.name, "nano1");
  EXPECT_EQ(cluster.workers[1].node.machine_type, "nano");
  EXPECT_DOUBLE_EQ(cluster.workers[1].node.state.cpu, 0.3);
  EXPECT_DOUBLE_EQ(cluster.workers[1].node.state.memory, 0.4);
  EXPECT_EQ(cluster.workers[1].node.background_apps.at(0).name, "sift");
  EXPECT_DOUBLE_EQ(cluster.workers[1].node.background_apps.at(0).deadline_s, 0.2);
  EXPECT_EQ(cluster.workers[2].node.machine_type, "tx2");
  EXPECT_DOUBLE_EQ(cluster.workers[2].initialise_s, 5);
  EXPECT_EQ(cluster.workers[0].bandwidth_bit_s, std::nullopt);
  EXPECT_EQ(cluster.workers[2].bandwidth_bit_s, 1e8);
  EXPECT_EQ(cluster.servers.at(0).node.machine_type, "pi");
  EXPECT_EQ(cluster.servers[0].bandwidth_bit_s, 1e9);
  EXPECT_EQ(cluster.servers[0].apply_s, 0.002);
}

TEST(ClusterFileTest, SaysWhatIsWrongAndWhere) {
  const auto wrong = [](const std::string& text) { return Complaint(text, ClusterFromYaml); };
  EXPECT_THAT(wrong("name: x"), HasSubstr("workers: expected a list of workers"));
  EXPECT_THAT(wrong("workers:\n  - {name: a}\n  - {name: a}"),
              HasSubstr("f.yaml, line 3: workers[1].name: there is a node 'a' already"));
  EXPECT_THAT(wrong("workers: [{name: a}]\nservers: [{name: a}]"), HasSubstr("a node 'a' already"));
  EXPECT_THAT(wrong("workers: [{name: a, speed: 2}]"), HasSubstr("speed"));
  EXPECT_THAT(wrong("types: {a: {forward: 0s, max_batch: 1}}\nworkers: [{name: a}]"),
              HasSubstr("types.a.forward: expected a duration above 0"));
  EXPECT_THAT(wrong("types: {a: {forward: 1s}}\nworkers: [{name: a}]"),
              HasSubstr("types.a.max_batch"));
}

TEST(CatalogueFileTest, ReadsTypesAndTheirPrices) {
  const auto catalogue = CatalogueFromYaml(Yaml::Parse(R"(
source: our contract
date: 2026-11-01
types:
  - {name: m4.large, cpus: 2, memory: 8GiB, price: 0.125, bandwidth: 450Mbit, role: server}
  - {name: p2.xlarge, accelerator: K80, price: 1.718, spot: 0.6, burst: 10Gbit}
)",
                                                       "f.yaml")
                                               .value())
                             .value();
  EXPECT_EQ(catalogue.date, "2026-11-01");
  ASSERT_EQ(catalogue.types.size(), 2U);
  EXPECT_FALSE(catalogue.types[0].for_workers);
  EXPECT_DOUBLE_EQ(catalogue.types[0].bandwidth_bit_s.value(), 450e6);
  EXPECT_EQ(catalogue.types[0].memory_bytes, uint64_t{8} << 30);
  EXPECT_EQ(catalogue.types[1].accelerators, 1);
  EXPECT_DOUBLE_EQ(catalogue.types[1].spot_price_per_hour.value(), 0.6);
  EXPECT_TRUE(catalogue.types[1].for_servers);
}

TEST(CatalogueFileTest, SaysWhatIsWrongAndWhere) {
  const auto wrong = [](const std::string& text) { return Complaint(text, CatalogueFromYaml); };
  EXPECT_THAT(wrong("types: []"), HasSubstr("types: expected a list of machine types"));
  EXPECT_THAT(wrong("types:\n  - {name: a, price: -1}"),
              HasSubstr("f.yaml, line 2: types[0].price: expected a number"));
  EXPECT_THAT(wrong("types: [{name: a}]"), HasSubstr("types[0].price"));
  EXPECT_THAT(wrong("types: [{name: a, price: 1}, {name: a, price: 2}]"),
              HasSubstr("there is a type 'a' already"));
  EXPECT_THAT(wrong("types: [{name: a, price: 1, role: boss}]"),
              HasSubstr("worker, server or both"));
  EXPECT_THAT(wrong("types: [{name: a, price: 1, bandwidth: fast}]"), HasSubstr("like 1Gbit"));
}

}  // namespace
}  // namespace reckon::spec
