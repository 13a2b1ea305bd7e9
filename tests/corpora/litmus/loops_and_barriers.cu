// Threads that wait for each other: by loops, locks and barriers.
#include "shape.h"

// Behind an acquiring wait the message is there.
//
// state:     r[0]
// allowed:   1
// forbidden: 0 causality
SHAPE(wait_acquire, "01", s.r[0] == 1) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    int flag;
    do {
      flag = LD(acquire.gpu, y);
    } while (flag == 0);
    r[0] = LD(weak, x);
  }
}

// state:   r[0]
// allowed: 0, 1
SHAPE(wait_relaxed, "01", s.r[0] == 1) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    int flag;
    do {
      flag = LD(relaxed.gpu, y);
    } while (flag == 0);
    r[0] = LD(weak, x);
  }
}

// A lock at x around y += 1. What the one thread adds the other sees.
//
// state:     y
// allowed:   2
// forbidden: 1 *
SHAPE(lock_acquire_release, "01", s.y == 2) {
  int taken;
  do {
    taken = CAS(acquire.gpu, x, 0, 1);
  } while (taken != 0);
  const int before = LD(weak, y);
  ST(weak, y, before + 1);
  ST(release.gpu, x, 0);
}

// state:   y
// allowed: 1, 2
SHAPE(lock_relaxed, "01", s.y == 2) {
  int taken;
  do {
    taken = CAS(relaxed.gpu, x, 0, 1);
  } while (taken != 0);
  const int before = LD(weak, y);
  ST(weak, y, before + 1);
  ST(relaxed.gpu, x, 0);
}

// "bar.sync synchronizes with bar.sync on the same barrier" (PTX ISA, "Memory synchronization").
//
// state:     r[0]
// allowed:   1
// forbidden: 0 causality
SHAPE_ONCE(barrier_of_block, "00", s.r[0] == 1) {
  if (thread == 0) ST(weak, x, 1);
  __syncthreads();
  if (thread == 1) r[0] = LD(weak, x);
}

// The read is before the barrier.
//
// state:   r[0]
// allowed: 0, 1
SHAPE_ONCE(barrier_behind, "00", s.r[0] == 1) {
  if (thread == 0) ST(weak, x, 1);
  if (thread == 1) r[0] = LD(weak, x);
  __syncthreads();
}

// state:     r[0]
// allowed:   1
// forbidden: 0 causality
SHAPE_ONCE(barrier_of_warp, "00", s.r[0] == 1) {
  if (thread == 0) ST(weak, x, 1);
  __syncwarp();
  if (thread == 1) r[0] = LD(weak, x);
}

// A barrier of the block orders its threads; what another block is told by a strong flag needs a pattern,
// too.
//
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE_ONCE(barrier_then_relaxed_flag, "001", !(s.r[0] == 1 && s.r[1] == 0)) {
  if (thread == 0) ST(weak, x, 1);
  if (thread <= 1) __syncthreads();
  if (thread == 1) ST(relaxed.gpu, y, 1);
  if (thread == 2) {
    r[0] = LD(acquire.gpu, y);
    r[1] = LD(weak, x);
  }
}

// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 1
// forbidden: 1 0 causality
SHAPE_ONCE(barrier_then_release, "001", !(s.r[0] == 1 && s.r[1] == 0)) {
  if (thread == 0) ST(weak, x, 1);
  if (thread <= 1) __syncthreads();
  if (thread == 1) ST(release.gpu, y, 1);
  if (thread == 2) {
    r[0] = LD(acquire.gpu, y);
    r[1] = LD(weak, x);
  }
}
