// Running a warp: basic block after basic block, one group of lanes at a time.
#pragma once

#include "simulator/engine/block.h"

namespace sim::exec {

/// Runs the warp until all its lanes wait or have exited, or until it has issued @p slice instructions.
/// @return done, waiting, or ready when the slice is used up
WarpState run_warp(Warp& w, s64 slice);

/// Lanes @p away of the running split go to basic block @p target, the rest to Warp::pc.
void split(Warp& w, Mask away, u32 target);

/// The running split's lanes leave the kernel.
void exit_lanes(Warp& w, Mask lanes);

/// Suspends the lanes @p lanes of the running split at basic block @p pc; the others go on.
void suspend_lanes(Warp& w, const Instr& in, Mask lanes, u32 pc, Wait wait, int barrier, Mask expected);

/// For instructions that all 32 lanes execute together (`.aligned`): false when the running split has been
/// suspended to wait for the others. @throws Fault "mask" when some of them have exited
bool all_lanes_here(Warp& w, const Instr& in);

/// Lanes enter a function: a new frame with their arguments.
void enter_function(Warp& w, const CallDetail& call, u32 function, Mask lanes);

/// Lanes go back behind the call that brought them into the running frame, with their results.
void return_to_caller(Warp& w, const Instr& in, Mask lanes);

}  // namespace sim::exec
