#include "plot/svg_writer.h"

#include <gtest/gtest.h>

#include "tests/unit/plot/xml_check.h"

namespace reckon::plot {
namespace {

TEST(XmlCheck, AcceptsTheGoodAndFindsTheBad) {
  EXPECT_EQ(XmlCheck::Problem("<a><b c=\"1\" d=\"&amp;\"/>x &lt; y</a>\n"), "");
  for (const char* bad :
       {"", "<a>", "<a></b>", "<a/><b/>", "<a x=\"1\" x=\"2\"/>", "<a x=\"<\"/>", "<a>&nbsp;</a>",
        "<a>&</a>", "<a x=1/>", "<a x=\"1/>", "x<a/>", "<a>\x01</a>", "<a/>x"}) {
    EXPECT_NE(XmlCheck::Problem(bad), "") << bad;
  }
}

TEST(EscapeXml, ReplacesWhatXmlKeepsForItself) {
  EXPECT_EQ(EscapeXml("a<b>&\"c\"'d'"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;d&#39;");
  EXPECT_EQ(EscapeXml("&amp;"), "&amp;amp;");
  EXPECT_EQ(EscapeXml("größe 訓練 😀"), "größe 訓練 😀");
}

TEST(EscapeXml, ReplacesControlCharactersAndInvalidBytes) {
  EXPECT_EQ(EscapeXml("a\tb\nc\rd"), "a b c d");
  EXPECT_EQ(EscapeXml(std::string_view("a\0b\x1f\x7f", 5)), "a\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(EscapeXml("\xff\xfe"), "\uFFFD\uFFFD");
  EXPECT_EQ(EscapeXml("\xc3"), "\uFFFD");                                // cut off
  EXPECT_EQ(EscapeXml("\xc0\xaf"), "\uFFFD\uFFFD");                      // overlong '/'
  EXPECT_EQ(EscapeXml("\xe0\x80\xbc"), "\uFFFD\uFFFD\uFFFD");            // overlong '<'
  EXPECT_EQ(EscapeXml("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");            // surrogate
  EXPECT_EQ(EscapeXml("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
  EXPECT_EQ(EscapeXml("\xef\xbf\xbf"), "\uFFFD");  // U+FFFF is no XML character
}

TEST(FormatCoordinate, HasAtMostTwoDecimals) {
  EXPECT_EQ(FormatCoordinate(0), "0");
  EXPECT_EQ(FormatCoordinate(-0.0), "0");
  EXPECT_EQ(FormatCoordinate(-0.001), "0");
  EXPECT_EQ(FormatCoordinate(100), "100");
  EXPECT_EQ(FormatCoordinate(12.5), "12.5");
  EXPECT_EQ(FormatCoordinate(12.346), "12.35");
  EXPECT_EQ(FormatCoordinate(-3.999), "-4");
}

TEST(FormatCoordinateDeathTest, RefusesNan) {
  EXPECT_DEATH(FormatCoordinate(0.0 / 0.0), "check failed");
}

TEST(SvgWriter, NestsAndIndents) {
  SvgWriter svg;
  svg.Open("svg", {{"a", "x\"y"}});
  svg.Empty("rect", {{"x", 1.5}});
  svg.Text("text", {}, "1 < 2");
  svg.Close();
  EXPECT_EQ(std::move(svg).Finish(),
            "<svg a=\"x&quot;y\">\n"
            "  <rect x=\"1.5\"/>\n"
            "  <text>1 &lt; 2</text>\n"
            "</svg>\n");
}

TEST(SvgWriterDeathTest, RefusesUnbalancedElements) {
  EXPECT_DEATH(
      {
        SvgWriter svg;
        svg.Open("svg", {});
        static_cast<void>(std::move(svg).Finish());
      },
      "check failed");
  EXPECT_DEATH(SvgWriter().Close(), "check failed");
}

}  // namespace
}  // namespace reckon::plot
