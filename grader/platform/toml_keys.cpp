#include "grader/platform/toml_keys.h"

#include <algorithm>

namespace ladder::cli::grade {

std::size_t line_of_long_key(std::string_view toml, int most) {
  std::size_t line = 1;
  int parts = 1;
  for (std::size_t i = 0; i < toml.size(); ++i) {
    const char c = toml[i];
    if (c == '"' || c == '\'') {  // a quoted part is one; a text of several lines reads as lines of keys
      for (++i; i < toml.size() && toml[i] != c && toml[i] != '\n'; ++i) i += c == '"' && toml[i] == '\\';
      i -= i < toml.size() && toml[i] == '\n';
    } else if (c == '.' && (i == 0 || toml[i - 1] != '.')) {  // and not dots for decoration
      if (++parts > most) return line;
    } else if (std::string_view("\n=,{}[]#").find(c) != std::string_view::npos) {
      parts = 1;
      line += c == '\n';
    }
  }
  return 0;
}

}  // namespace ladder::cli::grade
