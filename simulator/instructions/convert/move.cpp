// mov between registers, and between a wide register and its parts.
#include "simulator/engine/schedule.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"

namespace sim::exec {

namespace {

/// mov.b64 %rd, {%r0, %r1}: parts from the low end up.
template <bool Masked, class Whole, class Part, int N>
void pack(Warp& w, const Instr& in) {
  const Part* part[N];
  for (int k = 0; k < N; ++k) part[k] = lanes<Part>(w, in.op[1 + k]);
  write_lanes<Masked>(lanes<Whole>(w, in.op[0]), w.active, [&](int i) {
    Whole value = 0;
    for (int k = 0; k < N; ++k) value |= Whole(part[k][i]) << 8 * sizeof(Part) * std::size_t(k);
    return value;
  });
}

template <bool Masked, class Whole, class Part, int N>
void unpack(Warp& w, const Instr& in) {
  const Whole* from = lanes<Whole>(w, in.op[N]);
  for (int k = 0; k < N; ++k) {
    write_lanes<Masked>(lanes<Part>(w, in.op[k]), w.active,
                        [&](int i) { return from[i] >> 8 * sizeof(Part) * std::size_t(k); });
  }
}

template <class Whole, class Part, int N>
[[gnu::cold]] void declare_parts(InstructionSet& defs, const char* pattern) {
  // A binder, so that results and sources get slots of their own: parts are written one after the other.
  const OperandSpec whole_to{Role::write, type_of<Whole>()}, whole_from{Role::read, type_of<Whole>()};
  const OperandSpec parts_to{Role::write, type_of<Part>(), N}, parts_from{Role::read, type_of<Part>(), N};
  defs.custom(pattern, {whole_to, parts_from}, [](Binding& b) {
    b.out.all = &pack<false, Whole, Part, N>;
    b.out.some = &pack<true, Whole, Part, N>;
  });
  defs.custom(pattern, {parts_to, whole_from}, [](Binding& b) {
    b.out.all = &unpack<false, Whole, Part, N>;
    b.out.some = &unpack<true, Whole, Part, N>;
  });
}

/// The address of a local variable in a called function: its callers' locals lie below.
template <bool Masked, class A>
void local_address(Warp& w, const Instr& in) {
  const A* from = lanes<A>(w, in.op[1]);
  const A base = w.frame->local_base;
  write_lanes<Masked>(lanes<A>(w, in.op[0]), w.active, [&](int i) { return from[i] + base; });
}

}  // namespace

void declare_move(InstructionSet& defs) {
  defs.family("move");
  defs.lanewise<Unary<u16>>("mov(.b16,.u16,.s16)", [](u16 a) { return a; }).copies = true;
  defs.lanewise<Unary<u32>>("mov(.b32,.u32,.s32,.f32)", [](u32 a) { return a; }).copies = true;
  defs.lanewise<Unary<u64>>("mov(.b64,.u64,.s64,.f64)", [](u64 a) { return a; }).copies = true;
  declare_parts<u32, u16, 2>(defs, "mov(.b32,.u32)");
  declare_parts<u64, u32, 2>(defs, "mov(.b64,.u64,.f64)");
  declare_parts<u64, u16, 4>(defs, "mov.b64");
  declare_parts<u128, u64, 2>(defs, "mov.b128");
  defs.lanewise<Unary<u128>>("mov.b128", [](u128 a) { return a; });
  defs.custom("local_address", {{Role::write}, {Role::read}}, [](Binding& b) {
    b.out.all = b.bytes[0] == 8 ? &local_address<false, u64> : &local_address<false, u32>;
    b.out.some = b.bytes[0] == 8 ? &local_address<true, u64> : &local_address<true, u32>;
  });
}

}  // namespace sim::exec
