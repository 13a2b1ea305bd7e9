// Memory on a thread's stack whose size is known only when the program runs: alloca,
// stacksave and stackrestore.
#include <cstring>

#include "language/catalogue.h"
#include "simulator/engine/block.h"
#include "simulator/engine/fault.h"
#include "simulator/instructions/families.h"

namespace sim::exec {

namespace {

/// alloca ptr, size{, align}: taken from the top of the thread's local memory; frames grow from the bottom.
void allocate_on_stack(Warp& w, const Instr& in) {
  const u64 *size = lanes<u64>(w, in.op[1]), *align = lanes<u64>(w, in.op[2]);
  u64* const to = lanes<u64>(w, in.op[0]);
  const u64 all = w.worker->code.local_stride, frames = w.frame->local_base + w.frame->function->local_bytes;
  for_each_lane(w.active, [&](int lane) {
    u32& used = w.on_stack[std::size_t(lane)];
    const u64 granule = std::max<u64>(align[lane], 8);
    if (size[lane] > all - frames || used + size[lane] + granule > all - frames) {
      fail(w, in, lane, FindingKind::out_of_bounds,
           tr("The stack of a thread overflows: alloca() asks for more than is left."),
           {.space = MemorySpace::local});
    }
    const u64 at = (all - used - size[lane]) / granule * granule;
    used = u32(all - at);
    to[lane] = at;
    std::memset(w.local + std::size_t(lane) * all + at, 0xFF, size[lane]);
  });
}

void save_stack(Warp& w, const Instr& in) {
  u64* const to = lanes<u64>(w, in.op[0]);
  for_each_lane(w.active, [&](int lane) { to[lane] = w.on_stack[std::size_t(lane)]; });
}

void restore_stack(Warp& w, const Instr& in) {
  const u64* const from = lanes<u64>(w, in.op[0]);
  for_each_lane(w.active, [&](int lane) { w.on_stack[std::size_t(lane)] = u32(from[lane]); });
}

}  // namespace

void declare_stack(InstructionSet& defs) {
  defs.family("stack");
  const OperandSpec to{Role::write, ptx::Type::u64}, from{Role::read, ptx::Type::u64},
      align{Role::read, ptx::Type::u64, 1, true};
  defs.custom("alloca.u64", {to, from, align}, &allocate_on_stack, &allocate_on_stack);
  defs.custom("stacksave.u64", {to}, &save_stack, &save_stack);
  defs.custom("stackrestore.u64", {from}, &restore_stack, &restore_stack);
}

}  // namespace sim::exec
