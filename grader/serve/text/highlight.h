// C++ and CUDA in colours: which characters are comments, strings, keywords and the like.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli::serve {

/// The lines of a source as HTML, without line ends; what has a colour stands in a `<span class="...">` that
/// ends with the line: c comment, s string or character, d directive, k keyword, t type, n number, g what
/// CUDA adds.
std::vector<std::string> highlighted(std::string_view source);

}  // namespace ladder::cli::serve
