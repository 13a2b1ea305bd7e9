// wgmma.mma_async: a product of 64 rows by the four warps of a warpgroup, with factors in shared memory. It
// takes effect when the last warp comes to it.
#include <algorithm>
#include <memory>

#include "simulator/engine/fault.h"
#include "simulator/engine/observer.h"
#include "simulator/engine/schedule.h"
#include "simulator/engine/warpgroup.h"
#include "simulator/instructions/matrix/descriptor.h"
#include "simulator/instructions/matrix/matrix.h"
#include "simulator/instructions/matrix/metadata.h"
#include "simulator/instructions/matrix/tensor_core.h"

namespace sim::exec {

namespace {

constexpr int kPiece = 16;  ///< bytes

struct Factor {
  Element element{};
  bool registers = false;
  bool across = false;   ///< MN-major
  bool negated = false;  ///< imm-scale -1
  u32 operand = 0;       ///< of the first register or of the descriptor
};

struct AsyncProduct {
  Factor a, b;
  Element sum{};
  int columns = 0;
  u32 scale_d = 0;  ///< operand
  SumRule rule;
  bool saturate = false;
  Fragment rows;  ///< a of one warp, where it is in registers
  bool sparse = false;
  u32 selector = 0;  ///< of sparse a's metadata, whose operand follows b's
  int steps_of_a() const { return sparse ? rule.steps / 2 : rule.steps; }
};

/// Bytes of a row that make a step; bits are multiplied by words.
int bytes_of_step(const Factor& f) { return f.element == Element::b1 ? 4 : bytes_of(f.element); }

/// 16 bytes of shared memory. @throws Fault when they are not the block's
const std::byte* piece_at(const Warp& w, const Instr& in, u32 address) {
  const u32 size = w.block->shared_bytes;
  if (address + kPiece > size) {
    fail(w, in, 0, FindingKind::out_of_bounds,
         Message("A descriptor's matrix reaches to byte {} of shared memory, and the block has {}.",
                 address + kPiece, size),
         {.space = MemorySpace::shared, .access = AccessKind::read, .bytes = u32(kPiece)});
  }
  return w.block->shared.get() + address;
}

/// Calls @p set(row, step, number, exponent) for all elements of a matrix in shared memory.
template <Element E, class Set>
void read_shared(const Warp& w, const Instr& in, const Factor& f, u64 descriptor, int first, int rows,
                 int steps, Set set) {
  const SharedMatrix m(descriptor);
  constexpr int kCount = kPiece / kBytesOf<E>;
  const auto each = [&](u32 address, auto place) {
    u32 words[4];
    std::memcpy(words, piece_at(w, in, address), kPiece);
    for (int e = 0; e < kCount; ++e) {
      const u32 bits = words[e * kBytesOf<E> / 4] >> e * kBytesOf<E> % 4 * 8;
      const Number<E> v = number_of<E>(bits);
      place(e, f.negated ? -v : v, aligned_exponent<E>(bits));
    }
  };
  if (f.across) {
    for (int k = 0; k < steps; ++k)
      for (int group = 0; group < rows / 8; ++group)
        each(m.of_column(u32(k), u32(first / 8 + group)),
             [&](int e, auto v, s32 exponent) { set(8 * group + e, k, v, exponent); });
    return;
  }
  for (int row = 0; row < rows; ++row)
    for (int piece = 0; piece < steps / kCount; ++piece)
      each(m.of_row(u32(first + row), u32(piece)),
           [&](int e, auto v, s32 exponent) { set(row, piece * kCount + e, v, exponent); });
}

/// Adds the offsets of the pieces that read_shared() reads.
void add_pieces(const Factor& f, u64 descriptor, int first, int rows, int steps, std::vector<u32>& pieces) {
  const SharedMatrix m(descriptor);
  if (f.across) {
    for (int k = 0; k < steps; ++k)
      for (int group = 0; group < rows / 8; ++group)
        pieces.push_back(m.of_column(u32(k), u32(first / 8 + group)));
    return;
  }
  for (int row = 0; row < rows; ++row)
    for (int piece = 0; piece < steps * bytes_of_step(f) / kPiece; ++piece)
      pieces.push_back(m.of_row(u32(first + row), u32(piece)));
}

/// Tells the observer what each warp of a product reads of shared memory.
void observe_reads(Warp& last, const Instr& in, const AsyncProduct& p) {
  const OperandRef* const op = in.wide->op.data();
  const auto factor = [&](const Factor& f, int rows, int steps) {
    return ProductFactor{.descriptor = lanes<u64>(last, op[f.operand])[0],
                         .rows = u32(rows),
                         .steps = u32(steps),
                         .step_bytes = u32(bytes_of_step(f)),
                         .across = f.across,
                         .right = &f == &p.b};
  };
  std::vector<ProductFactor> factors{factor(p.b, p.columns, p.rule.steps)};
  if (!p.a.registers) factors.push_back(factor(p.a, kRowsOfWarp * int(kWarpsOfGroup), p.steps_of_a()));
  last.worker->observer->product_factors(last, in, factors);
  std::vector<u32> pieces;
  for (int i = 0; i < int(kWarpsOfGroup); ++i) {
    Warp& w = warpgroup_of(last)[i];
    pieces.clear();
    add_pieces(p.b, lanes<u64>(last, op[p.b.operand])[0], 0, p.columns, p.rule.steps, pieces);
    if (!p.a.registers)
      add_pieces(p.a, lanes<u64>(w, op[p.a.operand])[0], kRowsOfWarp * i, kRowsOfWarp, p.steps_of_a(),
                 pieces);
    last.worker->observer->product_reads(w, in, pieces);
  }
}

void multiply_whole(Warp& w, const AsyncProduct& p, const OperandRef* d, const WarpRows<s32>& a,
                    const QuadColumns<s32>& b, bool add) {
  const bool bits = p.a.element == Element::b1;
  alignas(64) s64 sums[kLanes];
  for (int r = 0; r < p.columns / 2; ++r) {
    s32* const to = lanes<s32>(w, d[r]);
    SIM_FOR_LANES(i) sums[i] = add ? to[i] : 0;
    add_products(p.rule.steps, bits, a, r / 2 % 2, b, r / 4 * 2 + r % 2, sums);
    if (p.saturate) SIM_FOR_LANES(i) sums[i] = std::clamp<s64>(sums[i], INT32_MIN, INT32_MAX);
    SIM_FOR_LANES(i) to[i] = s32(sums[i]);
  }
}

template <Element A, Element B>
void multiply_async(Warp& last, const Instr& in) {
  if (!all_lanes_here(last, in) || !last_of_warpgroup(last, in)) return;
  const AsyncProduct& p = *static_cast<const AsyncProduct*>(in.wide->detail.get());
  const OperandRef* const op = in.wide->op.data();
  using T = Number<A>;
  QuadColumns<T> b;
  read_shared<B>(last, in, p.b, lanes<u64>(last, op[p.b.operand])[0], 0, p.columns, p.rule.steps,
                 [&](int row, int k, T v, s32 exponent) { b.set(row, k, v, exponent); });
  WarpRows<T> a;
  for (int i = 0; i < int(kWarpsOfGroup); ++i) {
    Warp& w = warpgroup_of(last)[i];
    const Metadata metadata(lanes<u32>(w, op[p.b.operand + 1]), p.selector, p.rule.steps, A);
    const auto set = [&](int row, int k, T v, s32 exponent) {
      a.set(row, p.sparse ? metadata.column(row, k) : k, v, exponent);
    };
    if (p.sparse) a.clear(p.rule.steps);
    if (p.a.registers) {
      read_registers<A>(w, p.rows, op + p.a.operand, p.a.negated, set);
    } else {
      read_shared<A>(w, in, p.a, lanes<u64>(w, op[p.a.operand])[0], kRowsOfWarp * i, kRowsOfWarp,
                     p.steps_of_a(), set);
    }
    const bool add = (predicate(w, op[p.scale_d]) & 1) != 0;
    if constexpr (std::is_same_v<T, s32>) {
      multiply_whole(w, p, op, a, b, add);
    } else if (p.sum == Element::f16) {
      multiply_real<Element::f16>(w, p.rule, p.columns, op, add ? op : nullptr, a, b);
    } else {
      multiply_real<Element::f32>(w, p.rule, p.columns, op, add ? op : nullptr, a, b);
    }
  }
  if (last.worker->observer != nullptr) [[unlikely]]
    observe_reads(last, in, p);
  release_warpgroup(last);
}

template <Element A>
Handler handler_for(Element b) {
  Handler found = nullptr;
  with_element(b, [&]<Element B>(std::integral_constant<Element, B>) {
    if constexpr (std::is_same_v<Number<A>, Number<B>> && kBytesOf<A> == kBytesOf<B>)
      found = &multiply_async<A, B>;
  });
  return found;
}

}  // namespace

void commit_products(Warp& w, const Instr&) {
  if (w.worker->observer != nullptr) w.worker->observer->commits_products(w);
}

void wait_for_products(Warp& w, const Instr& in) {
  if (w.worker->observer != nullptr)
    w.worker->observer->waits_for_products(w, lanes<u32>(w, in.op[0])[first_lane(w.active)]);
}

/// d, a, b, of a sparse a its metadata and a selector, scale-d, and of real numbers the signs of a and b, and
/// of 16-bit ones which of them are MN-major.
void bind_async_multiply(Binding& b) {
  int m = 0, n = 0, k = 0;
  const std::vector<Element> types = elements_written(b);
  if (!shape_of(b, m, n, k) || types.size() != 3) return;
  AsyncProduct p;
  p.sparse = b.has("sp");
  const auto number = [&](std::size_t operand) {
    const auto& all = b.source.operands;
    const auto* of = operand < all.size() ? std::get_if<ptx::Immediate>(&all[operand].value) : nullptr;
    return of == nullptr ? 0 : s32(of->bits);
  };
  const std::size_t signs = p.sparse ? 6 : 4, majors = signs + 2;
  p.sum = types[0];
  p.columns = n;
  // Of whole numbers there are fewer widths.
  const bool known = n >= 8 && n <= kWidest && n % (p.sum == Element::s32 && n > 24 ? 16 : 8) == 0;
  if (!known || b.counts[0] != n * bits_of(p.sum) / 64) return;
  p.a.registers = b.counts[1] == 4;
  p.a.operand = u32(b.counts[0]);
  p.b.operand = p.a.operand + u32(b.counts[1]);
  p.scale_d = p.b.operand + (p.sparse ? 3 : 1);
  p.a.element = types[1], p.b.element = types[2];
  if (p.sparse) p.selector = u32(number(4));
  p.a.negated = number(signs) == -1, p.b.negated = number(signs + 1) == -1;
  p.a.across = !p.a.registers && number(majors) == 1;
  p.b.across = number(p.a.registers ? majors : majors + 1) == 1;
  p.saturate = b.has("satfinite");
  p.rule.steps = p.a.element == Element::b1 ? k / 32 : k;
  if (bits_of(p.a.element) == 8) p.rule.fraction = 13;
  if (p.sum == Element::f16) p.rule.least = kLeastOfF16;
  if (p.a.registers) {
    p.rows = mma_fragment('a', p.a.element, kRowsOfWarp, p.steps_of_a(), 4);
    if (p.a.element == Element::b1) p.rows = mma_fragment('a', Element::s32, kRowsOfWarp, k / 32, 4);
  }
  with_element(p.a.element, [&]<Element A>(std::integral_constant<Element, A>) {
    if constexpr (A != Element::f32 && A != Element::f64 && A != Element::s32 && A != Element::s4 &&
                  A != Element::u4)
      b.out.all = b.out.some = handler_for<A>(p.b.element);
  });
  b.wide->detail = std::make_shared<AsyncProduct>(std::move(p));
}

}  // namespace sim::exec
