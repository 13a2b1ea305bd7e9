#include "grader/cli/grade/text.h"

#include <cstdint>

namespace ladder::cli::grade {
namespace {

struct Point {
  std::uint32_t value = 0;
  std::size_t length = 0;  ///< bytes; 0 where they are no UTF-8
};

/// The character at the beginning of @p text, which is not empty (RFC 3629).
Point first_point(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first < 0xE0                  ? 0
                             : first < 0xF0                  ? 3
                             : first < 0xF5                  ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return {};
  Point point{length == 1 ? first : first & (0x7Fu >> length), length};
  for (std::size_t k = 1; k < length; ++k) {
    const auto next = static_cast<unsigned char>(text[k]);
    if ((next & 0xC0) != 0x80) return {};
    point.value = point.value << 6 | (next & 0x3F);
  }
  const bool overlong = (length == 3 && point.value < 0x800) || (length == 4 && point.value < 0x10000);
  const bool surrogate = point.value >= 0xD800 && point.value < 0xE000;
  return overlong || surrogate || point.value > 0x10FFFF ? Point{} : point;
}

bool turns_direction(std::uint32_t c) {
  return c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

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
    const bool no_character = point.value == 0xFEFF || point.value == 0xFFFE || point.value == 0xFFFF;
    if (point.length == 0)
      clean += "\uFFFD";
    else if (point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0))
      clean += ' ';
    else if (!no_character && !turns_direction(point.value))
      clean += name.substr(0, point.length);
    name.remove_prefix(point.length == 0 ? 1 : point.length);
  }
  const std::size_t begin = clean.find_first_not_of(' ');
  if (begin == std::string::npos) return "unnamed";
  return clean.substr(begin, clean.find_last_not_of(' ') - begin + 1);
}

std::string without_secrets(const std::string& remote) {
  const std::size_t scheme = remote.find("://");
  if (scheme == std::string::npos) return remote;
  const std::size_t begin = scheme + 3, end = remote.find('/', begin);
  const std::size_t at = remote.substr(0, end).rfind('@');
  if (at == std::string::npos || at < begin) return remote;
  if (remote.starts_with("http")) return remote.substr(0, begin) + remote.substr(at + 1);
  const std::size_t colon = remote.find(':', begin);
  return colon < at ? remote.substr(0, colon) + remote.substr(at) : remote;
}

}  // namespace ladder::cli::grade
