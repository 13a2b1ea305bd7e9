// SHA-256: names that nobody can make two different files share. Every hash of contents is one.
#pragma once

#include <string>
#include <string_view>

namespace ladder::cli {

/// SHA-256 of @p bytes as FIPS 180-4 defines it. @return 64 hexadecimal digits
std::string sha256(std::string_view bytes);

}  // namespace ladder::cli
