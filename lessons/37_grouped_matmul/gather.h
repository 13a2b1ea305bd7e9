// Copies of 16 bytes that a thread starts and that no tensor map describes. For compute capability 8.0 and
// up.
#pragma once

#include "common/mbarrier.h"

/// Copies 16 bytes to shared memory, in the background, past the L1.
__device__ inline void copy_vector(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

/// Ends a group of copies: those that this thread started since the last one.
__device__ inline void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until all but the latest kLeft groups of this thread have arrived.
template <int kLeft>
__device__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}
