// A look at TOML before its parser, which calls itself for
// every part of a dotted key when it lets go of a value.
#pragma once

#include <cstddef>
#include <string_view>

namespace ladder::cli::grade {

/// The first line, from 1, with a key of more than @p most parts between dots; 0 where there is none.
std::size_t line_of_long_key(std::string_view toml, int most);

}  // namespace ladder::cli::grade
