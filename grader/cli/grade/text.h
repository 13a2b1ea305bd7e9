// Text and names that others wrote.
#pragma once

#include <string>
#include <string_view>

namespace ladder::cli::grade {

/// Whether @p text is well-formed UTF-8 without zero bytes.
bool is_text(std::string_view text);

/// A file's name as it may stand in reports: UTF-8, with U+FFFD for bytes that are none, without control
/// characters and those that turn the direction of writing around. Never empty.
std::string printable_name(std::string_view name);

/// A git remote without its password; without anything that stands before the host where it comes by http,
/// since tokens do. What is no URL stays as it is.
std::string without_secrets(const std::string& remote);

}  // namespace ladder::cli::grade
