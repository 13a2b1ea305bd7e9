#include "simulator/instructions/lanewise.h"

namespace sim::exec::detail {

namespace {

template <class U>
void restore(U* to, const U* was, Mask lanes) {
  SIM_FOR_LANES(i) to[i] = lanes & kLaneBit[i] ? was[i] : to[i];
}

}  // namespace

void put_back(Unsigned<2>* to, const Unsigned<2>* was, Mask lanes) { restore(to, was, lanes); }
void put_back(Unsigned<4>* to, const Unsigned<4>* was, Mask lanes) { restore(to, was, lanes); }
void put_back(Unsigned<8>* to, const Unsigned<8>* was, Mask lanes) { restore(to, was, lanes); }
void put_back(Unsigned<16>* to, const Unsigned<16>* was, Mask lanes) { restore(to, was, lanes); }

}  // namespace sim::exec::detail
