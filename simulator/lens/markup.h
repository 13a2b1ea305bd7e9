// Text as it has to stand in HTML, SVG and XML: of the lens's pages, and of every page and
// report of the grader.
#pragma once

#include <string>

namespace sim::lens {

/// @p text for an element or a quoted attribute. Characters that XML 1.0 does not know are left out.
inline std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (c == '\n')
      safe += "&#10;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t')
      safe += c;
  }
  return safe;
}

}  // namespace sim::lens
