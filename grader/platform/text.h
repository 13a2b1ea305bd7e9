// Text and names that others wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::cli {

/// A character of UTF-8.
struct Point {
  std::uint32_t value = 0;
  std::size_t length = 0;  ///< bytes; 0 where they are no UTF-8
};

/// The character at the beginning of @p text, which is not empty (RFC 3629).
Point first_point(std::string_view text);

/// Whether @p text is well-formed UTF-8 without zero bytes.
bool is_text(std::string_view text);

/// Whether nothing is seen of a character: joiners, selectors, fillers, tags, marks of direction.
bool is_invisible(std::uint32_t point);

/// Whether a character stands for another one, which it is drawn like, in no living language: full-width and
/// mathematical letters, ligatures, letters in circles. Only what Unicode calls a compatibility character is
/// one, and letters of scripts that nobody's name is written in.
bool is_stand_in(std::uint32_t point);

/// "<U+0430>"
std::string code_point(std::uint32_t point);

/// A file's name as it may stand in reports: UTF-8, with U+FFFD for bytes that are none, stand-ins by their
/// code points, one blank for blanks and control characters, nothing for what is invisible. Never empty.
std::string printable_name(std::string_view name);

/// At most @p most bytes of @p text, UTF-8 without control characters; what is cut out is marked by an
/// ellipsis.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace ladder::cli
