// Tensor-core instructions: wmma load, store and mma; mma.sync; ldmatrix and stmatrix.
#include <algorithm>
#include <cstdio>

#include "simulator/exec/access.h"
#include "simulator/exec/forms/families.h"
#include "simulator/exec/forms/fp8.h"
#include "simulator/exec/forms/fragment.h"
#include "simulator/exec/forms/half.h"
#include "simulator/exec/forms/tile.h"
#include "simulator/exec/schedule.h"

namespace sim::exec {

namespace {

using ptx::Space;

/// An element's bits as the type that products are summed in, and back.
template <Element E, class Acc>
SIM_INLINE Acc decode(u64 bits) {
  if constexpr (E == Element::f16) return Acc(widened(f16{u16(bits)}));
  if constexpr (E == Element::bf16) return Acc(widened(bf16{u16(bits)}));
  if constexpr (E == Element::tf32)
    return Acc(std::bit_cast<f32>(u32(bits) & 0xFFFFE000u));  // the rest does not count
  if constexpr (E == Element::f32) return Acc(std::bit_cast<f32>(u32(bits)));
  if constexpr (E == Element::f64) return Acc(std::bit_cast<f64>(bits));
  if constexpr (E == Element::e4m3) return Acc(widened(kE4m3, u32(bits & 0xFF)));
  if constexpr (E == Element::e5m2) return Acc(widened(kE5m2, u32(bits & 0xFF)));
  if constexpr (E == Element::s4) return Acc(s32(u32(bits) << 28) >> 28);
  if constexpr (E == Element::u4) return Acc(bits & 15);
  if constexpr (E == Element::b1) return Acc(bits & 1);
  if constexpr (E == Element::s8) return Acc(s8(bits));
  if constexpr (E == Element::u8) return Acc(u8(bits));
  return Acc(s32(bits));
}
template <Element E, class Acc>
SIM_INLINE u64 encode(Acc value) {
  if constexpr (E == Element::f16) return u64(to_f16(f32(value)));
  if constexpr (E == Element::f32) return std::bit_cast<u32>(canonical(f32(value)));
  if constexpr (E == Element::f64) return std::bit_cast<u64>(f64(value));
  return u32(s32(value));
}

/// Calls @p use with the element type as a compile-time constant.
template <class Use>
void with_element(Element e, Use use) {
  switch (e) {
    case Element::f16:
      return use(std::integral_constant<Element, Element::f16>());
    case Element::bf16:
      return use(std::integral_constant<Element, Element::bf16>());
    case Element::tf32:
      return use(std::integral_constant<Element, Element::tf32>());
    case Element::f32:
      return use(std::integral_constant<Element, Element::f32>());
    case Element::f64:
      return use(std::integral_constant<Element, Element::f64>());
    case Element::e4m3:
      return use(std::integral_constant<Element, Element::e4m3>());
    case Element::e5m2:
      return use(std::integral_constant<Element, Element::e5m2>());
    case Element::s4:
      return use(std::integral_constant<Element, Element::s4>());
    case Element::u4:
      return use(std::integral_constant<Element, Element::u4>());
    case Element::b1:
      return use(std::integral_constant<Element, Element::b1>());
    case Element::s8:
      return use(std::integral_constant<Element, Element::s8>());
    case Element::u8:
      return use(std::integral_constant<Element, Element::u8>());
    case Element::s32:
      return use(std::integral_constant<Element, Element::s32>());
  }
}

/// Register type and elements of one register.
template <Element E>
using Word = std::conditional_t<E == Element::f64, u64, u32>;
template <Element E>
constexpr int kPacked = E == Element::f16 || E == Element::bf16                                            ? 2
                        : E == Element::s8 || E == Element::u8 || E == Element::e4m3 || E == Element::e5m2 ? 4
                        : E == Element::s4 || E == Element::u4                                             ? 8
                        : E == Element::b1 ? 32
                                           : 1;

/// The lanes' elements into a dense matrix.
template <class Acc>
void gather(const Warp& w, const Fragment& f, const OperandRef* registers, Acc* matrix) {
  with_element(f.element, [&]<Element E>(std::integral_constant<Element, E>) {
    constexpr int kBits = 8 * int(sizeof(Word<E>)) / kPacked<E>;
    for (int r = 0; r < f.registers; ++r) {
      const Word<E>* word = lanes<Word<E>>(w, registers[r]);
      for (int e = 0; e < kPacked<E>; ++e) {
        Acc value[kLanes];
        SIM_FOR_LANES(i) value[i] = decode<E, Acc>(word[i] >> kBits * e);
        const u16* place = f.place.data() + r * kPacked<E> + e;
        if (f.runs) {
          std::copy_n(value, kLanes, matrix + *place);
          continue;
        }
        for (int lane = 0; lane < kLanes; ++lane, place += f.elements()) matrix[*place] = value[lane];
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
      const u16* place = f.place.data() + r * kPacked<E>;
      for (int lane = 0; lane < kLanes; ++lane, place += f.elements()) {
        Word<E> packed = 0;
        for (int e = 0; e < kPacked<E>; ++e) packed |= Word<E>(encode<E, Acc>(matrix[place[e]])) << kBits * e;
        word[lane] = packed;
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
  int choices = 4;        ///< sparse a: among how many elements one or two are not zero
};

constexpr int kLargest = 16 * 256;  ///< elements of the largest factor
constexpr int kLargestSum = 32 * 32;

/// Puts the elements of a sparse matrix where its metadata says, two bits an element. The selector names the
/// lanes of each four that count; half of a lane's word is for each of two rows, or of bytes a whole one.
template <class Acc>
void expand(const Warp& w, const Product& p, OperandRef metadata, u32 selector, const Acc* stored,
            Acc* dense) {
  const int rows = p.a.rows, columns = p.a.columns, wide = p.dense_columns;
  const bool pairs = p.choices == 4;
  const int groups = wide / p.choices, lanes_each = groups / 4;
  const u32* words = lanes<u32>(w, metadata);
  std::fill(dense, dense + rows * wide, Acc(0));
  for (int row = 0; row < rows; ++row) {
    for (int group = 0; group < groups; ++group) {
      const bool bytes = p.a.per_register == 4;
      const int within = bytes ? row / 8 + 2 * (group / 8) : group / 4;
      const int lane = row % 8 * 4 + int(selector) * lanes_each + within;
      const u32 nibble = words[lane] >> (bytes ? group % 8 * 4 : row / 8 * 16 + group % 4 * 4) & 15;
      Acc* const to = dense + row * wide + group * p.choices;
      if (pairs) {
        to[nibble & 3] = stored[row * columns + 2 * group];
        to[nibble >> 2] = stored[row * columns + 2 * group + 1];
      } else {  // an element of 32 bits takes two of the places
        to[(nibble & 3) / 2] = stored[row * columns + group];
      }
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
    expand(w, p, metadata[0], lanes<u32>(w, metadata[1])[0], stored, ma);
  } else {
    gather(w, p.a, a, ma);
  }
  gather(w, p.b, b, mb);
  gather(w, p.c, c, sum);
  const int rows = p.d.rows, columns = p.d.columns, depth = p.b.rows;
  for (int i = 0; i < rows; ++i) {
    Sum* const to = sum + i * columns;
    for (int k = 0; k < depth; ++k) {
      const Acc x = ma[i * depth + k];
      const Acc* const row = mb + k * columns;
      if constexpr (kXor) {
        for (int j = 0; j < columns; ++j) to[j] += x != row[j];
      } else {
        for (int j = 0; j < columns; ++j) to[j] += Sum(x) * Sum(row[j]);
      }
    }
  }
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

/// "m16n8k16" among the qualifiers.
bool shape_of(const Binding& b, int& m, int& n, int& k) {
  for (const std::string& q : b.source.qualifiers)
    if (std::sscanf(q.c_str(), "m%dn%dk%d", &m, &n, &k) == 3) return true;
  return false;
}

std::vector<Element> elements_written(const Binding& b) {
  std::vector<Element> found;
  for (const std::string& q : b.source.qualifiers)
    if (Element e; element_of(q, e)) found.push_back(e);
  return found;
}

/// d, a, b, c: for f16 factors wmma writes only d and c.
void bind_multiply(Binding& b) {
  int m = 0, n = 0, k = 0;
  std::vector<Element> e = elements_written(b);
  if (!shape_of(b, m, n, k) || (e.size() != 2 && e.size() != 4)) return;
  if (e.size() == 2) e = {e[0], Element::f16, Element::f16, e[1]};
  const bool wmma = b.source.opcode == "wmma";
  const bool sparse = b.has("sp") || b.has("sp::ordered_metadata");
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
  if (sparse) {
    p.dense_columns = k;
    p.choices = e[1] == Element::tf32 ? 2 : 4;
  }
  if (quads) return choose_multiply(b, std::move(p));
  const auto whole = [](const Fragment& f) { return kLanes * f.elements() % (f.rows * f.columns) == 0; };
  if (whole(p.a) && whole(p.b) && whole(p.c) && whole(p.d)) choose_multiply(b, std::move(p));
}

// wmma.load and wmma.store

struct Transfer {
  Fragment fragment;
  bool row_major = true;
  bool has_stride = false;
  bool wide_address = true;
  Space space = Space::generic;
  bool fills_registers = true;       ///< a load
  std::vector<TileAccess> accesses;  ///< that the hardware makes of it
  std::vector<u8> line, within;      ///< of every place: which row or column of memory, and where in it
};

u64 address_of(const Warp& w, OperandRef ref, bool wide, int lane) {
  return wide ? lanes<u64>(w, ref)[lane] : lanes<u32>(w, ref)[lane];
}

/// Host bytes of a whole tile, when one buffer holds all of it.
std::byte* find_tile(Warp& w, const Transfer& t, const Instr& in, u64 low, u64 bytes) {
  const Space space = t.space == Space::generic ? space_of(low) : t.space;
  if (space == Space::global) return find_global(*w.worker, w.worker->sites[in.site], low, low + bytes);
  const u64 offset = t.space == Space::generic ? low - memory::kSharedWindow : low;
  const bool inside =
      space == Space::shared && offset < w.block->shared_bytes && bytes <= w.block->shared_bytes - offset;
  return inside ? w.block->shared.get() + offset : nullptr;
}

/// Counts the accesses that the hardware makes of one transfer. Loops come by with the same stride and the
/// same place within a sector or bank again and again, so the last cost is kept.
void count_tile(Site& site, const Transfer& t, u64 base, u64 stride) {
  const Space space = t.space == Space::generic ? space_of(base) : t.space;
  Pattern& p = site.pattern;
  const u32 phase = u32(base) & 31;
  if (p.space != space || p.phase != phase || p.low != s64(stride) || p.cost == 0) {
    p.space = space;
    p.phase = phase;
    p.low = s64(stride);
    p.cost = 0;
    for (const TileAccess& a : t.accesses) {
      s64 offsets[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i)
        offsets[i] = s64(a.line[i] * stride) + a.within[i] * bytes_of(t.fragment.element);
      p.cost += space == Space::global ? count_sectors(offsets, a.mask, phase, a.bytes)
                                       : count_wavefronts(offsets, a.mask, phase, a.bytes, t.fills_registers);
    }
    site.weight = u32(t.accesses.size());
  }
  detail::count(site, space);
}

/// The tile's base and stride are the same in all lanes.
template <bool kStore>
void transfer(Warp& w, const Instr& in) {
  if (!all_lanes_here(w, in)) return;
  const WideOperands& wide = *in.wide;
  const Transfer& t = *static_cast<const Transfer*>(wide.detail.get());
  const Fragment& f = t.fragment;
  const OperandRef* registers = wide.op.data() + (kStore ? 1 : 0);
  const OperandRef address = kStore ? wide.op[0] : wide.op[std::size_t(f.registers)];
  const u32 bytes = u32(bits_of(f.element)) / 8;
  const AccessInfo info{in, t.space, kStore ? Access::write : Access::read, bytes};
  const u64 base = address_of(w, address, t.wide_address, 0) + u64(wide.offset);
  const int length = t.row_major ? f.columns : f.rows, lines = t.row_major ? f.rows : f.columns;
  const u64 stride = (t.has_stride ? lanes<u32>(w, wide.op.back())[0] : u32(length)) * u64(bytes);
  const u64 extent = stride * u64(lines - 1) + u64(length) * bytes;
  std::byte* const tile = base % bytes == 0 ? find_tile(w, t, in, base, extent) : nullptr;
  const auto at = [&](u16 place) {
    const u64 offset = t.line[place] * stride + u64(t.within[place]) * bytes;
    return tile != nullptr ? tile + offset : resolve_lane(w, info, base + offset, 0);
  };
  with_element(f.element, [&]<Element E>(std::integral_constant<Element, E>) {
    // Values pass through unchanged: a matrix of bits.
    using Bits = std::conditional_t<kPacked<E> >= 4, u8, std::conditional_t<kPacked<E> == 2, u16, Word<E>>>;
    constexpr int kBits = 8 * int(sizeof(Bits));
    for (int r = 0; r < f.registers; ++r) {
      Word<E>* word = lanes<Word<E>>(w, registers[r]);
      const u16* place = f.place.data() + r * kPacked<E>;
      for (int lane = 0; lane < kLanes; ++lane, place += f.elements()) {
        Word<E> packed = kStore ? word[lane] : 0;
        for (int e = 0; e < kPacked<E>; ++e) {
          Bits bits = Bits(packed >> (kBits * e) % (8 * int(sizeof(Word<E>))));
          if constexpr (kStore) {
            std::memcpy(at(place[e]), &bits, sizeof bits);
          } else {
            std::memcpy(&bits, at(place[e]), sizeof bits);
            packed |= Word<E>(bits) << kBits * e;
          }
        }
        if constexpr (!kStore) word[lane] = packed;
      }
    }
  });
  count_tile(w.worker->sites[in.site], t, base, stride);
}

/// Elements smaller than a byte: every lane's register is the next 32 bits of its line of memory.
void load_words(Warp& w, const Instr& in) {
  if (!all_lanes_here(w, in)) return;
  const WideOperands& wide = *in.wide;
  const Transfer& t = *static_cast<const Transfer*>(wide.detail.get());
  const AccessInfo info{in, t.space, Access::read, 4};
  const u64 base = address_of(w, wide.op[1], t.wide_address, 0) + u64(wide.offset);
  const u32 length = u32(std::max(t.fragment.rows, t.fragment.columns)),
            bits = u32(bits_of(t.fragment.element));
  const u64 stride = u64(t.has_stride ? lanes<u32>(w, wide.op.back())[0] : length) * bits / 8;
  const u32 words = length * bits / 32;
  u32* const to = lanes<u32>(w, wide.op[0]);
  for (u32 lane = 0; lane < kLanes; ++lane)
    std::memcpy(to + lane, resolve_lane(w, info, base + lane / words * stride + lane % words * 4, 0), 4);
}

template <bool kStore>
void bind_transfer(Binding& b) {
  int m = 0, n = 0, k = 0;
  const std::vector<Element> e = elements_written(b);
  if (!shape_of(b, m, n, k) || e.size() != 1) return;
  const bool is_a = b.has("a"), is_b = b.has("b");
  const std::size_t data = kStore ? 1 : 0;
  Transfer t;
  t.fragment = wmma_fragment(e[0], is_b ? k : m, is_a ? k : n, b.counts[data]);
  t.fills_registers = !kStore;
  t.row_major = b.has("row");
  t.has_stride = b.source.operands.size() == 3;
  t.space = b.has("shared") || b.has("shared::cta") ? Space::shared
            : b.has("global")                       ? Space::global
                                                    : Space::generic;
  t.wide_address = b.bytes[kStore ? 0 : std::size_t(b.counts[0])] == 8;
  if (kLanes * t.fragment.elements() % (t.fragment.rows * t.fragment.columns) != 0) return;
  if (bits_of(e[0]) < 8) {
    if (kStore || t.row_major != is_a || b.counts[0] != 1) return;
    b.wide->detail = std::make_shared<Transfer>(std::move(t));
    b.out.all = b.out.some = &load_words;
    b.out.site = b.new_site();
    return;
  }
  for (int place = 0; place < t.fragment.rows * t.fragment.columns; ++place) {
    const u8 row = u8(place / t.fragment.columns), column = u8(place % t.fragment.columns);
    t.line.push_back(t.row_major ? row : column);
    t.within.push_back(t.row_major ? column : row);
  }
  const int lines = t.row_major ? t.fragment.rows : t.fragment.columns;
  t.accesses = tile_accesses(is_a   ? 'a'
                             : is_b ? 'b'
                                    : 'c',
                             e[0], lines, t.fragment.rows * t.fragment.columns / lines, t.row_major,
                             t.space == Space::shared);
  b.wide->detail = std::make_shared<Transfer>(std::move(t));
  b.out.all = b.out.some = &transfer<kStore>;
  b.out.site = b.new_site();
}

// ldmatrix, stmatrix: 8x8 matrices of 16-bit elements, a row at each lane's address

template <bool kStore>
void move_matrices(Warp& w, const Instr& in) {
  if (!all_lanes_here(w, in)) return;
  const WideOperands& wide = *in.wide;
  const bool transposed = wide.targets[0] != 0, wide_address = wide.targets[1] != 0,
             generic = wide.targets[2] != 0;
  const int count = int(wide.op.size()) - 1;
  const OperandRef* registers = wide.op.data() + (kStore ? 1 : 0);
  const OperandRef address = kStore ? wide.op.front() : wide.op.back();
  const AccessInfo info{in, generic ? Space::generic : Space::shared, kStore ? Access::write : Access::read,
                        16};
  u16 values[4][8][8];
  std::byte* rows[4][8];
  s64 offsets[kLanes] = {};
  u64 first = 0;
  for (int lane = 0; lane < 8 * count; ++lane) {
    const u64 at =
        (wide_address ? lanes<u64>(w, address)[lane] : lanes<u32>(w, address)[lane]) + u64(wide.offset);
    rows[lane / 8][lane % 8] = resolve_lane(w, info, at, lane);
    if (lane == 0) first = at;
    offsets[lane] = s64(at - first);
    if (!kStore) std::memcpy(values[lane / 8][lane % 8], rows[lane / 8][lane % 8], 16);
  }
  for (int m = 0; m < count; ++m) {
    u32* const word = lanes<u32>(w, registers[m]);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 0; e < 2; ++e) {
        int row = lane / 4, column = lane % 4 * 2 + e;
        if (transposed) std::swap(row, column);
        if (kStore) {
          values[m][row][column] = u16(word[lane] >> 16 * e);
        } else {
          word[lane] = (e == 0 ? 0 : word[lane]) | u32(values[m][row][column]) << 16 * e;
        }
      }
    }
    if (kStore)
      for (int row = 0; row < 8; ++row) std::memcpy(rows[m][row], values[m][row], 16);
  }
  const Mask mask = count == 4 ? kAllLanes : (Mask{1} << 8 * count) - 1;
  Site& site = w.worker->sites[in.site];
  site.pattern.cost = count_wavefronts(offsets, mask, first, 16, false);
  detail::count(site, Space::shared);
}

template <bool kStore>
void bind_matrices(Binding& b) {
  const std::size_t address = kStore ? 0 : std::size_t(b.counts[0]);
  const int wanted = b.has("x4") ? 4 : b.has("x2") ? 2 : 1;
  if (b.counts[kStore ? 1 : 0] != wanted) return;
  b.wide->targets = {b.has("trans"), b.bytes[address] == 8, !b.has("shared") && !b.has("shared::cta")};
  b.out.all = b.out.some = &move_matrices<kStore>;
  b.out.site = b.new_site();
}

/// movmatrix: the 8 x 8 matrix whose rows the lanes hold, transposed.
void transpose_matrix(Warp& w, const Instr& in) {
  if (!all_lanes_here(w, in)) return;
  const WideOperands& wide = *in.wide;
  u32 *const to = lanes<u32>(w, wide.op[0]), *const from = lanes<u32>(w, wide.op[1]);
  u32 result[kLanes] = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < 2; ++e) {
      const int row = lane % 4 * 2 + e, column = lane / 4;  // of the source
      result[lane] |= (from[row * 4 + column / 2] >> column % 2 * 16 & 0xFFFF) << 16 * e;
    }
  }
  std::copy(result, result + kLanes, to);
}

Form& wide_form(Forms& forms, const std::string& pattern, std::vector<OperandSpec> operands, Binder bind) {
  Form& form = forms.custom(pattern, std::move(operands), bind);
  form.wide = true;
  form.flow = Flow::meet;
  return form;
}

}  // namespace

void declare_matrix(Forms& forms) {
  forms.family("matrix");
  // Fragments are registers of 32 or 64 bits whatever their elements are: vectors of any length, of any type.
  const OperandSpec to{Role::write, ptx::Type::b32, 0, false, true},
      from{Role::read, ptx::Type::b32, 0, false, true};
  const OperandSpec address{Role::address}, stride{Role::read, ptx::Type::u32, 1, true};
  const std::string shape =
      "(.m16n16k16,.m8n32k16,.m32n8k16,.m16n16k8,.m8n8k4,.m16n8k4,.m16n8k8,.m16n8k16,.m16n8k32,.m8n8k16,."
      "m8n8k32,"
      ".m8n8k128,.m16n8k64,.m16n8k128,.m16n8k256)";
  const std::string element = "(.f16,.bf16,.tf32,.f32,.f64,.e4m3,.e5m2,.s8,.u8,.s4,.u4,.b1,.s32)",
                    layout = "(.row,.col)";
  const std::string space = "{.global,.shared,.shared::cta}";
  wide_form(forms, "wmma.load(.a,.b,.c).sync.aligned" + layout + shape + space + element,
            {to, address, stride}, &bind_transfer<false>);
  wide_form(forms, "wmma.store.d.sync.aligned" + layout + shape + space + element, {address, from, stride},
            &bind_transfer<true>);
  const std::string all = element + element + element + element;
  for (const std::string& types : {element + element, all}) {
    wide_form(
        forms,
        "wmma.mma{.xor,.and}{.popc}.sync.aligned" + layout + layout + shape + types + "{.rn}{.satfinite}",
        {to, from, from, from}, &bind_multiply);
  }
  wide_form(forms, "mma.sync.aligned" + shape + layout + layout + "{.satfinite}" + all + "{.xor,.and}{.popc}",
            {to, from, from, from}, &bind_multiply);
  const OperandSpec word{Role::read, ptx::Type::u32};
  wide_form(forms, "mma(.sp,.sp::ordered_metadata).sync.aligned" + shape + ".row.col{.satfinite}" + all,
            {to, from, from, from, word, word}, &bind_multiply);
  wide_form(forms, "movmatrix.sync.aligned.m8n8.trans.b16", {word, word},
            [](Binding& b) { b.out.all = b.out.some = &transpose_matrix; })
      .operands[0]
      .role = Role::write;
  wide_form(forms, "ldmatrix.sync.aligned.m8n8(.x1,.x2,.x4){.trans}{.shared,.shared::cta}.b16", {to, address},
            &bind_matrices<false>);
  wide_form(forms, "stmatrix.sync.aligned.m8n8(.x1,.x2,.x4){.trans}{.shared,.shared::cta}.b16",
            {address, from}, &bind_matrices<true>);
}

}  // namespace sim::exec
