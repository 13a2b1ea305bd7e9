#include "grader/grade/collect/names_alike.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "grader/platform/text.h"

namespace ladder::cli::grade {
namespace {

/// The base letters of Latin's letters with marks, from a first code point on; * where there is none.
struct Letters {
  std::uint32_t first;
  std::string_view base;
};
constexpr Letters kLatin[] = {
    {0xC0,
     "aaaaaa*ceeeeiiii*nooooo**uuuuy**aaaaaa*ceeeeiiii*nooooo**uuuuy*yaaaaaaccccccccdd**eeeeeeeeeegggggggghh*"
     "*"
     "iiiiiiiiii**jjkk*llllll**llnnnnnn***oooooo**rrrrrrsssssssstttt**uuuuuuuuuuuuwwyyyzzzzzz*"},
    {0x1A0, "oo"},
    {0x1AF, "uu"},
    {0x1CD,
     "aaiioouuuuuuuuuu*aaaa****ggkkoooo**j***gg**nnaa****aaaaeeeeiiiioooorrrruuuusstt**hh******"
     "aaeeooooooooyy"},
    {0x1E00,
     "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrsssssss"
     "sssttttttt"
     "tuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwy******"
     "aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooo"
     "oouuuuuuuuuuuuuuyyyyyyyy"}};

/// Letters of other scripts that are drawn as a Latin one is, small or large, with marks or without.
constexpr std::pair<char, std::u32string_view> kDrawnAlike[] = {{'a', U"АаӐӑӒӓΑαΆά"},
                                                                {'b', U"ВвЬьЪъΒβ"},
                                                                {'c', U"СсϹϲ"},
                                                                {'d', U"Ԁԁ"},
                                                                {'e', U"ЕеЁёЀѐӖӗΕεΈέ"},
                                                                {'g', U"ց"},
                                                                {'h', U"НнҺһΗΉհ"},
                                                                {'i', U"ІіЇїıΙιΊίΪϊΐ"},
                                                                {'j', U"ЈјϳͿ"},
                                                                {'k', U"КкЌќΚκ"},
                                                                {'l', U"ӀӏԼ"},
                                                                {'m', U"МмΜ"},
                                                                {'n', U"Νηήոп"},
                                                                {'o', U"ОоӦӧΟοΌόσօՕ"},
                                                                {'p', U"РрΡρ"},
                                                                {'q', U"Ԛԛզ"},
                                                                {'r', U"г"},
                                                                {'s', U"ЅѕՏ"},
                                                                {'t', U"ТтΤτ"},
                                                                {'u', U"υύϋΰսՍ"},
                                                                {'v', U"ѴѵνѶѷ"},
                                                                {'w', U"ԜԝωώѡѠ"},
                                                                {'x', U"ХхΧχ"},
                                                                {'y', U"УуЎўҮүӮӯӰӱӲӳΥΎΫγ"},
                                                                {'z', U"Ζ"}};

bool is_mark(std::uint32_t c) {
  return (c >= 0x300 && c <= 0x36F) || (c >= 0x483 && c <= 0x489) || (c >= 0x1AB0 && c <= 0x1AFF) ||
         (c >= 0x1DC0 && c <= 0x1DFF) || (c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE20 && c <= 0xFE2F);
}

/// The Latin letter that a letter of another script is drawn as; 0 where there is none.
char drawn_as(std::uint32_t c) {
  for (const auto& [latin, others] : kDrawnAlike)
    if (others.find(static_cast<char32_t>(c)) != std::u32string_view::npos) return latin;
  return 0;
}

/// The same for Latin's own letters with marks.
char base_of(std::uint32_t c) {
  for (const auto& [first, base] : kLatin)
    if (c >= first && c - first < base.size() && base[c - first] != '*') return base[c - first];
  return 0;
}

/// A character by its code point; syllables of Hangul and kana with a mark, which may be written as one
/// character or as several, as several.
std::string parts_of(std::uint32_t c) {
  if (c >= 0xAC00 && c <= 0xD7A3) {
    const std::uint32_t at = c - 0xAC00, end = at % 28;
    return code_point(0x1100 + at / 588) + code_point(0x1161 + at % 588 / 28) +
           (end == 0 ? "" : code_point(0x11A7 + end));
  }
  const std::uint32_t kana = c >= 0x30A0 && c <= 0x30FE ? c - 0x60 : c;  // katakana as hiragana
  const bool voiced = (kana >= 0x304C && kana <= 0x3062 && kana % 2 == 0) || kana == 0x3065 ||
                      kana == 0x3067 || kana == 0x3069 || kana == 0x309E;
  const std::uint32_t third = kana >= 0x3070 && kana <= 0x307D ? (kana - 0x306F) % 3 : 0;  // of ha, ba, pa
  if (voiced || third == 1) return code_point(c - 1) + code_point(0x3099);
  if (third == 2) return code_point(c - 2) + code_point(0x309A);
  if (kana == 0x3094) return code_point(c - 0x4E) + code_point(0x3099);
  return code_point(c);
}

}  // namespace

std::string look_of(std::string_view name) {
  std::string look;
  while (!name.empty()) {
    const Point point = first_point(name);
    const std::uint32_t c = point.value;
    if (point.length == 0)
      look += "?";
    else if (c < 0x80)
      look += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
    else if (const char latin = base_of(c) != 0 ? base_of(c) : drawn_as(c); latin != 0)
      look += latin;
    else if (!is_mark(c) && !is_invisible(c))
      look += parts_of(c);
    name.remove_prefix(point.length == 0 ? 1 : point.length);
  }
  return look;
}

std::string name_by_code_points(std::string_view name) {
  std::string clear;
  while (!name.empty()) {
    const Point point = first_point(name);
    const std::uint32_t c = point.value;
    if (point.length == 0)
      clear += fmt::format("<0x{:02X}>", static_cast<unsigned char>(name[0]));
    else if (c < 0x20 || c == 0x7F || (c >= 0x80 && base_of(c) == 0) ||
             (c == ' ' && (clear.empty() || clear.ends_with(' ') || name.size() == 1)))
      clear += code_point(c);
    else
      clear += name.substr(0, point.length);
    name.remove_prefix(point.length == 0 ? 1 : point.length);
  }
  return clear;
}

std::vector<std::string> told_apart(const std::vector<std::string>& names, std::vector<std::string>& notes) {
  std::vector<std::string> shown;
  std::map<std::string, std::set<std::string>> by_look;  // what others might be taken for
  for (const std::string& name : names) {
    shown.push_back(printable_name(name));
    by_look[look_of(shown.back())].insert(name);
  }
  std::map<std::string, std::set<std::string>> alike;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string look = look_of(shown[i]);
    if (by_look[look].size() < 2) continue;
    shown[i] = name_by_code_points(names[i]);
    alike[look].insert(shown[i]);
  }
  for (const auto& [look, group] : alike) {
    std::string all;
    for (const std::string& name : group) all += (all.empty() ? "" : ", ") + name;
    notes.push_back("names that look alike: " + all);
  }
  std::set<std::string> used, taken(shown.begin(), shown.end());
  for (std::string& name : shown) {
    const std::string wanted = name;
    if (used.insert(name).second) continue;  // who comes first keeps a name
    for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{}-{}", wanted, number);
  }
  return shown;
}

}  // namespace ladder::cli::grade
