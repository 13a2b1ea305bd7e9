// What atomics and reductions make of an old value and a new one.
#pragma once

#include "simulator/instructions/convert/half.h"

namespace sim::exec {

struct AtomicAdd {
  template <class T>
  T operator()(T old, T b) const {
    return add_values(old, b);
  }
};
struct AtomicAnd {
  template <class T>
  T operator()(T old, T b) const {
    return old & b;
  }
};
struct AtomicOr {
  template <class T>
  T operator()(T old, T b) const {
    return old | b;
  }
};
struct AtomicXor {
  template <class T>
  T operator()(T old, T b) const {
    return old ^ b;
  }
};
struct AtomicMin {
  template <class T>
  T operator()(T old, T b) const {
    return b < old ? b : old;
  }
};
struct AtomicMax {
  template <class T>
  T operator()(T old, T b) const {
    return old < b ? b : old;
  }
};
struct AtomicInc {
  template <class T>
  T operator()(T old, T b) const {
    return old >= b ? T(0) : T(old + 1);
  }
};
struct AtomicDec {
  template <class T>
  T operator()(T old, T b) const {
    return old == 0 || old > b ? b : T(old - 1);
  }
};
struct AtomicExchange {
  template <class T>
  T operator()(T, T b) const {
    return b;
  }
};
struct AtomicCompareAndSwap {
  template <class T>
  T operator()(T old, T expected, T desired) const {
    return old == expected ? desired : old;
  }
};

}  // namespace sim::exec
