// Message passing: one thread writes a message and then a flag; who sees the flag, does it see the message?
#include "shape.h"

#define NOT_STALE !(s.r[0] == 1 && s.r[1] == 0)

// Nothing is strong: nothing is ordered. By definition of the release pattern, which needs a strong write.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(mp_weak, "01", NOT_STALE) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(weak, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(weak, y);
    r[1] = LD(weak, x);
  }
}

// Strong, but of neither pattern.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(mp_relaxed, "01", NOT_STALE) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 1);
    ST(relaxed.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, y);
    r[1] = LD(relaxed.gpu, x);
  }
}

// volatile is relaxed with system scope.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(mp_volatile, "01", NOT_STALE) {
  if (thread == 0) {
    ST(volatile, x, 1);
    ST(volatile, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(volatile, y);
    r[1] = LD(volatile, x);
  }
}

// Release and acquire: PTX ISA, "Release and Acquire Patterns", first forms; axiom "Causality".
// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 1
// forbidden: 1 0 causality
SHAPE(mp_release_acquire, "01", NOT_STALE) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(acquire.gpu, y);
    r[1] = LD(weak, x);
  }
}

// Fences around strong accesses: third forms of the patterns, and the PTX ISA's litmus test of "Causality".
// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 1
// forbidden: 1 0 causality
SHAPE(mp_fences, "01", NOT_STALE) {
  if (thread == 0) {
    ST(weak, x, 1);
    FENCE(acq_rel.gpu);
    ST(relaxed.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, y);
    FENCE(acq_rel.gpu);
    r[1] = LD(weak, x);
  }
}

// Fences around weak accesses make no pattern.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(mp_fences_weak_flag, "01", NOT_STALE) {
  if (thread == 0) {
    ST(weak, x, 1);
    FENCE(acq_rel.gpu);
    ST(weak, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(weak, y);
    FENCE(acq_rel.gpu);
    r[1] = LD(weak, x);
  }
}

// One side alone does not synchronize.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(mp_writer_only, "01", NOT_STALE) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, y);
    r[1] = LD(relaxed.gpu, x);
  }
}

// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(mp_reader_only, "01", NOT_STALE) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 1);
    ST(relaxed.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(acquire.gpu, y);
    r[1] = LD(weak, x);
  }
}

// An address that depends on what was read orders nothing: dependencies count for "No Thin Air" alone.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(mp_address_dependency, "01", NOT_STALE) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, y);
    r[1] = LD(weak, x + (r[0] & 2));
  }
}

// Scopes that leave the other thread out: not morally strong.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(mp_block_scope_apart, "01", NOT_STALE) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.cta, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(acquire.cta, y);
    r[1] = LD(weak, x);
  }
}

// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(mp_reader_scope_too_narrow, "01", NOT_STALE) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(acquire.cta, y);
    r[1] = LD(weak, x);
  }
}

// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(mp_fence_scope_too_narrow, "01", NOT_STALE) {
  if (thread == 0) {
    ST(weak, x, 1);
    FENCE(acq_rel.cta);
    ST(relaxed.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, y);
    FENCE(acq_rel.gpu);
    r[1] = LD(weak, x);
  }
}

// The same scopes are wide enough within a block.
// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 1
// forbidden: 1 0 causality
SHAPE(mp_block_scope_together, "00", NOT_STALE) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.cta, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(acquire.cta, y);
    r[1] = LD(weak, x);
  }
}

// A release operation followed by a strong write on the same location: second form of the release pattern.
// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 1, 2 1
// forbidden: 1 0 causality, 2 0 causality
SHAPE(mp_release_then_relaxed, "01", !(s.r[0] == 2 && s.r[1] == 0)) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
    ST(relaxed.gpu, y, 2);
  }
  if (thread == 1) {
    r[0] = LD(acquire.gpu, y);
    r[1] = LD(weak, x);
  }
}

// An atomic of another thread hands the release on: "Observation order", second rule.
// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 1, 2 1
// forbidden: 1 0 causality, 2 0 causality
SHAPE(mp_through_atomic, "012", !(s.r[0] == 2 && s.r[1] == 0)) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) r[2] = CAS(relaxed.gpu, y, 1, 2);
  if (thread == 2) {
    r[0] = LD(acquire.gpu, y);
    r[1] = LD(weak, x);
  }
}

// A plain store of another thread does not.
// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 1, 2 0, 2 1
// forbidden: 1 0 causality
SHAPE(mp_overwritten_flag, "012", !(s.r[0] == 2 && s.r[1] == 0)) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) ST(relaxed.gpu, y, 2);
  if (thread == 2) {
    r[0] = LD(acquire.gpu, y);
    r[1] = LD(weak, x);
  }
}

// "red.add [M], 1; fence.acquire; is not an acquire pattern." (PTX ISA, "Release and Acquire Patterns")
// y is 2 where the reduction came behind the flag.
// state:   y r[0]
// allowed: 1 0, 1 1, 2 0, 2 1
SHAPE(mp_reduction, "01", !(s.y == 2 && s.r[0] == 0)) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    RED(relaxed.gpu.global.add.u32, y, 1);
    FENCE(acq_rel.gpu);
    r[0] = LD(weak, x);
  }
}

// An atomic in its place is one.
// state:     y r[0]
// allowed:   1 0, 1 1, 2 1
// forbidden: 2 0 causality
SHAPE(mp_atomic, "01", !(s.y == 2 && s.r[0] == 0)) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    r[1] = ATOM(relaxed.gpu.global.add.u32, y, 1);
    FENCE(acq_rel.gpu);
    r[0] = LD(weak, x);
  }
}
