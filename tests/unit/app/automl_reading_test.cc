// Configurations of aMLLibrary as text: literals, sections, priors, and what a campaign is made of.
#include <cmath>

#include <gmock/gmock.h>

#include "app/automl/campaign.h"
#include "app/automl/ini_file.h"
#include "app/automl/literal.h"
#include "app/automl/prior.h"

namespace reckon::app {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Echo(const std::string& text) {
  const auto literal = ParseLiteral(text);
  return literal.ok() ? LiteralText(*literal) : "error: " + literal.error().message();
}

TEST(Literal, ReadsWhatPythonReads) {
  EXPECT_EQ(Echo("12"), "12");
  EXPECT_EQ(Echo("-1_000"), "-1000");
  EXPECT_EQ(Echo("1e-7"), "1e-07");
  EXPECT_EQ(Echo("True"), "True");
  EXPECT_EQ(Echo("None"), "None");
  EXPECT_EQ(Echo("'a' \"b\""), "'ab'");
  EXPECT_EQ(Echo(R"('it\'s\x41')"), "'it'sA'");
  EXPECT_EQ(Echo("[1, 2.5, 'x',]"), "[1, 2.5, 'x']");
  EXPECT_EQ(Echo("(1, 2)"), "[1, 2]");
  EXPECT_EQ(Echo("(1)"), "1");
  EXPECT_EQ(Echo("1, 2"), "[1, 2]");
  EXPECT_EQ(Echo("{'a': [1], \"b\": {}}"), "{'a': [1], 'b': {}}");
  EXPECT_EQ(Echo("{1, 2}"), "[1, 2]");
  EXPECT_EQ(Echo("5#20"), "5");
  EXPECT_EQ(Echo("['#']  # behind"), "['#']");
  EXPECT_EQ(Echo("[1,\n 2]"), "[1, 2]");
}

TEST(Literal, TellsWholeNumbersFromOthers) {
  EXPECT_EQ(ParseLiteral("1").value().kind, Literal::Kind::kWhole);
  EXPECT_EQ(ParseLiteral("1.0").value().kind, Literal::Kind::kReal);
}

TEST(Literal, SaysWhatIsWrong) {
  EXPECT_THAT(Echo("[1, 2"), HasSubstr("expected ',' or ']' at character 6"));
  EXPECT_THAT(Echo("'open"), HasSubstr("quote at character 1 is not closed"));
  EXPECT_THAT(Echo("[*]"), HasSubstr("expected a value"));
  EXPECT_THAT(Echo("KFold"), HasSubstr("text needs quotes"));
  EXPECT_THAT(Echo("1 2"), HasSubstr("the end of the value at character 3"));
  EXPECT_THAT(Echo("{'a' 1}"), HasSubstr("expected"));
  EXPECT_THAT(Echo("1.2.3"), HasSubstr("expected a number"));
  EXPECT_THAT(Echo(""), HasSubstr("error"));
  EXPECT_THAT(Echo(std::string(1000, '[')), HasSubstr("nested too deeply"));
}

TEST(Ini, ReadsSectionsCommentsAndLongValues) {
  const IniFile file = ParseIni(
                           "\xEF\xBB\xBF# comment\n[DEFAULT]\nshared = 1\n[A]\r\nx = 1\r\n; other\n"
                           "List: [1,\n   2]\nempty =\nshare = 5 %%\n[B]\nX = 2\nshared = 3\n",
                           "c.ini")
                           .value();
  ASSERT_EQ(file.sections.size(), 2);
  const IniSection& a = *file.Find("A");
  EXPECT_EQ(a.Find("x")->text, "1");
  EXPECT_EQ(a.Find("x")->line, 5);
  EXPECT_EQ(a.Find("List")->text, "[1,\n2]");
  EXPECT_EQ(a.Find("empty")->text, "");
  EXPECT_EQ(a.Find("share")->text, "5 %");
  EXPECT_EQ(a.Find("shared")->text, "1");
  EXPECT_EQ(file.Find("B")->Find("shared")->text, "3");
  EXPECT_EQ(file.Find("B")->Find("x"), nullptr);
}

TEST(Ini, NamesTheLineOfAMistake) {
  const auto problem = [](const std::string& text) {
    return ParseIni(text, "c.ini").error().message();
  };
  EXPECT_THAT(problem("x = 1\n"), HasSubstr("c.ini, line 1: option 'x' stands before"));
  EXPECT_THAT(problem("[A]\nx = 1\nx = 2\n"),
              HasSubstr("line 3: [A] x is there already, in line 2"));
  EXPECT_THAT(problem("[A]\n[A]\n"), HasSubstr("line 2: section [A] is there already"));
  EXPECT_THAT(problem("[A]\nnothing\n"), HasSubstr("line 2: expected NAME = VALUE"));
  EXPECT_THAT(problem("[A\n"), HasSubstr("line 1: expected [SECTION]"));
  EXPECT_THAT(problem("[A]\nx = %(y)s\n"), HasSubstr("line 2: [A] x: a percent sign"));
  EXPECT_THAT(problem("[A]\nx = \xff\n"), HasSubstr("line 2: the text is not UTF-8"));
}

TEST(Prior, CoversItsRange) {
  const Prior uniform = *ParsePrior("uniform(2, 4)").value();
  EXPECT_DOUBLE_EQ(uniform.At(0).number, 2);
  EXPECT_DOUBLE_EQ(uniform.At(0.5).number, 3);
  const Prior logs = *ParsePrior("loguniform(0.01,1)").value();
  EXPECT_NEAR(logs.At(0.5).number, 0.1, 1e-12);
  const Prior steps = *ParsePrior("quniform(3,6,1)").value();
  EXPECT_EQ(steps.At(0.5).kind, Literal::Kind::kWhole);
  const Prior whole = *ParsePrior("randint(2)").value();
  EXPECT_EQ(whole.At(0.49).number, 0);
  EXPECT_EQ(whole.At(0.99).number, 1);
  const Prior normal = *ParsePrior("normal(1, 2)").value();
  EXPECT_NEAR(normal.At(0.5).number, 1, 1e-9);
  EXPECT_NEAR(normal.At(0.8413447460685429).number, 3, 1e-6);
  const Prior words = *ParsePrior("choice(mse, 'mae')").value();
  EXPECT_EQ(words.At(0.1).text, "mse");
  EXPECT_EQ(words.At(0.9).text, "mae");
}

TEST(Prior, TellsPriorsFromTextAndMistakes) {
  EXPECT_FALSE(ParsePrior("mse").value().has_value());
  EXPECT_FALSE(ParsePrior("frob(1,2)").value().has_value());
  for (const char* wrong : {"uniform(1)", "uniform(2,1)", "loguniform(0,1)", "quniform(1,2,0)",
                            "uniform(a,b)", "uniform(1,2", "randint(0.5)", "normal(1,-1)"}) {
    EXPECT_FALSE(ParsePrior(wrong).ok()) << wrong;
  }
}

TEST(Prior, DrawsOneValueFromEveryPart) {
  const auto points = LatinHypercube(8, 3, base::Rng(1));
  for (size_t d = 0; d < 3; ++d) {
    std::vector<int> seen(8, 0);
    for (const std::vector<double>& point : points) {
      ++seen[static_cast<size_t>(std::floor(point[d] * 8))];
    }
    EXPECT_THAT(seen, ::testing::Each(1));
  }
}

base::Result<Campaign> Read(const std::string& text) {
  auto configuration = Configuration::Parse(text, "c.ini");
  if (!configuration.ok()) return configuration.error();
  return ReadCampaign(*configuration);
}

const std::string kGood =
    "[General]\nrun_num = 2\ntechniques = ['LRRidge', 'XGBoost']\nhp_selection = KFold\n"
    "validation = Extrapolation\nfolds = 4\nextrapolation_columns = {\"cores\": 16}\ny = \"time\"\n"
    "hyperparameter_tuning = Hyperopt\nhyperopt_max_evals = 7\n"
    "[DataPreparation]\ninput_path = \"a/b.csv\"\nnormalization = True\ninverse = [*]\n"
    "log = ['cores']\nproduct_max_degree = 2\nskip_columns = ['id']\n"
    "rename_columns = {'x': 'cores'}\nskip_rows = {'cores': 64}\n"
    "[FeatureSelection]\nmethod = \"SFS\"#or the other\nmax_features = 5#20\nfolds = 5\n"
    "[LRRidge]\nalpha = ['loguniform(0.01,10)']\n[XGBoost]\nmax_depth = [3, 5]\n";

TEST(Campaign, ReadsAWholeConfiguration) {
  const Campaign campaign = Read(kGood).value();
  EXPECT_EQ(campaign.runs, 2);
  EXPECT_EQ(campaign.target, "time");
  EXPECT_EQ(campaign.folds, 4);
  EXPECT_EQ(campaign.evaluations, 7);
  EXPECT_EQ(campaign.validation, Validation::kExtrapolation);
  EXPECT_FALSE(campaign.selection_share);
  EXPECT_THAT(campaign.extrapolation, ElementsAre(std::pair<std::string, double>("cores", 16)));
  EXPECT_EQ(campaign.preparation.input_path, "a/b.csv");
  EXPECT_TRUE(campaign.preparation.inverse.all);
  EXPECT_THAT(campaign.preparation.log.names, ElementsAre("cores"));
  EXPECT_EQ(campaign.preparation.degree, 2);
  EXPECT_EQ(campaign.selection.method, FeatureSelection::Method::kForward);
  EXPECT_EQ(campaign.selection.most_features, 5);
  ASSERT_EQ(campaign.techniques.size(), 2);
  EXPECT_EQ(campaign.techniques[1].hyperparameters[0].values.size(), 2);
  EXPECT_THAT(campaign.warnings, IsEmpty());
}

std::string With(const std::string& old_text, const std::string& new_text) {
  std::string text = kGood;
  text.replace(text.find(old_text), old_text.size(), new_text);
  return text;
}

// As in Python, of two entries with one key the last counts.
TEST(Configuration, TakesTheLastOfEqualKeys) {
  Configuration configuration =
      Configuration::Parse("[DataPreparation]\nskip_rows = {'a': 1, 'b': 2, 'a': 3}\n", "c.ini")
          .value();
  const auto entries =
      configuration.Dictionary("DataPreparation", "skip_rows", "a dictionary").value();
  ASSERT_TRUE(entries && entries->size() == 2);
  EXPECT_EQ((*entries)[0].first, "b");
  EXPECT_EQ((*entries)[1].first, "a");
  EXPECT_EQ((*entries)[1].second.number, 3);
}

TEST(Campaign, WarnsOfWhatItDoesNotKnowOrDoesOtherwise) {
  EXPECT_THAT(Read(With("run_num = 2", "run_num = 2\nfancy = 1")).value().warnings,
              Contains(HasSubstr("c.ini, line 3: [General] fancy is not known")));
  EXPECT_THAT(Read(kGood + "[Extra]\na = 1\n").value().warnings,
              Contains(HasSubstr("section [Extra] is not known")));
  EXPECT_THAT(Read(With("= KFold", "= All")).value().warnings,
              Contains(HasSubstr("compared by 4 folds instead")));
  const Campaign high = Read(With("_degree = 2", "_degree = inf")).value();
  EXPECT_EQ(high.preparation.degree, 3);
  EXPECT_THAT(high.warnings, Contains(HasSubstr("at most 3 factors")));
  EXPECT_THAT(Read(With("[LRRidge]", "[SVR]\nC = [1]\n[LRRidge]")).value().warnings, IsEmpty());
}

TEST(Campaign, NamesFileLineSectionAndOptionOfAMistake) {
  const auto problem = [](const std::string& old_text, const std::string& new_text) {
    const auto campaign = Read(With(old_text, new_text));
    return campaign.ok() ? "" : campaign.error().Describe();
  };
  EXPECT_EQ(problem("run_num = 2", "run_num = many"),
            "c.ini, line 2, [General] run_num: expected a whole number from 1 to 1000000000, found "
            "'many'");
  EXPECT_THAT(problem("['LRRidge', 'XGBoost']", "['LRRidge', 'XGBoost'"),
              HasSubstr("line 3, [General] techniques: expected a list of texts"));
  EXPECT_THAT(problem("['LRRidge', 'XGBoost']", "['LRRidge', 'XGBoost'"), HasSubstr("',' or ']'"));
  EXPECT_THAT(problem("= KFold", "= Some"), HasSubstr("expected All, HoldOut or KFold"));
  EXPECT_THAT(problem("= Extrapolation", "= Guess"), HasSubstr("line 5, [General] validation"));
  EXPECT_THAT(problem("= Extrapolation", "= HoldOut"), HasSubstr("hold_out_ratio is missing"));
  EXPECT_THAT(problem("= Extrapolation", "= Interpolation"),
              HasSubstr("interpolation_columns is missing"));
  EXPECT_THAT(problem("{\"cores\": 16}", "{\"cores\": 'x'}"), HasSubstr("numbers as bounds"));
  EXPECT_THAT(problem("folds = 4\n", ""), HasSubstr("[General] folds is missing"));
  EXPECT_THAT(problem("y = \"time\"\n", ""), HasSubstr("[General] y is missing"));
  EXPECT_THAT(problem("hyperopt_max_evals = 7\n", ""), HasSubstr("hyperopt_max_evals is missing"));
  EXPECT_THAT(problem("= Hyperopt", "= Magic"), HasSubstr("expected Hyperopt"));
  EXPECT_THAT(problem("input_path = \"a/b.csv\"\n", ""), HasSubstr("input_path is missing"));
  EXPECT_THAT(problem("\"SFS\"", "\"XGBoost\""), HasSubstr("XGBoost_tolerance is missing"));
  EXPECT_THAT(problem("\"SFS\"", "\"PCA\""), HasSubstr("expected SFS or XGBoost"));
  EXPECT_THAT(problem("inverse = [*]", "inverse = 7"), HasSubstr("[*] for all"));
  EXPECT_THAT(problem("normalization = True", "normalization = Maybe"),
              HasSubstr("expected True or False"));
  EXPECT_THAT(problem("[General]", "[Generous]"), HasSubstr("there is no section [General]"));
}

}  // namespace
}  // namespace reckon::app
