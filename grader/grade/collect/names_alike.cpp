#include "grader/grade/collect/names_alike.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <map>
#include <set>

#include "grader/platform/text.h"

namespace ladder::cli::grade {
namespace {

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

/// A character as Unicode takes it apart, into a letter and its marks: at least itself.
std::vector<std::uint32_t> decomposed(std::uint32_t c) {
  constexpr std::size_t kMost = 4;  // of no character are there more
  utf8proc_int32_t parts[kMost];
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, kMost, UTF8PROC_DECOMPOSE, &boundary);
  if (count < 1 || count > static_cast<utf8proc_ssize_t>(kMost)) return {c};
  return {parts, parts + count};
}

/// The same for Latin's own letters with marks.
char base_of(std::uint32_t c) {
  if (c == U'ł' || c == U'Ł') return 'l';  // a stroke is no mark that could be taken off
  if (c == U'ı') return 'i';
  const bool latin = (c >= 0xC0 && c < 0x250) || (c >= 0x1E00 && c < 0x1F00);
  const std::uint32_t base = latin ? decomposed(c)[0] : c;
  return base < 0x80 ? static_cast<char>(base | 0x20) : 0;
}

/// A character by its code point; syllables of Hangul and kana with a mark, which may be written as one
/// character or as several, as several.
std::string parts_of(std::uint32_t c) {
  if ((c < 0x3040 || c > 0x30FF) && (c < 0xAC00 || c > 0xD7A3)) return code_point(c);
  std::string all;
  for (const std::uint32_t part : decomposed(c)) all += code_point(part);
  return all;
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
