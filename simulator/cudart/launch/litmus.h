// The first launch of a program, explored instead of run: `ladder litmus`.
#pragma once

#include "simulator/cudart/launch/execute.h"

namespace sim::cudart {

/// Whether a launch is the one to explore: LADDER_SIM_LITMUS names the file for the record, and
/// LADDER_SIM_LITMUS_KERNEL, where it is set, the kernel.
bool explores(const CheckedLaunch& launch);

/// Finds all executions of a launch that the memory model allows, and the final states of memory that they
/// lead to. Returns once for each of them, in a copy of the process whose memory is in that state: so the
/// program goes on as if the launch had run, and says itself whether the state is right. The process itself
/// gathers what the copies say, writes the record and ends.
void explore(const CheckedLaunch& launch);

}  // namespace sim::cudart
