// Leaving word about a crash on a page that outlives the process.
#pragma once

#include "grader/protocol/protocol.h"
#include "grader/worker/worker_memory.h"

namespace ladder {

/// The page at kLastWordsFd. @throws std::system_error when it cannot be mapped
LastWords& last_words();

/// From now on a fatal signal notes itself and its address on the page before it ends the process as usual.
void note_fatal_signals();

/// From now on exit() ends the process at once: destructors of the CUDA runtime or of the student's globals
/// that crash would hide that exit() was called.
void leave_quickly_on_exit();

/// Notes where the arrays of a case lie, so that a stray host access to one of them can be named.
void note_arrays(const ArgumentSet& arguments);

}  // namespace ladder
