// Whose fault it is that the compiler made nothing: the file's or the machine's.
#pragma once

#include "grader/grade/publish/policy.h"
#include "grader/grade/sandbox/compiler_cell.h"

namespace ladder::cli::grade {

enum class Blame {
  nobody,   ///< the product is there
  file,     ///< the compiler says at which line, or worked at it for all the CPU time that it may have
  machine,  ///< no cell could be made, or the compiler hardly ran
  unknown,  ///< a file that is known to compile has to tell
};

/// Judges one call. What a student can print leads to Blame::unknown at most, and from there no further than
/// what the control file says.
/// @param made  whether the product is there
Blame blame(const CompilerCall& call, bool made, const Limits& limits);

/// What to tell of a call that the machine is to blame for.
std::string trouble(const CompilerCall& call);

}  // namespace ladder::cli::grade
