// Three and four threads: what one has seen, does another who learns of it see it, too?
#include "shape.h"

// IRIW: two writers, and two readers who look at them in opposite orders.
#define READERS_AGREE !(s.r[0] == 1 && s.r[1] == 0 && s.r[2] == 1 && s.r[3] == 0)

// state:   r[0] r[1] r[2] r[3]
// allowed: any of 0 1
SHAPE(iriw_acquire, "0123", READERS_AGREE) {
  if (thread == 0) ST(relaxed.gpu, x, 1);
  if (thread == 1) ST(relaxed.gpu, y, 1);
  if (thread == 2) {
    r[0] = LD(acquire.gpu, x);
    r[1] = LD(acquire.gpu, y);
  }
  if (thread == 3) {
    r[2] = LD(acquire.gpu, y);
    r[3] = LD(acquire.gpu, x);
  }
}

// state:   r[0] r[1] r[2] r[3]
// allowed: any of 0 1
SHAPE(iriw_fence_acq_rel, "0123", READERS_AGREE) {
  if (thread == 0) ST(relaxed.gpu, x, 1);
  if (thread == 1) ST(relaxed.gpu, y, 1);
  if (thread == 2) {
    r[0] = LD(relaxed.gpu, x);
    FENCE(acq_rel.gpu);
    r[1] = LD(relaxed.gpu, y);
  }
  if (thread == 3) {
    r[2] = LD(relaxed.gpu, y);
    FENCE(acq_rel.gpu);
    r[3] = LD(relaxed.gpu, x);
  }
}

// The fences have an order, and what was observed before one is known behind the other: "Causality order".
// state:     r[0] r[1] r[2] r[3]
// allowed:   any of 0 1
// forbidden: 1 0 1 0 causality
SHAPE(iriw_fence_sc, "0123", READERS_AGREE) {
  if (thread == 0) ST(relaxed.gpu, x, 1);
  if (thread == 1) ST(relaxed.gpu, y, 1);
  if (thread == 2) {
    r[0] = LD(relaxed.gpu, x);
    FENCE(sc.gpu);
    r[1] = LD(relaxed.gpu, y);
  }
  if (thread == 3) {
    r[2] = LD(relaxed.gpu, y);
    FENCE(sc.gpu);
    r[3] = LD(relaxed.gpu, x);
  }
}

// Weak writes are not observed in that sense: observation needs morally strong pairs.
// state:   r[0] r[1] r[2] r[3]
// allowed: any of 0 1
SHAPE(iriw_weak_writers, "0123", READERS_AGREE) {
  if (thread == 0) ST(weak, x, 1);
  if (thread == 1) ST(weak, y, 1);
  if (thread == 2) {
    r[0] = LD(relaxed.gpu, x);
    FENCE(sc.gpu);
    r[1] = LD(relaxed.gpu, y);
  }
  if (thread == 3) {
    r[2] = LD(relaxed.gpu, y);
    FENCE(sc.gpu);
    r[3] = LD(relaxed.gpu, x);
  }
}

// WRC: write-to-read causality. "Causality order", second rule: observation, then base causality.
#define HANDED_ON !(s.r[0] == 1 && s.r[1] == 1 && s.r[2] == 0)

// state:     r[0] r[1] r[2]
// allowed:   any of 0 1
// forbidden: 1 1 0 causality
SHAPE(wrc_release_acquire, "012", HANDED_ON) {
  if (thread == 0) ST(relaxed.gpu, x, 1);
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, x);
    ST(release.gpu, y, 1);
  }
  if (thread == 2) {
    r[1] = LD(acquire.gpu, y);
    r[2] = LD(relaxed.gpu, x);
  }
}

// state:   r[0] r[1] r[2]
// allowed: any of 0 1
SHAPE(wrc_weak_write, "012", HANDED_ON) {
  if (thread == 0) ST(weak, x, 1);
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, x);
    ST(release.gpu, y, 1);
  }
  if (thread == 2) {
    r[1] = LD(acquire.gpu, y);
    r[2] = LD(relaxed.gpu, x);
  }
}

// state:   r[0] r[1] r[2]
// allowed: any of 0 1
SHAPE(wrc_relaxed, "012", HANDED_ON) {
  if (thread == 0) ST(relaxed.gpu, x, 1);
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, x);
    ST(relaxed.gpu, y, 1);
  }
  if (thread == 2) {
    r[1] = LD(relaxed.gpu, y);
    r[2] = LD(relaxed.gpu, x);
  }
}

// Narrow scope where it is enough, then a wide one: causality is transitive over scopes.
// state:     r[0] r[1] r[2]
// allowed:   any of 0 1
// forbidden: 1 1 0 causality
SHAPE(wrc_scopes, "001", HANDED_ON) {
  if (thread == 0) ST(relaxed.cta, x, 1);
  if (thread == 1) {
    r[0] = LD(relaxed.cta, x);
    ST(release.gpu, y, 1);
  }
  if (thread == 2) {
    r[1] = LD(acquire.gpu, y);
    r[2] = LD(relaxed.gpu, x);
  }
}

// ISA2: a message handed on from flag to flag.
// state:     r[0] r[1] r[2]
// allowed:   any of 0 1
// forbidden: 1 1 0 causality
#define HANDED_ON_BY_FLAGS !(s.r[0] == 1 && s.r[1] == 1 && s.r[2] == 0)
SHAPE(isa2_release_acquire, "012", HANDED_ON_BY_FLAGS) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.gpu, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(acquire.gpu, y);
    ST(release.gpu, z, 1);
  }
  if (thread == 2) {
    r[1] = LD(acquire.gpu, z);
    r[2] = LD(weak, x);
  }
}

// state:     r[0] r[1] r[2]
// allowed:   any of 0 1
// forbidden: 1 1 0 causality
SHAPE(isa2_scopes, "001", HANDED_ON_BY_FLAGS) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.cta, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(acquire.cta, y);
    ST(release.gpu, z, 1);
  }
  if (thread == 2) {
    r[1] = LD(acquire.gpu, z);
    r[2] = LD(weak, x);
  }
}

// The first flag's scope does not reach the second thread.
// state:   r[0] r[1] r[2]
// allowed: any of 0 1
SHAPE(isa2_first_scope_too_narrow, "012", HANDED_ON_BY_FLAGS) {
  if (thread == 0) {
    ST(weak, x, 1);
    ST(release.cta, y, 1);
  }
  if (thread == 1) {
    r[0] = LD(acquire.gpu, y);
    ST(release.gpu, z, 1);
  }
  if (thread == 2) {
    r[1] = LD(acquire.gpu, z);
    r[2] = LD(weak, x);
  }
}

// RWC: read-to-write causality needs fence.sc on both sides.
// state:     r[0] r[1] r[2]
// allowed:   any of 0 1
// forbidden: 1 0 0 causality
#define READ_BEFORE_WRITE !(s.r[0] == 1 && s.r[1] == 0 && s.r[2] == 0)
SHAPE(rwc_fence_sc, "012", READ_BEFORE_WRITE) {
  if (thread == 0) ST(relaxed.gpu, x, 1);
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, x);
    FENCE(sc.gpu);
    r[1] = LD(relaxed.gpu, y);
  }
  if (thread == 2) {
    ST(relaxed.gpu, y, 1);
    FENCE(sc.gpu);
    r[2] = LD(relaxed.gpu, x);
  }
}

// state:   r[0] r[1] r[2]
// allowed: any of 0 1
SHAPE(rwc_fence_acq_rel, "012", READ_BEFORE_WRITE) {
  if (thread == 0) ST(relaxed.gpu, x, 1);
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, x);
    FENCE(acq_rel.gpu);
    r[1] = LD(relaxed.gpu, y);
  }
  if (thread == 2) {
    ST(relaxed.gpu, y, 1);
    FENCE(acq_rel.gpu);
    r[2] = LD(relaxed.gpu, x);
  }
}
