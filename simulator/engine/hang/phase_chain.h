// Why a phase of an mbarrier does not end: who ended the one before, and what that thread waits for itself.
#pragma once

#include <string>

#include "simulator/decode/wrappers.h"
#include "simulator/engine/block.h"

namespace sim::exec {

/// "full[2]"
std::string mbarrier_name(const Block& block, u32 offset);

/// What the copies of the present phase have brought of the bytes that it expects: ": the copy at line 88
/// asks for a box of 64 x 64 elements of 2 bytes"; empty where as many came as it expects.
std::string bytes_in_words(const Block& block, u32 offset, const Wrappers& wrappers, const std::string& file);

/// A sentence that follows the waits from the mbarrier at @p offset on, from the thread that should arrive
/// there to what it waits for; empty where nobody is known.
/// @param file  of the finding: places in others are named with theirs
std::string phase_chain(const Block& block, u32 offset, const Wrappers& wrappers, const std::string& file);

}  // namespace sim::exec
