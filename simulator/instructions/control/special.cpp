// Special registers that change while a kernel runs, and instructions that concern time.
#include "simulator/engine/block.h"
#include "simulator/engine/observer.h"
#include "simulator/instructions/families.h"

namespace sim::exec {

namespace {

/// Of the clock that programs read; the time model has a better one.
constexpr u64 kCyclesPerInstruction = 4;

template <class T>
void read_clock(Warp& w, const Instr& in) {
  const T now = T((w.block->instructions + w.instructions) * kCyclesPerInstruction);
  T* to = lanes<T>(w, in.op[0]);
  for_each_lane(w.active, [&](int i) { to[i] = now; });
}

void active_mask(Warp& w, const Instr& in) {
  u32* to = lanes<u32>(w, in.op[0]);
  const Mask active = w.active;
  for_each_lane(active, [&](int i) { to[i] = active; });
  if (w.worker->observer != nullptr) w.worker->observer->reads_active_mask(w);
}

}  // namespace

void declare_special(InstructionSet& defs) {
  defs.family("special");
  constexpr OperandSpec kTo32{Role::write, ptx::Type::u32}, kTo64{Role::write, ptx::Type::u64};
  const OperandSpec from{Role::read, ptx::Type::u32};
  defs.custom("%clock", {kTo32, from}, &read_clock<u32>, &read_clock<u32>);
  defs.custom("%clock64", {kTo64, from}, &read_clock<u64>, &read_clock<u64>);
  defs.custom("%globaltimer", {kTo64, from}, &read_clock<u64>, &read_clock<u64>);
  defs.custom("%globaltimer_lo", {kTo32, from}, &read_clock<u32>, &read_clock<u32>);
  defs.custom("activemask.b32", {kTo32}, &active_mask, &active_mask);
  defs.custom("nanosleep.u32", {from}, &nothing, &nothing);
  defs.custom("pmevent{.mask}", {from}, &nothing, &nothing);
  defs.custom("griddepcontrol@90(.launch_dependents,.wait)", {}, &nothing, &nothing);
}

}  // namespace sim::exec
