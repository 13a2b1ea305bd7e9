// Accesses outside their array, in elements where the array's shape is known.
#pragma once

#include <string>

#include "simulator/decode/code.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/warp.h"
#include "simulator/report/array_shape.h"

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
std::string outside_in_words(const ArrayShape& array, const Index3& thread, const char* verb, u32 bytes,
                             s64 offset);

/// Symbol, message and cure of an access at an address that is no multiple of its bytes. Space, access, size
/// and thread of @p f are filled in.
/// @param address  in shared and local memory: the offset, or a generic one
void describe_misaligned(Finding& f, const memory::AddressSpace& space, const Code& code, u64 address);

}  // namespace sim::exec
