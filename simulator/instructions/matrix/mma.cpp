// mma.sync of 16 x 8 with sums of real numbers, to the bit as the hardware forms them.
#include <memory>

#include "simulator/engine/schedule.h"
#include "simulator/instructions/matrix/matrix.h"
#include "simulator/instructions/matrix/tensor_core.h"

namespace sim::exec {

namespace {

struct RealProduct {
  Fragment a, b;
  int sums = 0;  ///< registers of d
  SumRule rule;
};

template <Element A, Element B, Element D>
void multiply_sync(Warp& w, const Instr& in) {
  if (!all_lanes_here(w, in)) return;
  const RealProduct& p = *static_cast<const RealProduct*>(in.wide->detail.get());
  const OperandRef *const d = in.wide->op.data(), *const a = d + p.sums, *const b = a + p.a.registers,
                          *const c = b + p.b.registers;
  WarpRows<f32> rows;
  QuadColumns<f32> columns;
  read_registers<A>(w, p.a, a, false, [&](int row, int k, f32 v, s32 e) { rows.set(row, k, v, e); });
  read_registers<B>(w, p.b, b, false, [&](int k, int column, f32 v, s32 e) { columns.set(column, k, v, e); });
  multiply_real<D>(w, p.rule, p.b.columns, d, c, rows, columns);
}

/// Of 8-bit numbers, which an H100 multiplies as f16: first the lower two of each four steps, then, added to
/// these, the upper two. c comes last, with an addition of its own.
template <Element A, Element B>
void multiply_bytes(Warp& w, const Instr& in) {
  if (!all_lanes_here(w, in)) return;
  const RealProduct& p = *static_cast<const RealProduct*>(in.wide->detail.get());
  const OperandRef *const d = in.wide->op.data(), *const a = d + p.sums, *const b = a + p.a.registers,
                          *const c = b + p.b.registers;
  WarpRows<f32> rows[2];
  QuadColumns<f32> columns[2];
  const auto step = [](int k) { return k / 4 * 2 + k % 2; };
  read_registers<A>(w, p.a, a, false,
                    [&](int row, int k, f32 v, s32 e) { rows[k / 2 % 2].set(row, step(k), v, e); });
  read_registers<B>(w, p.b, b, false,
                    [&](int k, int column, f32 v, s32 e) { columns[k / 2 % 2].set(column, step(k), v, e); });
  alignas(64) f32 added[4][kLanes];
  for (int r = 0; r < p.sums; ++r) std::copy_n(lanes<f32>(w, c[r]), kLanes, added[r]);
  SumRule rule = p.rule;
  rule.steps /= 2;
  multiply_real<Element::f32>(w, rule, p.b.columns, d, nullptr, rows[0], columns[0]);
  multiply_real<Element::f32>(w, rule, p.b.columns, d, d, rows[1], columns[1]);
  for (int r = 0; r < p.sums; ++r) {
    f32* const to = lanes<f32>(w, d[r]);
    SIM_FOR_LANES(i) to[i] = canonical(added[r][i] + to[i]);
  }
}

template <Element A, Element D = Element::f32>
Handler same() {
  return &multiply_sync<A, A, D>;
}

Handler handler_for(Element a, Element b, Element d) {
  constexpr Element e4m3 = Element::e4m3, e5m2 = Element::e5m2;
  switch (a) {
    case Element::f16:
      return d == Element::f32 ? same<Element::f16>() : same<Element::f16, Element::f16>();
    case Element::bf16:
      return same<Element::bf16>();
    case Element::tf32:
      return same<Element::tf32>();
    case e4m3:
      return b == e4m3 ? &multiply_bytes<e4m3, e4m3> : &multiply_bytes<e4m3, e5m2>;
    case e5m2:
      return b == e5m2 ? &multiply_bytes<e5m2, e5m2> : &multiply_bytes<e5m2, e4m3>;
    default:
      return nullptr;
  }
}

}  // namespace

bool bind_real_multiply(Binding& b, int depth, const std::vector<Element>& types) {
  const Handler handler = handler_for(types[1], types[2], types[0]);
  if (handler == nullptr) return false;
  RealProduct p;
  p.a = mma_fragment('a', types[1], kRowsOfWarp, depth, b.counts[1]);
  p.b = mma_fragment('b', types[2], depth, 8, b.counts[2]);
  const auto whole = [](const Fragment& f) { return kLanes * f.elements() == f.rows * f.columns; };
  p.sums = b.counts[0];
  if (!whole(p.a) || !whole(p.b) || p.sums * 64 != 8 * bits_of(types[0]) || b.counts[3] != p.sums)
    return true;
  p.rule.steps = depth;
  if (types[0] == Element::f16) p.rule.least = kLeastOfF16;
  b.wide->detail = std::make_shared<RealProduct>(std::move(p));
  b.out.all = b.out.some = handler;
  return true;
}

}  // namespace sim::exec
