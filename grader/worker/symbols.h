// Names in shared objects, for telling a student which function is missing and what stands in its place.
#pragma once

#include <string>
#include <vector>

namespace ladder {

/// @return "transpose(float*, float const*, int, int)" for "_Z9transposePfPKfii"; the name itself when it is
/// no C++ name
std::string demangled(const std::string& symbol);

/// The name without its parameter list: "transpose".
std::string base_name(const std::string& demangled_name);

/// @return mangled names of the functions that the ELF file at @p path defines for others; empty when it
/// cannot be read
std::vector<std::string> defined_functions(const std::string& path);

/// The symbol in a dlopen() message "...: undefined symbol: NAME", or empty.
std::string undefined_symbol(const std::string& message);

}  // namespace ladder
