// What rung 8 needs beside common/tma.h: a copy without a tensor map. For compute capability 9.0.
#pragma once

#include "common/tma.h"

/// Copies from shared to global memory, in the background; both at multiples of 16 bytes, and as many.
__device__ inline void bulk_store(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
