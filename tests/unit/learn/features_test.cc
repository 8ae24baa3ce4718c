#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "learn/features/augment.h"
#include "learn/features/roles.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using support::AddCategories;
using support::MakeDataset;
using support::NumberTable;

Dataset Small() {
  core::Table table = NumberTable({{"workers", {1, 2, 4}}, {"load", {0, 1, 2}}, {"y", {10, 6, 4}}});
  AddCategories(table, "gpu", {"k80", "v100"}, {0, 1, 1});
  return MakeDataset(table, "y");
}

std::vector<std::string> Names(const FeatureMap& map, const Schema& schema) {
  std::vector<std::string> names;
  for (const Term& term : map.terms()) names.push_back(TermName(term, schema));
  return names;
}

TEST(FeaturesTest, FormsStayInTheirDomain) {
  const Dataset data = Small();
  const auto map = MakeFeatures(data, {.raw = true, .inverse = true, .log = true}, 100);
  EXPECT_THAT(Names(*map, data.schema),
              ::testing::ElementsAre("workers", "1/workers", "log(workers)", "load", "[gpu=k80]",
                                     "[gpu=v100]"));
  // A column that no asked form fits is not lost.
  EXPECT_THAT(Names(*MakeFeatures(data, {.raw = false, .log = true}, 100), data.schema),
              ::testing::Contains("load"));
}

TEST(FeaturesTest, ProductsLeaveOutWhatIsConstant) {
  const Dataset data = Small();
  const auto map = MakeFeatures(data, {.raw = true, .inverse = true, .degree = 2}, 1000);
  const std::vector<std::string> names = Names(*map, data.schema);
  EXPECT_THAT(names, ::testing::Contains("workers * load"));
  EXPECT_THAT(names, ::testing::Contains("workers * workers"));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("workers * 1/workers")));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("[gpu=k80] * [gpu=v100]")));
  EXPECT_FALSE(MakeFeatures(data, {.raw = true, .inverse = true, .degree = 3}, 10).has_value());
}

TEST(FeaturesTest, AppliesAndKnowsItsDomain) {
  const Dataset data = Small();
  const FeatureMap map({Term{{{Factor::Form::kLog, 0, 0}, {Factor::Form::kRaw, 1, 0}}},
                        Term{{{Factor::Form::kLevel, 2, 1}, {Factor::Form::kInverse, 0, 0}}},
                        Term{}});
  const Matrix features = map.Apply(data.x);
  EXPECT_DOUBLE_EQ(features(2, 0), std::log(4) * 2);
  EXPECT_EQ(features(0, 1), 0);
  EXPECT_EQ(features(2, 1), 0.25);
  EXPECT_EQ(features(1, 2), 1);
  EXPECT_EQ(map.DomainProblem(Eigen::RowVector3d(1, 0, 0), data.schema), "");
  EXPECT_THAT(map.DomainProblem(Eigen::RowVector3d(0, 0, 0), data.schema),
              ::testing::HasSubstr("workers = 0"));
}

TEST(FeaturesTest, JsonRoundTripAndItsMistakes) {
  const Dataset data = Small();
  const auto map =
      MakeFeatures(data, {.raw = true, .inverse = true, .log = true, .degree = 2}, 999);
  const base::Json json = map->ToJson(data.schema);
  EXPECT_EQ(FeatureMap::FromJson(json, data.schema)->terms(), map->terms());
  for (const char* bad : {R"([[{"column": "nope", "form": "raw"}]])", R"({})", R"([1])", R"([[1]])",
                          R"([[{"column": "workers", "form": "cube"}]])",
                          R"([[{"column": "workers", "form": "level", "level": "a"}]])",
                          R"([[{"column": "gpu", "form": "raw"}]])",
                          R"([[{"column": "gpu", "form": "level", "level": "h100"}]])"}) {
    const auto parsed = FeatureMap::FromJson(base::ParseJson(bad, "t").value(), data.schema);
    ASSERT_FALSE(parsed.ok()) << bad;
    EXPECT_EQ(parsed.error().code(), base::ErrorCode::kCorrupt);
  }
}

TEST(RolesTest, GuessesFromNamesAndTakesWordsForIt) {
  const auto schema_of = [](const std::vector<std::string>& names) {
    Schema schema;
    for (const std::string& name : names) {
      schema.inputs.push_back({.name = name, .min = 1, .max = 2, .levels = {}});
    }
    return schema;
  };
  const Schema ray = schema_of({"batch_size", "num_images", "num_workers"});
  const Roles roles = FindRoles(ray, {}).value();
  EXPECT_EQ(roles.workers, 2);
  EXPECT_EQ(roles.size, 1);
  EXPECT_EQ(FindRoles(schema_of({"instance_count", "data_size_mb"}), {})->workers, 0);
  EXPECT_EQ(FindRoles(schema_of({"temperature"}), {})->workers, std::nullopt);
  EXPECT_EQ(FindRoles(ray, {"batch_size", ""})->workers, 0);
  EXPECT_FALSE(FindRoles(ray, {"nodes", ""}).ok());
}

TEST(RolesTest, OneColumnHasOneRole) {
  Schema schema;
  for (const char* name : {"nodes", "size_gb"}) {
    schema.inputs.push_back({.name = name, .min = 1, .max = 2, .levels = {}});
  }
  const auto found = FindRoles(schema, {.workers = "nodes", .size = "size_gb", .servers = "nodes"});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code(), base::ErrorCode::kBadInput);
  EXPECT_THAT(found.error().message(),
              ::testing::HasSubstr("column 'nodes' is named for --workers and for --servers"));
}

TEST(RolesTest, CpusPerWorkerAreThreadsAndThosePerNodeOnlyWhereNodesAreTheWorkers) {
  const auto threads_of = [](const std::vector<std::string>& names) {
    Schema schema;
    for (const std::string& name : names) {
      schema.inputs.push_back({.name = name, .min = 1, .max = 2, .levels = {}});
    }
    return FindRoles(schema, {})->threads;
  };
  EXPECT_EQ(threads_of({"workers", "cpus_per_worker"}), 1);
  EXPECT_EQ(threads_of({"nodes", "cpus_per_node"}), 1);
  EXPECT_EQ(threads_of({"workers", "nodes", "cpus_per_node"}), std::nullopt);
  EXPECT_EQ(threads_of({"workers", "cores_per_job"}), std::nullopt);
}

TEST(RolesTest, TellsOfNamedColumnsThatLawsCannotUse) {
  Schema schema;
  schema.inputs.push_back({.name = "n", .min = 0, .max = 2, .levels = {}});
  schema.inputs.push_back({.name = "gb", .min = 3, .max = 3, .levels = {}});
  schema.inputs.push_back({.name = "batch", .min = 1, .max = 3, .levels = {}});
  const RoleNames names{.workers = "n", .size = "gb", .batch = "batch"};
  EXPECT_THAT(NotesOnRoles(schema, names, FindRoles(schema, names).value()),
              ::testing::ElementsAre(::testing::HasSubstr("'n' (--workers) is not above 0"),
                                     ::testing::HasSubstr("'gb' (--size) is the same in all")));
  EXPECT_THAT(NotesOnRoles(schema, {}, FindRoles(schema, {}).value()), ::testing::IsEmpty());
}

TEST(RolesTest, LawsKnowNodesBatchBytesServersAndMachines) {
  core::Table table = support::NumberTable({{"num_nodes", {1, 1, 2, 4}},
                                            {"num_replicas", {1, 2, 4, 8}},
                                            {"local_bsz", {8, 16, 8, 16}},
                                            {"model_size_mb", {90, 90, 500, 500}},
                                            {"num_ps", {1, 2, 1, 2}},
                                            {"data_gb", {1, 2, 3, 4}},
                                            {"y", {1, 2, 3, 4}}});
  support::AddCategories(table, "colour", {"red", "blue"}, {0, 1, 0, 1});
  support::AddCategories(table, "vm_flavor", {"small", "large"}, {0, 0, 1, 1});
  const Schema schema = MakeDataset(table, "y").schema;
  const Roles roles = FindRoles(schema, {}).value();
  // Both are counts of workers; replicas run on nodes.
  EXPECT_EQ(roles.nodes, 0);
  EXPECT_EQ(roles.workers, 1);
  EXPECT_EQ(roles.batch, 2);
  EXPECT_EQ(roles.bytes, 3);
  EXPECT_EQ(roles.servers, 4);
  EXPECT_EQ(roles.size, 5);
  ASSERT_TRUE(roles.machine);
  EXPECT_EQ(schema.inputs[*roles.machine].name, "vm_flavor");

  // The user knows better; a column that was named is not guessed for another role.
  const Roles said =
      FindRoles(schema, {.workers = "num_nodes", .bytes = "data_gb", .machine = "colour"}).value();
  EXPECT_EQ(said.workers, 0);
  EXPECT_EQ(said.nodes, std::nullopt);
  EXPECT_EQ(said.bytes, 5);
  EXPECT_EQ(said.size, 3);
  EXPECT_EQ(schema.inputs[*said.machine].name, "colour");
  EXPECT_FALSE(FindRoles(schema, {.batch = "batches"}).ok());
  EXPECT_FALSE(FindRoles(schema, {.nodes = "vm_flavor"}).ok());
  EXPECT_FALSE(FindRoles(schema, {.servers = "vm_flavor"}).ok());
  EXPECT_FALSE(FindRoles(schema, {.machine = "num_ps"}).ok());
}

TEST(RolesTest, LawsKnowWorkActivationsThreadsAndEpochs) {
  const Schema schema = MakeDataset(support::NumberTable({{"workers", {1, 2, 3, 4}},
                                                          {"cpus", {1, 4, 3, 8}},
                                                          {"cpus_per_worker", {1, 2, 1, 2}},
                                                          {"multiply_adds", {5, 6, 7, 8}},
                                                          {"activations", {2, 3, 3, 2}},
                                                          {"epochs", {1, 1, 2, 2}},
                                                          {"y", {1, 2, 3, 4}}}),
                                    "y")
                            .schema;
  const Roles roles = FindRoles(schema, {}).value();
  EXPECT_EQ(roles.threads, 2);
  EXPECT_EQ(roles.work, 3);
  EXPECT_EQ(roles.activations, 4);
  EXPECT_EQ(roles.epochs, 5);
  const Roles said = FindRoles(schema, {.work = "activations", .threads = "cpus"}).value();
  EXPECT_EQ(said.work, 4);
  EXPECT_EQ(said.threads, 1);
  EXPECT_EQ(said.activations, std::nullopt);
  EXPECT_FALSE(FindRoles(schema, {.epochs = "passes"}).ok());
}

TEST(RolesTest, NamesWithWordsOfSeveralRoles) {
  const auto roles_of = [](const std::vector<std::string>& names) {
    std::vector<support::NamedColumn> columns;
    for (const std::string& name : names) columns.push_back({name, {1, 2, 3, 4}});
    columns.push_back({"y", {1, 2, 3, 4}});
    return FindRoles(MakeDataset(support::NumberTable(columns), "y").schema, {}).value();
  };
  Roles roles = roles_of({"nodes", "cpus_per_worker", "batch", "images"});
  EXPECT_EQ(roles.workers, 0);
  EXPECT_EQ(roles.threads, 1);
  roles = roles_of({"threads_per_worker", "gpus"});
  EXPECT_EQ(roles.workers, 1);
  EXPECT_EQ(roles.threads, 0);
  roles = roles_of({"workers", "model_flops"});
  EXPECT_EQ(roles.work, 1);
  EXPECT_EQ(roles.bytes, std::nullopt);
  roles = roles_of({"activations_size", "images", "workers"});
  EXPECT_EQ(roles.activations, 0);
  EXPECT_EQ(roles.size, 1);
  roles = roles_of({"executors_per_job"});  // nothing else counts workers
  EXPECT_EQ(roles.workers, 0);
}

TEST(RolesTest, PartsOfANodeAreNoWorkersBesideIt) {
  const Schema schema = MakeDataset(support::NumberTable({{"nodes", {1, 2, 3, 4}},
                                                          {"gpus_per_node", {8, 4, 8, 4}},
                                                          {"y", {1, 2, 3, 4}}}),
                                    "y")
                            .schema;
  const Roles roles = FindRoles(schema, {}).value();
  EXPECT_EQ(roles.workers, 0);
  EXPECT_EQ(roles.nodes, std::nullopt);
}

TEST(RolesTest, ResourcesComeFromNamesOrFromTheUser) {
  const Dataset data = MakeDataset(support::NumberTable({{"num_gpus", {1, 2, 4, 8}},
                                                         {"batch_size", {8, 16, 8, 16}},
                                                         {"filters", {1, 2, 3, 4}},
                                                         {"images", {4, 3, 2, 1}},
                                                         {"y", {1, 2, 3, 4}}}),
                                   "y");
  EXPECT_THAT(FindRoles(data.schema, {})->extrinsic, ::testing::ElementsAre(0, 1));
  EXPECT_THAT(FindRoles(data.schema, {.workers = "filters"})->extrinsic,
              ::testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(FindRoles(data.schema, {.extrinsic = {"images", "num_gpus", "images"}})->extrinsic,
              ::testing::ElementsAre(0, 3));
  EXPECT_FALSE(FindRoles(data.schema, {.extrinsic = {"nodes"}}).ok());
}

}  // namespace
}  // namespace reckon::learn
