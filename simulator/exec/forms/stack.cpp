// Memory on a thread's stack whose size is known only when the program runs: alloca and its kin.
#include "simulator/exec/block.h"
#include "simulator/exec/fault.h"
#include "simulator/exec/forms/families.h"

namespace sim::exec {

namespace {

/// alloca ptr, size{, align}: taken from the top of the thread's local memory; frames grow from the bottom.
template <class A>
void allocate_on_stack(Warp& w, const Instr& in) {
  const A *size = lanes<A>(w, in.op[1]), *align = lanes<A>(w, in.op[2]);
  A* const to = lanes<A>(w, in.op[0]);
  const u64 all = w.worker->code.local_stride, frames = w.frame->local_base + w.frame->function->local_bytes;
  for_each_lane(w.active, [&](int lane) {
    u32& used = w.on_stack[std::size_t(lane)];
    const u64 granule = std::max<u64>(align[lane], 8);
    if (size[lane] > all - frames || used + size[lane] + granule > all - frames) {
      fail(w, in, lane, "out-of-bounds",
           "The stack of a thread overflows: alloca() asks for more than is left.", "local");
    }
    const u64 at = (all - used - size[lane]) / granule * granule;
    used = u32(all - at);
    to[lane] = A(at);
  });
}

template <class A>
void save_stack(Warp& w, const Instr& in) {
  A* const to = lanes<A>(w, in.op[0]);
  for_each_lane(w.active, [&](int lane) { to[lane] = w.on_stack[std::size_t(lane)]; });
}

template <class A>
void restore_stack(Warp& w, const Instr& in) {
  const A* const from = lanes<A>(w, in.op[0]);
  for_each_lane(w.active, [&](int lane) { w.on_stack[std::size_t(lane)] = u32(from[lane]); });
}

template <class A>
void declare_width(Forms& forms, const std::string& bits) {
  const OperandSpec to{Role::write, type_of<A>()}, from{Role::read, type_of<A>()};
  const OperandSpec align{Role::read, type_of<A>(), 1, true};
  forms.custom("alloca.u" + bits, {to, from, align}, &allocate_on_stack<A>, &allocate_on_stack<A>);
  forms.custom("stacksave.u" + bits, {to}, &save_stack<A>, &save_stack<A>);
  forms.custom("stackrestore.u" + bits, {from}, &restore_stack<A>, &restore_stack<A>);
}

}  // namespace

void declare_stack(Forms& forms) {
  forms.family("stack");
  declare_width<u32>(forms, "32");
  declare_width<u64>(forms, "64");
}

}  // namespace sim::exec
