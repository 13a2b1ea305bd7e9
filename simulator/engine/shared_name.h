// Variables in shared memory as the source calls them.
#pragma once

#include <string>

#include "simulator/decode/code.h"
#include "simulator/report/array_shape.h"

namespace sim::exec {

/// "tile" from the mangled name of a variable in a function.
std::string source_name(const std::string& mangled);

/// The variable that an offset of shared memory lies in; null where it is not known.
const SharedVariable* find_shared(const Code& code, u32 offset);

/// "tile": the variable that an offset of shared memory lies in; empty where it is not known.
std::string variable_at(const Code& code, u32 offset);

/// The array that a variable is, of elements of @p bytes where its type is not known; unknown where it is no
/// array.
ArrayShape shape_of(const SharedVariable& variable, u32 bytes);

/// "tile[8][6]" or "stage.sums[3]": the part of a variable that an access of @p bytes begins in, @p offset
/// bytes behind its start. Where the variable's type is not known, it is an array of elements of @p bytes.
std::string element_name(const SharedVariable& variable, s64 offset, u32 bytes);

/// "tile has 512 elements" or "tile is [16][32]", with elements as element_name() counts them.
std::string extent_in_words(const SharedVariable& variable, u32 bytes);

/// What lies at an offset of shared memory, by element_name(); empty where it is not known.
std::string shared_name(const Code& code, u32 offset, u32 bytes);

}  // namespace sim::exec
