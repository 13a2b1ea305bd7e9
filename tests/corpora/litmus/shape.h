// Litmus tests, several to a file: the first argument names the one to run, none lists them all.
//
// A shape is a function of the thread's number. Its threads share three words x, y and z, and note what they
// have seen in r[0] to r[3]; all of them are 0 at first. Accesses are written with PTX's own qualifiers.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

// One instruction each, so that what is explored is what is written.
#define LD(how, at)                                                                       \
  ({                                                                                      \
    int value_;                                                                           \
    asm volatile("ld." #how ".global.u32 %0, [%1];" : "=r"(value_) : "l"(at) : "memory"); \
    value_;                                                                               \
  })
#define ST(how, at, value) \
  ({ asm volatile("st." #how ".global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory"); })
/// An atomic of one operand; gives what was there.
#define ATOM(how, at, value)                                                                   \
  ({                                                                                           \
    int old_;                                                                                  \
    asm volatile("atom." #how " %0, [%1], %2;" : "=r"(old_) : "l"(at), "r"(value) : "memory"); \
    old_;                                                                                      \
  })
#define CAS(how, at, expected, value)                             \
  ({                                                              \
    int old_;                                                     \
    asm volatile("atom." #how ".global.cas.b32 %0, [%1], %2, %3;" \
                 : "=r"(old_)                                     \
                 : "l"(at), "r"(expected), "r"(value)             \
                 : "memory");                                     \
    old_;                                                         \
  })
#define RED(how, at, value) ({ asm volatile("red." #how " [%0], %1;" ::"l"(at), "r"(value) : "memory"); })
#define FENCE(how) ({ asm volatile("fence." #how ";" ::: "memory"); })

#ifdef LITMUS_STRESS
#include "stress.h"
#else
#include "once.h"
#endif
