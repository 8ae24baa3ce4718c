#include "spec/lab_file.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace reckon::spec {
namespace {

using ::testing::HasSubstr;

base::Result<core::Lab> ReadLab(const std::string& text) {
  return LabFromYaml(Yaml::Parse(text, "lab.yaml").value());
}

std::string LabError(const std::string& text) {
  const auto lab = ReadLab(text);
  return lab.ok() ? "no error" : lab.error().Describe();
}

TEST(LabFileTest, ReadsHostsAndCopiesOfThem) {
  const core::Lab lab = ReadLab(
                            "name: quad-2\n"
                            "dilation: 2.5\n"
                            "hosts:\n"
                            "  - {name: boss, cpus: 2, memory: 1GiB, bandwidth: 10Gbit}\n"
                            "  - {name: h, count: 3, cpus: 0.7, bandwidth: 250 Mbit}\n"
                            "  - name: free\n")
                            .value();
  EXPECT_EQ(lab.name, "quad-2");
  EXPECT_EQ(lab.dilation, 2.5);
  ASSERT_EQ(lab.hosts.size(), 5);
  EXPECT_EQ(lab.hosts[0], (core::LabHost{"boss", 2, 1ULL << 30, 10e9}));
  EXPECT_EQ(lab.hosts[1], (core::LabHost{"h0", 0.7, 0, 250e6}));
  EXPECT_EQ(lab.hosts[3].name, "h2");
  EXPECT_EQ(lab.hosts[4], (core::LabHost{"free", 1, 0, 0}));
  EXPECT_EQ(ReadLab("name: x\nhosts: [{name: a}]").value().dilation, 1);
}

TEST(LabFileTest, BadValuesAreNamedWithTheirPlace) {
  const std::string one = "name: q\nhosts:\n  - {name: a, ";
  EXPECT_EQ(LabError(one + "bandwidth: fast}"),
            "lab.yaml, line 3: hosts[0].bandwidth: expected bits per second up to 400Gbit, like "
            "1Gbit, 250Mbit or 64Kbit, found 'fast'");
  EXPECT_THAT(LabError(one + "bandwidth: 100}"), HasSubstr("like 1Gbit"));
  EXPECT_THAT(LabError(one + "bandwidth: -1Gbit}"), HasSubstr("like 1Gbit"));
  EXPECT_THAT(LabError(one + "memory: lots}"), HasSubstr("hosts[0].memory: expected a size"));
  EXPECT_THAT(LabError(one + "memory: 12}"), HasSubstr("from 4MiB on"));
  EXPECT_THAT(LabError(one + "cpus: 0}"), HasSubstr("hosts[0].cpus: expected a number from"));
  EXPECT_THAT(LabError(one + "cpu: 1}"), HasSubstr("did you mean 'cpus'"));
  EXPECT_THAT(LabError(one + "count: 0}"), HasSubstr("a whole number from 1 to 250"));
  EXPECT_THAT(LabError("name: q\ndilation: 0.5\nhosts: [{name: a}]"),
              HasSubstr("dilation: expected a number from 1 to 1000, found '0.5'"));
  EXPECT_THAT(LabError("name: much-too-long-a-name\nhosts: [{name: a}]"), HasSubstr("at most 12"));
  EXPECT_THAT(LabError("name: a.b\nhosts: [{name: a}]"), HasSubstr("name: expected letters"));
  EXPECT_THAT(LabError("name: -b\nhosts: [{name: a}]"), HasSubstr("name: expected letters"));
  EXPECT_THAT(LabError("name: q\nhosts: []"), HasSubstr("hosts: expected a list of hosts"));
  EXPECT_THAT(LabError("name: q"), HasSubstr("hosts: expected a list of hosts, found nothing"));
  EXPECT_THAT(LabError("name: q\nhosts: [{name: h0}, {name: h, count: 2}]"),
              HasSubstr("hosts[1].name: there is a host 'h0' already"));
  EXPECT_THAT(LabError("name: q\nhosts: [{name: a, count: 200}, {name: b, count: 200}]"),
              HasSubstr("at most 250 hosts, found 400"));
  EXPECT_THAT(LabError("name: q\nhosts: [{name: abcdefghijklmno, count: 2}]"),
              HasSubstr("room for the number"));
  EXPECT_THAT(LabError("[1]"), HasSubstr("found a list"));
}

TEST(LabFileTest, SharesTooSmallForTheKernelAreRefused) {
  const std::string slow = "name: q\ndilation: 100\nhosts:\n  - {name: a, ";
  EXPECT_THAT(LabError(slow + "cpus: 0.05}"), HasSubstr("at least 0.1 cores at dilation 100"));
  EXPECT_THAT(LabError(slow + "bandwidth: 1Mbit}"), HasSubstr("at least 6400Kbit"));
  EXPECT_TRUE(ReadLab(slow + "cpus: 0.1, bandwidth: 6.4Mbit}").ok());
}

TEST(LabFileTest, CrowdedMachinesAreWarnedOfWithADilationThatFits) {
  const core::Lab lab = ReadLab("name: q\ndilation: 1\nhosts: [{name: h, count: 5}]").value();
  EXPECT_THAT(core::CrowdingWarning(lab, 2).value(),
              HasSubstr("want 5 cores at dilation 1, this machine has 2; dilation 2.5 would fit"));
  core::Lab fitting = lab;
  fitting.dilation = 2.5;
  EXPECT_FALSE(core::CrowdingWarning(fitting, 2).has_value());
}

TEST(LabFileTest, MistakesInFilesNameTheFile) {
  support::TempFolder folder;
  std::ofstream(folder / "l.yaml") << "name: q\nhosts: 3\n";
  EXPECT_THAT(ReadLabFile(folder / "l.yaml").error().Describe(),
              HasSubstr("l.yaml, line 2: hosts"));
  EXPECT_FALSE(ReadLabFile(folder / "absent.yaml").ok());
}

}  // namespace
}  // namespace reckon::spec
