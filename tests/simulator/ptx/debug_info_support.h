// Debugging information as nvcc writes it, for small functions.
#pragma once

#include <string>

namespace sim::test {

/// Sections that tell of int a[4] at the start of a frame and int b[4] behind it.
/// @param frame  the .local variable that holds both
inline std::string two_arrays(const std::string& frame) {
  // Codes: 1 a variable with location, name and type; 2 an
  // array of a type; 3 its extent; 4 a number; 5 a unit.
  const std::string abbreviations = R"(
.section .debug_abbrev
{
.b8 1, 52, 0, 2, 10, 3, 8, 73, 19, 0, 0
.b8 2, 1, 1, 73, 19, 0, 0
.b8 3, 33, 0, 55, 11, 0, 0
.b8 4, 36, 0, 3, 8, 11, 11, 0, 0
.b8 5, 17, 1, 0, 0
.b8 0
}
)";
  const auto variable = [&](char name, int at) {
    return ".b8 1, 11, 3\n.b64 " + frame + "\n.b8 35, " + std::to_string(at) + ", " +
           std::to_string(int(name)) + ", 0\n.b32 18\n";
  };
  return abbreviations + R"(
.section .debug_info
{
.b32 61
.b8 2, 0
.b32 .debug_abbrev
.b8 8
.b8 5
.b8 4, 105, 110, 116, 0, 4
.b8 2
.b32 12
.b8 3, 4
.b8 0
)" + variable('a', 0) +
         variable('b', 16) + ".b8 0\n}\n";
}

}  // namespace sim::test
