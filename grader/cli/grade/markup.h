// Text as it has to stand in XML and HTML.
#pragma once

#include <string>

namespace ladder::cli::grade {

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

}  // namespace ladder::cli::grade
