// arch: 90
// The asynchronous proxy: a bulk copy of shared memory that a thread has written. Shared memory is -1 at
// first.
#include "shape.h"

__device__ static unsigned offset_of(const int* words) { return unsigned(__cvta_generic_to_shared(words)); }

__device__ static void copy(int* to, const int* from) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;"
      "cp.async.bulk.commit_group;" ::"l"(to),
      "r"(offset_of(from))
      : "memory");
}
#define STORE(value) \
  ({ asm volatile("st.shared.u32 [%0], %1;" ::"r"(offset_of(words)), "r"(value) : "memory"); })
#define PROXY_FENCE() ({ asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); })
#define WAIT() ({ asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); })
#define WAIT_READ() ({ asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); })

// "Proxy-preserved base causality order" (PTX ISA): what the generic proxy wrote, the asynchronous one need
// not see without a fence between the two.
//
// state:   r[0]
// allowed: -1, 7
SHAPE_ONCE(bulk_without_fence, "0", s.r[0] == 7) {
  __shared__ alignas(16) int words[4];
  STORE(7);
  copy(r, words);
  WAIT();
}

// state:     r[0]
// allowed:   7
// forbidden: -1 causality
SHAPE_ONCE(bulk_with_fence, "0", s.r[0] == 7) {
  __shared__ alignas(16) int words[4];
  STORE(7);
  PROXY_FENCE();
  copy(r, words);
  WAIT();
}

// The copy goes on beside what the thread does next.
//
// state:   r[0]
// allowed: 7, 9
SHAPE_ONCE(bulk_source_overwritten, "0", s.r[0] == 7) {
  __shared__ alignas(16) int words[4];
  STORE(7);
  PROXY_FENCE();
  copy(r, words);
  PROXY_FENCE();
  STORE(9);
  WAIT();
}

// state:     r[0]
// allowed:   7
// forbidden: 9 *
SHAPE_ONCE(bulk_source_waited_for, "0", s.r[0] == 7) {
  __shared__ alignas(16) int words[4];
  STORE(7);
  PROXY_FENCE();
  copy(r, words);
  WAIT_READ();
  PROXY_FENCE();
  STORE(9);
  WAIT();
}
