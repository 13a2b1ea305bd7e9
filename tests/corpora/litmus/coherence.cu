// One place by itself: its order of writes, and atomics.
#include "shape.h"

// "Sequential Consistency Per Location", the PTX ISA's litmus test CoRR.
// state:     r[0] r[1]
// allowed:   0 0, 0 1, 1 1
// forbidden: 1 0 *
SHAPE(corr_relaxed, "01", !(s.r[0] == 1 && s.r[1] == 0)) {
  if (thread == 0) ST(relaxed.gpu, x, 1);
  if (thread == 1) {
    r[0] = LD(relaxed.gpu, x);
    r[1] = LD(relaxed.gpu, x);
  }
}

// The axiom speaks of morally strong operations: weak reads may go backwards.
// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(corr_weak, "01", !(s.r[0] == 1 && s.r[1] == 0)) {
  if (thread == 0) ST(weak, x, 1);
  if (thread == 1) {
    r[0] = LD(weak, x);
    r[1] = LD(weak, x);
  }
}

// state:   r[0] r[1]
// allowed: 0 0, 0 1, 1 0, 1 1
SHAPE(corr_scope_too_narrow, "01", !(s.r[0] == 1 && s.r[1] == 0)) {
  if (thread == 0) ST(relaxed.cta, x, 1);
  if (thread == 1) {
    r[0] = LD(relaxed.cta, x);
    r[1] = LD(relaxed.cta, x);
  }
}

// CoWW: program order is causality, and coherence follows it.
// state:     x
// allowed:   2
// forbidden: 1 coherence
SHAPE(coww, "0", s.x == 2) {
  ST(weak, x, 1);
  ST(weak, x, 2);
}

// CoWR: behind its own write a thread does not read what was there before.
// state:     r[0]
// allowed:   1, 2
// forbidden: 0 causality
SHAPE(cowr, "01", s.r[0] != 0) {
  if (thread == 0) {
    ST(weak, x, 1);
    r[0] = LD(weak, x);
  }
  if (thread == 1) ST(weak, x, 2);
}

// CoRW1: a thread does not read what it writes later.
// state:     r[0]
// allowed:   0
// forbidden: 1 *
SHAPE(corw1, "0", s.r[0] == 0) {
  r[0] = LD(weak, x);
  ST(weak, x, 1);
}

// CoRW2: what it has read comes before what it writes behind.
// state:     x r[0]
// allowed:   1 0, 1 2, 2 0
// forbidden: 2 2 *
SHAPE(corw2, "01", !(s.x == 2 && s.r[0] == 2)) {
  if (thread == 0) {
    r[0] = LD(relaxed.gpu, x);
    ST(relaxed.gpu, x, 1);
  }
  if (thread == 1) ST(relaxed.gpu, x, 2);
}

// All readers agree on the order of strong writes. r is what two of them saw, as 10 * first + second.
//
// state:     r[0] r[1]
// allowed:   any of 0 1 2 11 12 21 22
// forbidden: 12 21 *, 21 12 *, 10 0 *, 20 0 *
SHAPE(readers_agree, "0123", !(s.r[0] == 12 && s.r[1] == 21)) {
  if (thread == 0) ST(relaxed.gpu, x, 1);
  if (thread == 1) ST(relaxed.gpu, x, 2);
  if (thread >= 2) {
    const int first = LD(relaxed.gpu, x);
    r[thread - 2] = 10 * first + LD(relaxed.gpu, x);
  }
}

// Racing weak writes: either may be the last.
// state:   x
// allowed: 1, 2
SHAPE(racing_writes, "01", s.x != 0) {
  if (thread == 0) ST(weak, x, 1);
  if (thread == 1) ST(weak, x, 2);
}

// "Atomicity", the PTX ISA's first litmus test.
// state:     x
// allowed:   2
// forbidden: 1 atomicity
SHAPE(atomics, "01", s.x == 2) { r[thread] = ATOM(relaxed.gpu.global.add.u32, x, 1); }

// Its second: atomics that are not morally strong may lose an update.
// state:   x
// allowed: 1, 2
SHAPE(atomics_scope_too_narrow, "01", s.x == 2) {
  if (thread == 0) r[0] = ATOM(relaxed.cta.global.add.u32, x, 1);
  if (thread == 1) r[1] = ATOM(relaxed.gpu.global.add.u32, x, 1);
}

// A weak store may come between an atomic's read and its write. The two writes race, and no coherence order
// relates them: either may be the last, though the atomic has read what the store wrote.
//
// state:   x r[0]
// allowed: 1 0, 2 0, 2 2, 3 2
SHAPE(atomic_and_weak_store, "01", true) {
  if (thread == 0) r[0] = ATOM(relaxed.gpu.global.add.u32, x, 1);
  if (thread == 1) ST(weak, x, 2);
}

// A strong one may not.
// state:     x r[0]
// allowed:   2 0, 3 2
// forbidden: 1 0 atomicity
SHAPE(atomic_and_strong_store, "01", !(s.x == 1 && s.r[0] == 0)) {
  if (thread == 0) r[0] = ATOM(relaxed.gpu.global.add.u32, x, 1);
  if (thread == 1) ST(relaxed.gpu, x, 2);
}
