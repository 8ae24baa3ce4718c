// How much room text takes, and text cut to the room there is. An SVG does not know the reader's
// fonts, so widths are estimates for a wide sans-serif (DejaVu Sans): narrower fonts leave some
// room, none runs out of it.
#pragma once

#include <string>
#include <string_view>

namespace reckon::plot {

// `text` with every invalid byte and every character XML 1.0 forbids replaced by U+FFFD, and line
// breaks and tabs by blanks.
std::string CleanText(std::string_view text);

// Width of `text` set at `font_size`, in the unit of the size.
double TextWidth(std::string_view text, double font_size);

// `text`, cleaned, or as much of its beginning as fits `width`, followed by an ellipsis. Never cuts
// a character in two.
std::string FitText(std::string_view text, double font_size, double width);

}  // namespace reckon::plot
