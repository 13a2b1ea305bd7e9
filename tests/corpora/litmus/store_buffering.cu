// Store buffering and its relatives: each thread stores to one place and then looks at another.
#include "shape.h"

#define SOMEBODY_SEES !(s.r[0] == 0 && s.r[1] == 0)

// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(sb_relaxed, "01", SOMEBODY_SEES) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 1);
    r[0] = LD(relaxed.gpu, y);
  }
  if (thread == 1) {
    ST(relaxed.gpu, y, 1);
    r[1] = LD(relaxed.gpu, x);
  }
}

// Release and acquire order a store and a later load of another place no better.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(sb_release_acquire, "01", SOMEBODY_SEES) {
  if (thread == 0) {
    ST(release.gpu, x, 1);
    r[0] = LD(acquire.gpu, y);
  }
  if (thread == 1) {
    ST(release.gpu, y, 1);
    r[1] = LD(acquire.gpu, x);
  }
}

// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(sb_fence_acq_rel, "01", SOMEBODY_SEES) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 1);
    FENCE(acq_rel.gpu);
    r[0] = LD(relaxed.gpu, y);
  }
  if (thread == 1) {
    ST(relaxed.gpu, y, 1);
    FENCE(acq_rel.gpu);
    r[1] = LD(relaxed.gpu, x);
  }
}

// Only fence.sc does: the PTX ISA's litmus test of "Causality", with weak accesses.
// state:     r[0] r[1]
// allowed:   0 1, 1 0, 1 1
// forbidden: 0 0 causality
SHAPE(sb_fence_sc, "01", SOMEBODY_SEES) {
  if (thread == 0) {
    ST(weak, x, 1);
    FENCE(sc.gpu);
    r[0] = LD(weak, y);
  }
  if (thread == 1) {
    ST(weak, y, 1);
    FENCE(sc.gpu);
    r[1] = LD(weak, x);
  }
}

// Fences of a block's scope are not morally strong across blocks: no order relates them.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(sb_fence_sc_too_narrow, "01", SOMEBODY_SEES) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 1);
    FENCE(sc.cta);
    r[0] = LD(relaxed.gpu, y);
  }
  if (thread == 1) {
    ST(relaxed.gpu, y, 1);
    FENCE(sc.cta);
    r[1] = LD(relaxed.gpu, x);
  }
}

// state:     r[0] r[1]
// allowed:   0 1, 1 0, 1 1
// forbidden: 0 0 causality
SHAPE(sb_fence_sc_together, "00", SOMEBODY_SEES) {
  if (thread == 0) {
    ST(relaxed.cta, x, 1);
    FENCE(sc.cta);
    r[0] = LD(relaxed.cta, y);
  }
  if (thread == 1) {
    ST(relaxed.cta, y, 1);
    FENCE(sc.cta);
    r[1] = LD(relaxed.cta, x);
  }
}

// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(sb_one_fence_sc, "01", SOMEBODY_SEES) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 1);
    FENCE(sc.gpu);
    r[0] = LD(relaxed.gpu, y);
  }
  if (thread == 1) {
    ST(relaxed.gpu, y, 1);
    r[1] = LD(relaxed.gpu, x);
  }
}

// R: the other thread stores, too, and its store is the last one.
// state:   y r[0]
// allowed: 1 0, 1 1, 2 0, 2 1
SHAPE(r_release, "01", !(s.y == 2 && s.r[0] == 0)) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    ST(relaxed.gpu, y, 2);
    FENCE(acq_rel.gpu);
    r[0] = LD(relaxed.gpu, x);
  }
}

// The order of the fences must be one way or the other: "Coherence" forbids the one, "Causality" the other.
// state:     y r[0]
// allowed:   1 0, 1 1, 2 1
// forbidden: 2 0 *
SHAPE(r_fence_sc, "01", !(s.y == 2 && s.r[0] == 0)) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 1);
    FENCE(sc.gpu);
    ST(relaxed.gpu, y, 1);
  }
  if (thread == 1) {
    ST(relaxed.gpu, y, 2);
    FENCE(sc.gpu);
    r[0] = LD(relaxed.gpu, x);
  }
}

// 2+2W: two threads store to the same two places, in opposite orders.
// state:   x y
// allowed: 1 1, 1 2, 2 1, 2 2
SHAPE(two_plus_two_w_release, "01", !(s.x == 1 && s.y == 1)) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 1);
    ST(release.gpu, y, 2);
  }
  if (thread == 1) {
    ST(relaxed.gpu, y, 1);
    ST(release.gpu, x, 2);
  }
}

// state:     x y
// allowed:   1 2, 2 1, 2 2
// forbidden: 1 1 coherence
SHAPE(two_plus_two_w_fence_sc, "01", !(s.x == 1 && s.y == 1)) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 1);
    FENCE(sc.gpu);
    ST(relaxed.gpu, y, 2);
  }
  if (thread == 1) {
    ST(relaxed.gpu, y, 1);
    FENCE(sc.gpu);
    ST(relaxed.gpu, x, 2);
  }
}
