#include "spec/campaign_file.h"

#include <gmock/gmock.h>

#include "tests/support/temp_folder.h"

namespace reckon::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CampaignFileTest : public ::testing::Test {
 protected:
  base::Result<CampaignFile> Read(const std::string& text) {
    return ReadCampaignFile(folder_.Write("grid.yaml", text));
  }
  std::string Problem(const std::string& text) {
    const auto file = Read(text);
    return file.ok() ? "" : file.error().Describe();
  }
  support::TempFolder folder_;
};

TEST_F(CampaignFileTest, ACampaignIsReadWhole) {
  folder_.Write("job.yaml", "trainer: {network: lenet5}\n");
  const CampaignFile file = Read(R"(
job: job.yaml
lab: {name: quad, dilation: 5, hosts: [{name: s, count: 2}, {name: b0, cpus: 2}]}
pools:
  small: {hosts: [s*], price: 0.1}
  big: {hosts: b0}
design: random
trials: 7
repeats: {least: 2, most: 4, within: 2%}
seed: 9
order: written
target: fit_s
limits: {time: 30m, cost: 2.5, error: 5%}
quiet: {foreign: 20%, steal: 1, retries: 1}
attempts: 3
set: {trainer.epochs: 2}
blocks:
  - name: one
    vary: {"num_nodes, resources.cpus": [[1, 1], [2, 1]], trainer.rate: {from: 0.01, to: 1, scale: log}}
  - name: two
    job: {trainer: {network: mlp}}
    vary: {pool: [small, big]}
)")
                                .value();
  EXPECT_EQ(file.name, "grid");
  EXPECT_EQ(file.lab->hosts.size(), 3U);
  EXPECT_THAT(file.pools[0].hosts, ElementsAre("s0", "s1"));
  EXPECT_EQ(file.pools[0].price_per_hour, 0.1);
  EXPECT_EQ(file.design, "random");
  EXPECT_EQ(file.trials, 7);
  EXPECT_EQ(file.least_repeats, 2);
  EXPECT_EQ(file.most_repeats, 4);
  EXPECT_DOUBLE_EQ(file.within, 0.02);
  EXPECT_FALSE(file.shuffle);
  EXPECT_EQ(file.target, "fit_s");
  EXPECT_EQ(file.max_time_s, 1800);
  EXPECT_EQ(file.max_cost, 2.5);
  EXPECT_DOUBLE_EQ(*file.until_error, 0.05);
  EXPECT_DOUBLE_EQ(file.most_foreign, 0.2);
  EXPECT_DOUBLE_EQ(file.most_steal, 0.01);
  EXPECT_EQ(file.retries, 1);
  ASSERT_EQ(file.blocks.size(), 2U);
  EXPECT_EQ(file.blocks[0].set.size(), 1U);
  EXPECT_THAT(file.blocks[0].factors[0].keys, ElementsAre("num_nodes", "resources.cpus"));
  EXPECT_TRUE(file.blocks[0].factors[1].range->logarithmic);
  EXPECT_EQ(file.blocks[1].job["trainer"]["network"].Text().value(), "mlp");
}

TEST_F(CampaignFileTest, WhatIsWrongIsNamedWithItsLine) {
  const std::string job = "job: {trainer: {network: lenet5}}\n";
  EXPECT_THAT(Problem("vary: {x: [1]}\n"), HasSubstr("job: expected a job"));
  EXPECT_THAT(Problem("job: none.yaml\n"), HasSubstr("line 1: job"));
  EXPECT_THAT(Problem(job + "vary: {trainer.batch: 7}\n"),
              HasSubstr("grid.yaml, line 2: vary.trainer.batch: expected a list of values"));
  EXPECT_THAT(Problem(job + "vary: {'a, b': [[1]]}\n"), HasSubstr("expected a list of 2 values"));
  EXPECT_THAT(Problem(job + "vary: {x: {from: 2, to: 1}}\n"), HasSubstr("more than 'from'"));
  EXPECT_THAT(Problem(job + "vary: {x: {from: 0, to: 1, scale: log}}\n"), HasSubstr("more than 0"));
  EXPECT_THAT(Problem(job + "vary: {x: [1], 'y, x': [[1, 2]]}\n"), HasSubstr("each key once"));
  EXPECT_THAT(Problem(job + "design: best\n"), HasSubstr("expected one of grid, random, optimal"));
  EXPECT_THAT(Problem(job + "pools: {a: {hosts: h0}}\n"), HasSubstr("pools are hosts of a lab"));
  EXPECT_THAT(Problem(job + "lab: {name: q, hosts: [{name: h}]}\npools: {a: {hosts: x*}}\n"),
              HasSubstr("it has no 'x*'"));
  EXPECT_THAT(Problem(job + "repeats: 0\n"), HasSubstr("repeats: expected"));
  EXPECT_THAT(Problem(job + "repeats: {again: 0}\n"), HasSubstr("repeats.again: expected"));
  EXPECT_THAT(Problem(job + "repeats: {again: 3, least: 2}\n"), HasSubstr("'again' alone"));
  EXPECT_THAT(Problem(job + "repeat: 2\n"), HasSubstr("repeat"));
  EXPECT_THAT(Problem(job + "limits: {time: soon}\n"), HasSubstr("limits.time: expected"));
}

}  // namespace
}  // namespace reckon::spec
