// Load buffering: each thread looks at one place and then stores to another. And S, where one of them stores
// twice.
#include "shape.h"

#define NOT_BOTH !(s.r[0] == 1 && s.r[1] == 1)

// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(lb_relaxed, "01", NOT_BOTH) {
  if (thread == 0) {
    r[0] = LD(relaxed.gpu, x);
    ST(relaxed.gpu, y, 1);
  }
  if (thread == 1) {
    r[1] = LD(relaxed.gpu, y);
    ST(relaxed.gpu, x, 1);
  }
}

// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(lb_weak, "01", NOT_BOTH) {
  if (thread == 0) {
    r[0] = LD(weak, x);
    ST(weak, y, 1);
  }
  if (thread == 1) {
    r[1] = LD(weak, y);
    ST(weak, x, 1);
  }
}

// "No Thin Air", the PTX ISA's litmus test: each copies what it reads. There is no value but 0.
// state:   x y
// allowed: 0 0
SHAPE(lb_copies, "01", s.x == 0 && s.y == 0) {
  const int seen = thread == 0 ? LD(weak, x) : LD(weak, y);
  if (thread == 0) ST(weak, y, seen);
  if (thread == 1) ST(weak, x, seen);
}

// What is stored depends on what was read, though it is 1 either way.
// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 0
// forbidden: 1 1 no thin air
SHAPE(lb_data_dependencies, "01", NOT_BOTH) {
  if (thread == 0) {
    r[0] = LD(relaxed.gpu, x);
    ST(relaxed.gpu, y, (r[0] & 2) + 1);
  }
  if (thread == 1) {
    r[1] = LD(relaxed.gpu, y);
    ST(relaxed.gpu, x, (r[1] & 2) + 1);
  }
}

// Whether it is stored does: no write could give either read a 1.
//
// state:   r[0] r[1]
// allowed: 0 0
SHAPE(lb_control_dependencies, "01", NOT_BOTH) {
  if (thread == 0) {
    r[0] = LD(relaxed.gpu, x);
    if (r[0] == 1) ST(relaxed.gpu, y, 1);
  }
  if (thread == 1) {
    r[1] = LD(relaxed.gpu, y);
    if (r[1] == 1) ST(relaxed.gpu, x, 1);
  }
}

// One dependency makes no chain.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(lb_one_dependency, "01", NOT_BOTH) {
  if (thread == 0) {
    r[0] = LD(relaxed.gpu, x);
    ST(relaxed.gpu, y, (r[0] & 2) + 1);
  }
  if (thread == 1) {
    r[1] = LD(relaxed.gpu, y);
    ST(relaxed.gpu, x, 1);
  }
}

// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 0
// forbidden: 1 1 causality
SHAPE(lb_acquire_release, "01", NOT_BOTH) {
  if (thread == 0) {
    r[0] = LD(acquire.gpu, x);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    r[1] = LD(acquire.gpu, y);
    ST(release.gpu, x, 1);
  }
}

// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 0
// forbidden: 1 1 causality
SHAPE(lb_fences, "01", NOT_BOTH) {
  if (thread == 0) {
    r[0] = LD(relaxed.gpu, x);
    FENCE(acq_rel.gpu);
    ST(relaxed.gpu, y, 1);
  }
  if (thread == 1) {
    r[1] = LD(relaxed.gpu, y);
    FENCE(acq_rel.gpu);
    ST(relaxed.gpu, x, 1);
  }
}

// S: a store behind an acquired flag may not come before what the flag released.
// state:     x r[0]
// allowed:   1 0, 1 1, 2 0
// forbidden: 2 1 coherence
SHAPE(s_release_acquire, "01", !(s.x == 2 && s.r[0] == 1)) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 2);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(acquire.gpu, y);
    ST(relaxed.gpu, x, 1);
  }
}

// A dependency does not take the place of the acquire.
// state:   x r[0]
// allowed: 1 0, 1 1, 2 0, 2 1
SHAPE(s_dependency, "01", !(s.x == 2 && s.r[0] == 1)) {
  if (thread == 0) {
    ST(relaxed.gpu, x, 2);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, y);
    ST(relaxed.gpu, x, (r[0] & 2) + 1);
  }
}
