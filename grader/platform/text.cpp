#include "grader/platform/text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

namespace ladder::cli {

Point first_point(std::string_view text) {
  utf8proc_int32_t value = 0;
  const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                   static_cast<utf8proc_ssize_t>(text.size()), &value);
  return length > 0 ? Point{static_cast<std::uint32_t>(value), static_cast<std::size_t>(length)} : Point{};
}

namespace {

struct Range {
  std::uint32_t first, last;
};

template <std::size_t N>
bool lies_in(std::uint32_t point, const Range (&ranges)[N]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return point >= range.first && point <= range.last; });
}

/// Blanks of all widths, control characters, and what a line or a paragraph ends with.
bool is_blank(std::uint32_t c) {
  constexpr std::uint32_t kBraille = 0x2800;  // its blank
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      return c == kBraille;
  }
}

}  // namespace

bool is_invisible(std::uint32_t c) {
  // What Unicode has set aside for more of the kind, marks of annotations, and what is no character.
  static constexpr Range kSetAside[] = {
      {0x2065, 0x2065}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE0FFF}};
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->ignorable || lies_in(c, kSetAside);
}

bool is_stand_in(std::uint32_t c) {
  static constexpr Range kStandIns[] = {
      {0xA8, 0xA8},     {0xAA, 0xAA},       {0xAF, 0xAF},       {0xB2, 0xB5},       {0xB8, 0xBA},
      {0xBC, 0xBE},     {0x132, 0x133},     {0x13F, 0x140},     {0x149, 0x149},     {0x17F, 0x17F},
      {0x1C4, 0x1CC},   {0x1F1, 0x1F3},     {0x250, 0x2B8},     {0x2BD, 0x2FF},     {0x37A, 0x37A},
      {0x37E, 0x37E},   {0x3D0, 0x3D6},     {0x3F0, 0x3F5},     {0x13A0, 0x13FF},   {0x1680, 0x16FF},
      {0x1D00, 0x1DBF}, {0x1FBD, 0x1FC1},   {0x2010, 0x2011},   {0x2024, 0x2027},   {0x2032, 0x205E},
      {0x2070, 0x209F}, {0x20A8, 0x20A8},   {0x2100, 0x27FF},   {0x2900, 0x2DFF},   {0x2E80, 0x2FDF},
      {0x3131, 0x3163}, {0x3165, 0x318E},   {0x3190, 0x319F},   {0x3200, 0x33FF},   {0xA4D0, 0xA4FF},
      {0xA640, 0xA7FF}, {0xAB30, 0xABBF},   {0xE000, 0xFDFF},   {0xFE10, 0xFE1F},   {0xFE30, 0xFEFE},
      {0xFF00, 0xFFEF}, {0x10000, 0x1FFFF}, {0x2F800, 0x2FA1F}, {0x323B0, 0x10FFFF}};
  return lies_in(c, kStandIns) && !is_invisible(c);
}

std::string code_point(std::uint32_t point) { return fmt::format("<U+{:04X}>", point); }

bool is_text(std::string_view text) {
  while (!text.empty()) {
    const Point point = first_point(text);
    if (point.length == 0 || point.value == 0) return false;
    text.remove_prefix(point.length);
  }
  return true;
}

std::string printable_name(std::string_view name) {
  std::string clean;
  while (!name.empty()) {
    const Point point = first_point(name);
    if (point.length == 0)
      clean += "\uFFFD";
    else if (is_blank(point.value))
      clean += clean.empty() || clean.ends_with(' ') ? "" : " ";
    else if (is_stand_in(point.value))
      clean += code_point(point.value);
    else if (!is_invisible(point.value))
      clean += name.substr(0, point.length);
    name.remove_prefix(point.length == 0 ? 1 : point.length);
  }
  if (clean.ends_with(' ')) clean.pop_back();
  return clean.empty() ? "unnamed" : clean;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::string begin, end;  // what is long keeps both ends: a path's last name says more than its folders
  const auto append = [](std::string& to, std::string_view& from, std::size_t room) {
    while (!from.empty()) {
      const Point point = first_point(from);
      const bool control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
      const std::string_view shown = point.length == 0 ? "\uFFFD"
                                     : control         ? " "
                                                       : from.substr(0, point.length);
      if (to.size() + shown.size() > room) return;
      to += shown;
      from.remove_prefix(point.length == 0 ? 1 : point.length);
    }
  };
  append(begin, text, text.size() <= most ? 3 * most : most / 2);
  if (text.empty()) return begin;
  std::size_t from = text.size() - std::min(text.size(), most / 2 - 3);
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
  text.remove_prefix(from);
  append(end, text, most / 2);
  return begin + "…" + end;
}

}  // namespace ladder::cli
