// What a build for debuggers says of local and shared variables: DWARF, as nvcc -G writes it into PTX.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/ptx/program.h"

namespace sim::ptx {

/// A variable of the source that lies in a function's frame: its only .local variable.
struct LocalVariable {
  std::string name;
  std::uint64_t offset = 0;   ///< in the frame, bytes
  std::uint64_t size = 0;     ///< bytes
  std::uint64_t element = 0;  ///< bytes of an array's elements; otherwise its size
  bool plain = false;         ///< a number, a pointer, or an array of those: no byte of it is padding
  /// In the frame: bytes of redzone behind it, see insert_local_redzones().
  std::uint64_t room_at = 0;
  std::uint64_t room = 0;  ///< how many; 0: there is no room
};

/// The local variables of functions, by the function's name; of each by offset.
using Locals = std::map<std::string, std::vector<LocalVariable>, std::less<>>;

/// Reads the sections `.debug_abbrev` and `.debug_info`, and gives the module's variables in shared memory
/// their types. Of what it does not understand it says nothing: a program is not refused for its debugging
/// information.
/// @param text  of the module
Locals read_debug_info(std::string_view text, Module& module);

}  // namespace sim::ptx
