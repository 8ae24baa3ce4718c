#include "plot/text_fit.h"

#include <gtest/gtest.h>

namespace reckon::plot {
namespace {

TEST(TextWidth, GrowsWithTextAndSize) {
  EXPECT_EQ(TextWidth("", 12), 0);
  EXPECT_GT(TextWidth("mm", 12), TextWidth("ii", 12));
  EXPECT_DOUBLE_EQ(TextWidth("abc", 24), 2 * TextWidth("abc", 12));
  // Characters count, not bytes.
  EXPECT_LT(TextWidth("ää", 12), TextWidth("aaaa", 12));
}

TEST(FitText, KeepsWhatFits) {
  EXPECT_EQ(FitText("workers", 12, 200), "workers");
  EXPECT_EQ(FitText("", 12, 0), "");
  EXPECT_EQ(FitText("two\nlines", 12, 200), "two lines");
}

TEST(FitText, CutsWithAnEllipsisInsideTheWidth) {
  const std::string text = "a very long name of a machine type that nobody can read";
  for (double width = 20; width < 400; width += 7) {
    const std::string fitted = FitText(text, 12, width);
    EXPECT_LE(TextWidth(fitted, 12), width) << fitted;
    if (fitted == text) continue;
    ASSERT_TRUE(fitted.ends_with("…")) << fitted;
    const std::string kept = fitted.substr(0, fitted.size() - std::string("…").size());
    EXPECT_TRUE(text.starts_with(kept)) << fitted;
    EXPECT_FALSE(kept.ends_with(' ')) << fitted;
  }
}

TEST(FitText, NeverCutsACharacterInTwo) {
  const std::string text = "äöü訓練時間😀😀😀😀";
  for (double width = 0; width < 200; width += 1) {
    const std::string fitted = FitText(text, 12, width);
    EXPECT_EQ(CleanText(fitted), fitted);
    EXPECT_EQ(fitted.find("\uFFFD"), std::string::npos) << fitted;
  }
}

}  // namespace
}  // namespace reckon::plot
