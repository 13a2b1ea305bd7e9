// Jumps, calls, returns, barriers of the block, and the ways a kernel ends.
#include <algorithm>

#include "language/catalogue.h"
#include "simulator/engine/block.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/schedule.h"
#include "simulator/instructions/families.h"
#include "simulator/passes/guard.h"

namespace sim::exec {

namespace {

void jump(Warp& w, const Instr& in) { w.pc = u32(in.imm); }

void branch(Warp& w, const Instr& in) {
  const Mask taken = passing(w, in);
  w.worker->counters.branches += 1;
  if (taken == w.active) {
    w.pc = u32(in.imm);
  } else if (taken != 0) {
    w.worker->counters.divergent_branches += 1;
    split(w, taken, u32(in.imm));
  }
}

/// brx.idx: every lane's own target from a table.
void branch_indexed(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const u32* index = lanes<u32>(w, wide.op[0]);
  Mask left = passing(w, in);
  const Mask stay = w.active & ~left;
  w.worker->counters.branches += 1;
  bool diverges = stay != 0;
  while (left != 0) {
    const u32 chosen = index[first_lane(left)];
    Mask same = 0;
    for_each_lane(left, [&](int i) { same |= index[i] == chosen ? kLaneBit[i] : 0; });
    if (chosen >= wide.targets.size())
      fail(w, in, first_lane(left), FindingKind::unsupported, tr("a jump outside its table"));
    left &= ~same;
    if (left == 0 && stay == 0) {
      w.pc = wide.targets[chosen];
    } else {
      split(w, same, wide.targets[chosen]);
      diverges = true;
    }
  }
  w.worker->counters.divergent_branches += diverges ? 1 : 0;
}

[[gnu::cold]] void bind_branch(Binding& b) { b.out.all = b.out.some = b.guarded ? &branch : &jump; }

void leave_kernel(Warp& w, const Instr& in) { exit_lanes(w, passing(w, in)); }

/// ret: lanes go back behind their call, or leave the kernel.
void leave(Warp& w, const Instr& in) {
  Frame* const frame = w.frame;
  if (frame->caller == nullptr) return leave_kernel(w, in);
  const Mask returning = passing(w, in);
  if (returning == 0) return;
  return_to_caller(w, in, returning);
}

void call_direct(Warp& w, const Instr& in) {
  const CallDetail& detail = *w.worker->code.calls[in.site];
  enter_function(w, detail, u32(detail.function), w.active);
}

void call_builtin(Warp& w, const Instr& in) {
  const CallDetail& detail = *w.worker->code.calls[in.site];
  w.current = &in;
  detail.builtin(w, detail);
}

/// Lanes that call the same function go together; the others wait at the call.
void call_indirect(Warp& w, const Instr& in) {
  const CallDetail& detail = *w.worker->code.calls[in.site];
  const u64* pointer = lanes<u64>(w, detail.pointer);
  const int first = first_lane(w.active);
  const u64 target = pointer[first];
  const std::vector<int>& functions = w.worker->code.by_number;
  const u64 index = (target - kFunctionBase) / 16;
  if (target < kFunctionBase || index >= functions.size() || target % 16 != 0 || functions[index] < 0) {
    // A call through a null pointer is also what the compiler makes of a call of a host function.
    fail(w, in, first, FindingKind::out_of_bounds,
         target == 0 ? tr("a call through a null pointer, which is no device function")
                     : tr("a call through a pointer that is no device function"),
         {.cure = target == 0 ? Cure::set_function_pointer : Cure::device_function_pointer});
  }
  Mask same = 0;
  for_each_lane(w.active, [&](int i) { same |= pointer[i] == target ? kLaneBit[i] : 0; });
  if (same != w.active) {  // the rest stays at this call, a basic block of its own
    split(w, w.active & ~same, w.pc - 1);
  }
  enter_function(w, detail, u32(functions[index]), w.active);
}

/// Whether code looks for the memory of its grid's barrier, which only a cooperative launch has.
bool wants_grid_barrier(const Code& code) {
  return std::any_of(code.constants.begin(), code.constants.end(), [](const Constant& constant) {
    return constant.kind == Constant::Kind::special && constant.special == Special::grid_sync_low;
  });
}

void trap(Warp& w, const Instr& in) {
  if (!w.worker->launch.cooperative && wants_grid_barrier(w.worker->code))
    fail(w, in, first_lane(w.active), FindingKind::trap,
         tr("The grid's sync() ended the kernel by __trap(): the launch is not a cooperative one."),
         {.cure = Cure::cooperative_launch});
  fail(w, in, first_lane(w.active), FindingKind::trap, tr("The kernel ended itself with __trap()."));
}

/// Without a debugger a GPU ends the kernel here.
void breakpoint(Warp& w, const Instr& in) {
  fail(w, in, first_lane(w.active), FindingKind::trap,
       tr("The kernel came to a breakpoint, and no debugger is there."));
}

// bar.sync a{, b}; bar.arrive a, b; bar.red a{, b}, p

template <bool Waits>
void bar(Warp& w, const Instr& in) {
  const int first = first_lane(w.active);
  const u32 number = lanes<u32>(w, in.op[0])[first], expected = lanes<u32>(w, in.op[1])[first];
  if (number >= 16)
    fail(w, in, first, FindingKind::barrier, tr("There are only 16 barriers, 0 to 15, per block."));
  w.block->arrive(w, in, int(number), expected, Waits, 0);
}

template <bool HasCount>
void bar_red(Warp& w, const Instr& in) {
  const int first = first_lane(w.active);
  const u32 number = lanes<u32>(w, in.op[1])[first];
  const u32 expected = HasCount ? lanes<u32>(w, in.op[2])[first] : 0;
  if (number >= 16)
    fail(w, in, first, FindingKind::barrier, tr("There are only 16 barriers, 0 to 15, per block."));
  const Mask p = predicate(w, in.op[HasCount ? 3 : 2]);
  w.block->arrive(w, in, int(number), expected, true, in.site != 0 ? ~p : p);
}

void finish_popc(Warp& w, const Instr& in) {
  u32* to = lanes<u32>(w, in.op[0]);
  for_each_lane(w.active, [&](int i) { to[i] = w.reduced.holding; });
}
template <bool All>
void finish_vote(Warp& w, const Instr& in) {
  const bool holds = All ? w.reduced.holding == w.reduced.arrived : w.reduced.holding != 0;
  Mask& to = predicate(w, in.op[0]);
  to = holds ? to | w.active : to & ~w.active;
}

[[gnu::cold]] void bind_bar_red(Binding& b) {
  const bool has_count = b.source.operands.size() == 4;
  b.out.all = b.out.some = has_count ? &bar_red<true> : &bar_red<false>;
  b.out.body = b.has("popc") ? &finish_popc : b.has("and") ? &finish_vote<true> : &finish_vote<false>;
  b.out.site = b.negated;
}

constexpr OperandSpec kU32{Role::read, ptx::Type::u32};
constexpr OperandSpec kCount{Role::read, ptx::Type::u32, 1, true};
constexpr OperandSpec kPred{Role::read, ptx::Type::pred};

}  // namespace

void declare_control(InstructionSet& defs) {
  defs.family("control");
  const auto flow = [](InstructionDef& def, Flow how) { def.flow = how; };
  flow(defs.custom("bra{.uni}", {{Role::label}}, &bind_branch), Flow::jump);
  InstructionDef& indexed = defs.custom("brx.idx{.uni}", {{Role::read, ptx::Type::u32}, {Role::label}},
                                        &branch_indexed, &branch_indexed);
  indexed.flow = Flow::jump;
  indexed.wide = true;
  flow(defs.custom("ret{.uni}", {}, &leave, &leave), Flow::leave);
  flow(defs.custom("exit", {}, &leave_kernel, &leave_kernel), Flow::leave);
  flow(defs.custom("call", {}, &call_direct, &call_direct), Flow::call);
  flow(defs.custom("call_builtin", {}, &call_builtin, &call_builtin), Flow::straight);
  flow(defs.custom("call_indirect", {{Role::read, ptx::Type::u64}}, &call_indirect, &call_indirect),
       Flow::converge);
  defs.custom("trap", {}, &trap, &trap);
  defs.custom("brkpt", {}, &breakpoint, &breakpoint);
  defs.custom("pragma", {{Role::ignored}}, &nothing, &nothing);

  defs.family("barrier");
  flow(defs.custom("bar{.cta}.sync", {kU32, kCount}, &bar<true>, &bar<true>), Flow::barrier);
  flow(defs.custom("barrier{.cta}.sync{.aligned}", {kU32, kCount}, &bar<true>, &bar<true>), Flow::barrier);
  flow(defs.custom("bar{.cta}.arrive", {kU32, kU32}, &bar<false>, &bar<false>), Flow::barrier);
  flow(defs.custom("barrier{.cta}.arrive{.aligned}", {kU32, kU32}, &bar<false>, &bar<false>), Flow::barrier);
  for (const char* name : {"bar{.cta}.red(.popc).u32", "barrier{.cta}.red(.popc){.aligned}.u32"}) {
    flow(defs.custom(name, {{Role::write, ptx::Type::u32}, kU32, kPred}, &bind_bar_red), Flow::barrier);
    flow(defs.custom(name, {{Role::write, ptx::Type::u32}, kU32, kU32, kPred}, &bind_bar_red), Flow::barrier);
  }
  for (const char* name : {"bar{.cta}.red(.and,.or).pred", "barrier{.cta}.red(.and,.or){.aligned}.pred"}) {
    flow(defs.custom(name, {{Role::write, ptx::Type::pred}, kU32, kPred}, &bind_bar_red), Flow::barrier);
    flow(defs.custom(name, {{Role::write, ptx::Type::pred}, kU32, kU32, kPred}, &bind_bar_red),
         Flow::barrier);
  }
}

}  // namespace sim::exec
