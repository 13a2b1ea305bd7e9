// Products of matrices: wmma.mma, mma.sp, and mma.sync of whole numbers, f64 and quads; mma.cpp has the
// others.
#include <algorithm>
#include <cstring>

#include "simulator/engine/schedule.h"
#include "simulator/instructions/matrix/element.h"
#include "simulator/instructions/matrix/matrix.h"
#include "simulator/instructions/matrix/metadata.h"
#include "simulator/instructions/matrix/vector_strip.h"

namespace sim::exec {

namespace {

/// Register of the fragment from which on every element comes by once. Where two lanes hold the same element,
/// that of the later register counts.
int first_register(const Fragment& f) {
  return f.runs ? f.registers - f.rows * f.columns / (kLanes * f.per_register) : 0;
}

/// The lanes' elements into a dense matrix.
template <class Acc>
void gather(const Warp& w, const Fragment& f, const OperandRef* registers, Acc* matrix) {
  with_element(f.element, [&]<Element E>(std::integral_constant<Element, E>) {
    constexpr int kBits = 8 * int(sizeof(Word<E>)) / kPacked<E>;
    for (int r = first_register(f); r < f.registers; ++r) {
      const Word<E>* word = lanes<Word<E>>(w, registers[r]);
      for (int e = 0; e < kPacked<E>; ++e) {
        const u16* place = f.place.data() + r * kPacked<E> + e;
        const auto value = [&](int i) { return decode<E, Acc>(word[i] >> kBits * e); };
        if (f.runs) {
          Acc* const to = matrix + *place;
          SIM_FOR_LANES(i) to[i] = value(i);
          continue;
        }
        alignas(64) Acc all[kLanes];
        SIM_FOR_LANES(i) all[i] = value(i);
        for (int lane = 0; lane < kLanes; ++lane, place += f.elements()) matrix[*place] = all[lane];
      }
    }
  });
}

template <class Acc>
void scatter(const Warp& w, const Fragment& f, const OperandRef* registers, const Acc* matrix) {
  with_element(f.element, [&]<Element E>(std::integral_constant<Element, E>) {
    constexpr int kBits = 8 * int(sizeof(Word<E>)) / kPacked<E>;
    for (int r = 0; r < f.registers; ++r) {
      Word<E>* word = lanes<Word<E>>(w, registers[r]);
      for (int e = 0; e < kPacked<E>; ++e) {
        const u16* place = f.place.data() + r * kPacked<E> + e;
        alignas(64) Acc apart[kLanes];
        const Acc* from = matrix + *place;
        if (!f.runs) {
          for (int lane = 0; lane < kLanes; ++lane, place += f.elements()) apart[lane] = matrix[*place];
          from = apart;
        }
        SIM_FOR_LANES(i) {
          const Word<E> bits = Word<E>(encode<E, Acc>(from[i])) << kBits * e;
          word[i] = e == 0 ? bits : word[i] | bits;
        }
      }
    }
  });
}

// d = a * b + c

struct Product {
  Fragment d, a, b, c;
  bool saturate = false;
  bool blocks = false;    ///< only some of d's elements are used
  int dense_columns = 0;  ///< sparse a: columns when expanded
};

constexpr int kLargest = 16 * 256;  ///< elements of the largest factor
constexpr int kLargestSum = 32 * 32;

/// Puts the elements of a sparse matrix where its metadata says.
template <class Acc>
void expand(const Product& p, const Metadata& metadata, const Acc* stored, Acc* dense) {
  std::fill(dense, dense + p.a.rows * p.dense_columns, Acc(0));
  for (int row = 0; row < p.a.rows; ++row)
    for (int e = 0; e < p.a.columns; ++e)
      dense[row * p.dense_columns + metadata.column(row, e)] = stored[row * p.a.columns + e];
}

/// sum += a * b, each element of the sum in the order of b's rows; four rows of it in registers at a time.
template <int kColumns, bool kXor, class Acc, class Sum>
void add_products(const Acc* a, const Acc* b, Sum* sum, int rows, int depth) {
  constexpr int kWidth = std::min(kColumns, kVectorBytes / int(sizeof(Sum)));
  using Sums = typename Strip<Sum, kWidth>::type;
  using Factors = typename Strip<Acc, kWidth>::type;
  const auto at = [&](int i, int j) { return sum + i * kColumns + j; };
  const auto load = [](auto& strip, const auto* from) { std::memcpy(&strip, from, sizeof strip); };
  const auto product = [](Acc x, Factors row) {
    if constexpr (kXor)
      return -__builtin_convertvector(row != x, Sums);  // true is -1
    else
      return Sum(x) * __builtin_convertvector(row, Sums);
  };
  for (int i = 0; i < rows; i += 4) {
    const Acc* const x = a + i * depth;
    for (int j = 0; j < kColumns; j += kWidth) {
      Sums s0, s1, s2, s3;
      load(s0, at(i, j)), load(s1, at(i + 1, j)), load(s2, at(i + 2, j)), load(s3, at(i + 3, j));
      for (int k = 0; k < depth; ++k) {
        Factors row;
        load(row, b + k * kColumns + j);
        s0 += product(x[k], row), s1 += product(x[depth + k], row);
        s2 += product(x[2 * depth + k], row), s3 += product(x[3 * depth + k], row);
      }
      const Sums all[] = {s0, s1, s2, s3};
      for (int r = 0; r < 4; ++r) std::memcpy(at(i + r, j), &all[r], sizeof all[r]);
    }
  }
}

template <class Acc, class Sum, bool kXor = false>
void multiply(Warp& w, const Instr& in) {
  if (!all_lanes_here(w, in)) return;
  const WideOperands& wide = *in.wide;
  const Product& p = *static_cast<const Product*>(wide.detail.get());
  const OperandRef *d = wide.op.data(), *a = d + p.d.registers, *b = a + p.a.registers,
                   *c = b + p.b.registers;
  alignas(64) Acc ma[kLargest], mb[kLargest];
  alignas(64) Sum sum[kLargestSum];
  if (p.blocks) std::fill(sum, sum + kLargestSum, Sum(0));
  if (p.dense_columns != 0) {
    alignas(64) Acc stored[kLargest];
    gather(w, p.a, a, stored);
    const OperandRef* metadata = c + p.c.registers;
    const u32 selector = lanes<u32>(w, metadata[1])[0];
    expand(p, {lanes<u32>(w, metadata[0]), selector, p.dense_columns, p.a.element}, stored, ma);
  } else {
    gather(w, p.a, a, ma);
  }
  gather(w, p.b, b, mb);
  gather(w, p.c, c, sum);
  const int rows = p.d.rows, columns = p.d.columns, depth = p.b.rows;
  (columns == 8    ? add_products<8, kXor, Acc, Sum>
   : columns == 16 ? add_products<16, kXor, Acc, Sum>
                   : add_products<32, kXor, Acc, Sum>)(ma, mb, sum, rows, depth);
  if constexpr (std::is_integral_v<Sum>) {
    for (int i = 0; i < rows * columns; ++i) {
      const s64 bound = std::clamp<s64>(sum[i], INT32_MIN, INT32_MAX);
      sum[i] = p.saturate ? bound : s64(s32(sum[i]));
    }
  }
  scatter(w, p.d, d, sum);
}

void choose_multiply(Binding& b, Product product) {
  Handler h = &multiply<f32, f32>;
  if (product.d.element == Element::f64) h = &multiply<f64, f64>;
  if (product.d.element == Element::s32) h = b.has("xor") ? &multiply<s32, s64, true> : &multiply<s32, s64>;
  b.wide->detail = std::make_shared<Product>(std::move(product));
  b.out.all = b.out.some = h;
}

}  // namespace

/// d, a, b, c: for f16 factors wmma writes only d and c.
void bind_multiply(Binding& b) {
  int m = 0, n = 0, k = 0;
  std::vector<Element> e = elements_written(b);
  if (!shape_of(b, m, n, k) || (e.size() != 2 && e.size() != 4)) return;
  if (e.size() == 2) e = {e[0], Element::f16, Element::f16, e[1]};
  const bool wmma = b.source.opcode == "wmma";
  const bool sparse = b.has("sp") || b.has("sp::ordered_metadata");
  if (!wmma && !sparse && m == 16 && n == 8 && bind_real_multiply(b, k, e)) return;
  const bool quads = !wmma && m == 8 && n == 8 && k == 4 && e[1] == Element::f16;
  const std::size_t layouts = quads ? 3 : 0;  // behind sync, aligned and the shape
  const auto fragment = [&](char which, std::size_t operand, Element element, int rows, int columns) {
    const int registers = b.counts[operand];
    if (quads)
      return quad_fragment(which, element, b.source.qualifiers[layouts + (which == 'b')] == "row", registers);
    if (!wmma) return mma_fragment(which, element, rows, columns, registers);
    return bits_of(element) < 8 ? wmma_words(element, rows, columns, registers, which == 'b')
                                : wmma_fragment(element, rows, columns, registers);
  };
  Product p{fragment('d', 0, e[0], m, n), fragment('a', 1, e[1], m, sparse ? k / 2 : k),
            fragment('b', 2, e[2], k, n), fragment('c', 3, e[3], m, n),
            b.has("satfinite"),           quads};
  if (sparse) p.dense_columns = k;
  if (quads) return choose_multiply(b, std::move(p));
  const auto whole = [](const Fragment& f) { return kLanes * f.elements() % (f.rows * f.columns) == 0; };
  if (whole(p.a) && whole(p.b) && whole(p.c) && whole(p.d)) choose_multiply(b, std::move(p));
}

}  // namespace sim::exec
