#include "plot/text_fit.h"

#include <array>
#include <cstddef>

namespace reckon::plot {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kEllipsis = "\u2026";

// Takes one character off the front of `text`; an invalid byte is one replacement character.
char32_t TakeCharacter(std::string_view& text) {
  struct Form {
    unsigned lead_mask, lead;
    size_t tail;
    char32_t smallest;  // anything below is an overlong spelling
  };
  constexpr std::array<Form, 4> kForms{{{0x80, 0x00, 0, 0},
                                        {0xE0, 0xC0, 1, 0x80},
                                        {0xF0, 0xE0, 2, 0x800},
                                        {0xF8, 0xF0, 3, 0x10000}}};
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  for (const Form& form : kForms) {
    if ((lead & form.lead_mask) != form.lead || text.size() <= form.tail) continue;
    char32_t character = lead & ~form.lead_mask;
    bool valid = true;
    for (size_t i = 1; i <= form.tail; ++i) {
      valid = valid && (byte(i) & 0xC0U) == 0x80U;
      character = character << 6 | (byte(i) & 0x3FU);
    }
    const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
    if (!valid || character < form.smallest || surrogate || character > 0x10FFFF) break;
    text.remove_prefix(form.tail + 1);
    return character;
  }
  text.remove_prefix(1);
  return kReplacement;
}

char32_t ToDrawable(char32_t character) {
  if (character == '\t' || character == '\n' || character == '\r') return ' ';
  const bool control = character < 0x20 || (character >= 0x7F && character < 0xA0);
  return control || character == 0xFFFE || character == 0xFFFF ? kReplacement : character;
}

void Append(char32_t character, std::string& out) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0 | character >> 6);
    put(0x80 | (character & 0x3F));
  } else if (character < 0x10000) {
    put(0xE0 | character >> 12);
    put(0x80 | (character >> 6 & 0x3F));
    put(0x80 | (character & 0x3F));
  } else {
    put(0xF0 | character >> 18);
    put(0x80 | (character >> 12 & 0x3F));
    put(0x80 | (character >> 6 & 0x3F));
    put(0x80 | (character & 0x3F));
  }
}

// Advance as a share of the font size, rounded up from DejaVu Sans.
double Advance(char32_t character) {
  constexpr std::string_view kNarrow = "iljI.,:;'|!() []ftr/-";
  if (character >= 0x1100) return character >= 0x2000 && character < 0x2E80 ? 0.75 : 1.0;
  if (character >= 0x80) return 0.65;
  const char c = static_cast<char>(character);
  if (kNarrow.find(c) != std::string_view::npos) return 0.4;
  if (c == 'm' || c == 'M' || c == 'W' || c == '@' || c == '%') return 1.0;
  if (c >= 'A' && c <= 'Z') return 0.75;
  return c == 'w' || c == '=' || c == '+' || c == '<' || c == '>' ? 0.84 : 0.64;
}

}  // namespace

std::string CleanText(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) Append(ToDrawable(TakeCharacter(text)), clean);
  return clean;
}

double TextWidth(std::string_view text, double font_size) {
  double width = 0;
  while (!text.empty()) width += Advance(ToDrawable(TakeCharacter(text)));
  return width * font_size;
}

std::string FitText(std::string_view text, double font_size, double width) {
  std::string clean = CleanText(text);
  if (TextWidth(clean, font_size) <= width) return clean;
  const double room = width - TextWidth(kEllipsis, font_size);
  std::string_view rest = clean;
  double used = 0;
  size_t kept = 0;
  while (!rest.empty()) {
    used += Advance(TakeCharacter(rest)) * font_size;
    if (used > room) break;
    kept = clean.size() - rest.size();
  }
  // No blank before the ellipsis.
  while (kept > 0 && clean[kept - 1] == ' ') --kept;
  clean.resize(kept);
  clean += kEllipsis;
  return clean;
}

}  // namespace reckon::plot
