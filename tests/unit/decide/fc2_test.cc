#include "decide/recommend/fc2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decide/prices/fc2_catalogue.h"

namespace reckon::decide {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Fc2Request Request(Fc2Algorithm algorithm, const std::string& server,
                   const std::vector<std::string>& workers) {
  Fc2Request request{
      .algorithm = algorithm, .server_type = server, .most_workers = 6, .share = 0.95};
  for (const core::MachineType& type : Fc2Catalogue().types) {
    if (type.for_servers) request.servers.push_back(type);
    const bool listed = std::find(workers.begin(), workers.end(), type.name) != workers.end();
    if (type.for_workers && (workers.empty() || listed)) request.workers.push_back(type);
  }
  return request;
}

// Section 8 of the paper: with these servers, at most 6 workers and p = 0.95. An interval of
// bandwidth need follows from each recommended number.
struct PaperCase {
  const char* section;
  const char* server;
  std::vector<std::string> list;
  const char* fastest;  // of the list: the type that Scala-Opt chose
  size_t scala;
  const char* time_opt;
  const char* cost_opt;
};

const std::vector<PaperCase> kPaperCases{
    {"8.1, batch 64",
     "m4.large",
     {"m4.xlarge", "t2.xlarge", "c4.xlarge"},
     "t2.xlarge",
     2,
     "m4.xlarge",
     "c4.xlarge"},
    {"8.1, batch 128",
     "m4.large",
     {"m4.xlarge", "t2.xlarge", "c4.xlarge"},
     "t2.xlarge",
     3,
     "m4.xlarge",
     "c4.xlarge"},
    {"8.2, batch 128",
     "m4.large",
     {"m4.xlarge", "t2.xlarge", "c4.xlarge", "p2.xlarge"},
     "p2.xlarge",
     2,
     "p2.xlarge",
     "c4.xlarge"},
    {"8.2, batch 512",
     "m4.large",
     {"m4.xlarge", "t2.xlarge", "c4.xlarge", "p2.xlarge"},
     "p2.xlarge",
     3,
     "p2.xlarge",
     "c4.xlarge"},
    {"8.2, batch 1280",
     "m4.large",
     {"m4.xlarge", "t2.xlarge", "c4.xlarge", "p2.xlarge"},
     "p2.xlarge",
     5,
     "p2.xlarge",
     "c4.xlarge"},
    {"8.3, batch 128",
     "m4.2xlarge",
     {"g3.4xlarge", "p2.xlarge", "c4.8xlarge"},
     "g3.4xlarge",
     2,
     "c4.8xlarge",
     "g3.4xlarge"},
    {"8.3, batch 512",
     "m4.2xlarge",
     {"g3.4xlarge", "p2.xlarge", "c4.8xlarge"},
     "g3.4xlarge",
     4,
     "c4.8xlarge",
     "g3.4xlarge"},
    {"8.4, any batch",
     "m4.10xlarge",
     {"g3.4xlarge", "p2.xlarge", "c4.8xlarge"},
     "g3.4xlarge",
     6,
     "c4.8xlarge",
     "g3.4xlarge"},
};

TEST(Fc2Test, RecommendsWhatThePaperReportsAtBothEndsOfEveryInterval) {
  for (const PaperCase& paper : kPaperCases) {
    Fc2Request request = Request(Fc2Algorithm::kScalaOpt, paper.server, paper.list);
    const double carried =
        0.95 * *std::find_if(request.servers.begin(), request.servers.end(), [&](const auto& type) {
                  return type.name == paper.server;
                })->bandwidth_bit_s;
    // n workers are recommended for needs in (carried / (n + 1), carried / n].
    const double most = carried / static_cast<double>(paper.scala);
    const double least = paper.scala == 6 ? 1e3 : carried / static_cast<double>(paper.scala + 1);
    for (const double need : {most, least * (1 + 1e-6), (most + least) / 2}) {
      request.need_bit_s.clear();
      // The others are slower and so send less; with the largest server all are cut at six.
      for (const std::string& name : paper.list) {
        request.need_bit_s[name] = name == paper.fastest ? need : 0.9 * need;
      }
      const auto choice = RecommendFc2(request);
      ASSERT_TRUE(choice.ok()) << paper.section << ": " << choice.error().Describe();
      EXPECT_EQ(choice->worker.name, paper.fastest) << paper.section << " " << need;
      EXPECT_EQ(choice->workers, paper.scala) << paper.section << " " << need;
      EXPECT_EQ(choice->server.name, paper.server);
      EXPECT_THAT(choice->notes, IsEmpty());
      // Scala-Opt-M of the same type recommends the same number.
      Fc2Request chosen = request;
      chosen.algorithm = Fc2Algorithm::kScalaOptM;
      chosen.worker_type = paper.fastest;
      EXPECT_EQ(RecommendFc2(chosen)->workers, paper.scala) << paper.section;
    }
    for (const auto& [algorithm, type] : {std::pair(Fc2Algorithm::kTimeOpt, paper.time_opt),
                                          std::pair(Fc2Algorithm::kCostOpt, paper.cost_opt)}) {
      const auto choice = RecommendFc2(Request(algorithm, paper.server, paper.list));
      ASSERT_TRUE(choice.ok()) << choice.error().Describe();
      EXPECT_EQ(choice->worker.name, type) << paper.section;
      EXPECT_EQ(choice->workers, 6U) << paper.section;
    }
  }
}

TEST(Fc2Test, JustBeyondAnIntervalAnotherNumberIsRecommended) {
  Fc2Request request = Request(Fc2Algorithm::kScalaOptM, "m4.large", {});
  request.worker_type = "p2.xlarge";
  const auto workers = [&](double need) {
    request.need_bit_s["p2.xlarge"] = need;
    return RecommendFc2(request)->workers;
  };
  EXPECT_EQ(workers(427.5e6 / 2), 2U);
  EXPECT_EQ(workers(427.5e6 / 2 * 1.0001), 1U);
  EXPECT_EQ(workers(427.5e6 / 3), 3U);
  EXPECT_EQ(workers(427.5e6 / 3 * 1.0001), 2U);
}

TEST(Fc2Test, TheServerOfTheLargestBandwidthUnlessMoneyIsShort) {
  Fc2Request request = Request(Fc2Algorithm::kCostOpt, "", {});
  EXPECT_EQ(RecommendFc2(request)->server.name, "m4.10xlarge");
  request.hourly_budget = 2.6;  // the server leaves 0.1
  auto choice = RecommendFc2(request).value();
  EXPECT_EQ(choice.server.name, "m4.2xlarge");
  EXPECT_THAT(choice.notes, ElementsAre(HasSubstr("m4.10xlarge at $2.5 an hour leaves no money")));
  EXPECT_EQ(choice.workers, 6U);
  request.hourly_budget = 2;
  choice = RecommendFc2(request).value();
  EXPECT_THAT(choice.notes,
              ElementsAre(HasSubstr("alone costs $2.5 an hour, more than the budget")));
  EXPECT_DOUBLE_EQ(choice.price_per_hour, 0.5 + 6 * 0.231);
  request.most_workers.reset();
  request.hourly_budget = 0.5 + 7 * 0.231;  // to the cent
  EXPECT_EQ(RecommendFc2(request)->workers, 7U);
}

TEST(Fc2Test, NumbersAreComparedUnroundedAndTiesGoToTheCheaper) {
  Fc2Request request = Request(Fc2Algorithm::kScalaOpt, "m4.2xlarge", {"t2.xlarge", "c4.xlarge"});
  request.need_bit_s = {{"t2.xlarge", 400e6}, {"c4.xlarge", 390e6}};  // 2.37 and 2.43
  EXPECT_EQ(RecommendFc2(request)->worker.name, "t2.xlarge");
  request.need_bit_s = {{"t2.xlarge", 400e6}, {"c4.xlarge", 400e6}};
  EXPECT_EQ(RecommendFc2(request)->worker.name, "c4.xlarge");
  // What the budget does not buy once is not chosen for its small number.
  request = Request(Fc2Algorithm::kScalaOpt, "m4.large", {"c4.xlarge", "p2.xlarge"});
  request.hourly_budget = 1;
  request.need_bit_s = {{"c4.xlarge", 50e6}, {"p2.xlarge", 200e6}};
  const auto choice = RecommendFc2(request).value();
  EXPECT_EQ(choice.worker.name, "c4.xlarge");
  EXPECT_EQ(choice.workers, 3U);
  EXPECT_EQ(choice.options.size(), 1U);
}

TEST(Fc2Test, OneWorkerThatFillsTheLinkIsRecommendedWithANote) {
  Fc2Request request = Request(Fc2Algorithm::kScalaOpt, "m4.large", {"p2.xlarge"});
  request.need_bit_s = {{"p2.xlarge", 900e6}};
  const auto choice = RecommendFc2(request).value();
  EXPECT_EQ(choice.workers, 1U);
  EXPECT_THAT(choice.notes, ElementsAre(HasSubstr("alone needs 900 Mbit/s")));
}

TEST(Fc2Test, SaysWhatIsWrongAndWhatWouldDo) {
  const auto complaint = [](const Fc2Request& request) {
    const auto choice = RecommendFc2(request);
    EXPECT_FALSE(choice.ok());
    EXPECT_EQ(choice.error().code(), base::ErrorCode::kBadInput);
    return choice.error().Describe();
  };
  Fc2Request request = Request(Fc2Algorithm::kCostOpt, "", {});
  request.hourly_budget = 0.3;
  EXPECT_THAT(complaint(request),
              HasSubstr("an hourly budget of $0.3 buys no cluster; the least is "
                        "$0.356 for server m4.large at $0.125 and one worker "
                        "c4.xlarge at $0.231, $0.056 more"));
  request.server_type = "m4.huge";
  EXPECT_THAT(complaint(request), HasSubstr("no machine type 'm4.huge' for parameter servers"));
  request = Request(Fc2Algorithm::kScalaOptM, "", {});
  EXPECT_THAT(complaint(request), HasSubstr("scala-opt-m needs a type of workers"));
  request.worker_type = "c4.large";
  EXPECT_THAT(complaint(request), HasSubstr("no machine type 'c4.large' for workers"));
  request.worker_type = "c4.xlarge";
  EXPECT_THAT(complaint(request), HasSubstr("what a worker c4.xlarge sends and receives"));
  request.share = 0;
  EXPECT_THAT(complaint(request), HasSubstr("a share of 0"));
  request = Request(Fc2Algorithm::kTimeOpt, "", {});
  request.workers[0].price_per_hour = -1;
  EXPECT_THAT(complaint(request), HasSubstr("expected a price above 0"));
  request = Request(Fc2Algorithm::kTimeOpt, "", {});
  request.most_workers.reset();
  EXPECT_THAT(complaint(request), HasSubstr("needs a limit"));
  EXPECT_FALSE(ParseFc2Algorithm("best").ok());
}

}  // namespace
}  // namespace reckon::decide
