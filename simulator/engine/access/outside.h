// Accesses outside their array, in elements where the array's shape is known.
#pragma once

#include <string>

#include "simulator/decode/code.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/warp.h"
#include "simulator/memory/array_shape.h"

namespace sim::exec {

/// Whether a comparison of integers stands before an access in its function, such as a guard or a loop's end.
bool is_guarded(const Code& code, const Instr& in);

/// What mends an access outside its array: where a comparison of integers stands before it in its function,
/// such as a guard or a loop's end, that one let the thread through.
/// @param element  "out[2]"; empty where the array is not known
/// @param extent   "out has 2 elements"
Cure cure_of_outside(const Code& code, const Instr& in, const std::string& element = "",
                     const std::string& extent = "");

/// "Thread (1,0,0) writes out[2]; out has 2 elements."
/// @param verb    "writes"
/// @param bytes   of the access; several elements are told as bytes
/// @param offset  of the access in the array, bytes
std::string outside_in_words(const memory::ArrayShape& array, const Index3& thread, const char* verb,
                             u32 bytes, s64 offset);

/// "Thread (1,0,0) reads 16 bytes from in[5] on, 4 bytes past a multiple of 16: in starts at one, and in[5]
/// is 20 bytes on."
/// @param base  address of the array's buffer; the rest as for outside_in_words()
std::string misaligned_in_words(const memory::ArrayShape& array, const Index3& thread, const char* verb,
                                u32 bytes, u64 base, s64 offset);

}  // namespace sim::exec
