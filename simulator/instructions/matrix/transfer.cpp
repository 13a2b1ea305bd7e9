// wmma.load and wmma.store: tiles between memory and registers.
#include <algorithm>

#include "simulator/engine/access/access.h"
#include "simulator/engine/schedule.h"
#include "simulator/instructions/matrix/element.h"
#include "simulator/instructions/matrix/matrix.h"
#include "simulator/instructions/matrix/tile.h"

namespace sim::exec {

namespace {

using ptx::Space;

struct Transfer {
  Fragment fragment;
  bool row_major = true;
  bool has_stride = false;
  bool wide_address = true;
  Space space = Space::generic;
  bool fills_registers = true;       ///< a load
  std::vector<TileAccess> accesses;  ///< that the hardware makes of it
  int lines() const { return row_major ? fragment.rows : fragment.columns; }   ///< rows or columns of memory
  int length() const { return row_major ? fragment.columns : fragment.rows; }  ///< elements of one
};

/// Host bytes of a whole tile, when one buffer holds all of it.
std::byte* find_tile(Warp& w, const Transfer& t, const Instr& in, u64 low, u64 bytes) {
  const Space space = t.space == Space::generic ? space_of(low) : t.space;
  if (space == Space::global) {
    Site& site = w.worker->sites[in.site];
    if (low >= site.base && low - site.base < site.size && bytes <= site.size - (low - site.base))
      return site.host + (low - site.base);
    return find_global(*w.worker, site, low, low + bytes);
  }
  const u64 offset = t.space == Space::generic ? low - memory::kSharedWindow : low;
  const bool inside =
      space == Space::shared && offset < w.block->shared_bytes && bytes <= w.block->shared_bytes - offset;
  return inside ? w.block->shared.get() + offset : nullptr;
}

/// Counts the accesses that the hardware makes of one transfer. Loops come by with the same stride and the
/// same place within a sector or bank again and again, so the last cost is kept.
void count_tile(Warp& w, const Instr& in, const Transfer& t, u64 base, u64 stride) {
  Site& site = w.worker->sites[in.site];
  const Space space = t.space == Space::generic ? space_of(base) : t.space;
  AccessPattern& p = site.pattern;
  const u32 phase = u32(base) & 31;
  if (p.space != space || p.phase != phase || p.low != s64(stride) || p.cost == 0) {
    leave_pattern(w, in.site);
    p.space = space;
    p.phase = phase;
    p.low = s64(stride);
    p.cost = 0;
    p.mask = 0;
    u32 most = 0;
    for (const TileAccess& a : t.accesses) {
      s64 offsets[kLanes];
      for (std::size_t i = 0; i < kLanes; ++i)
        offsets[i] = s64(a.line[i] * stride) + a.within[i] * bytes_of(t.fragment.element);
      const u32 cost = space == Space::global
                           ? count_sectors(offsets, a.mask, phase, a.bytes)
                           : count_wavefronts(offsets, a.mask, phase, a.bytes, t.fills_registers);
      p.cost += cost;
      if (space != Space::shared || cost <= most) continue;
      most = cost;  // the access that pictures show
      p.mask = a.mask;
      std::copy(std::begin(offsets), std::end(offsets), std::begin(p.offset));
    }
    site.weight = u32(t.accesses.size());
  }
  count_use(site, base);
}

/// Tells the observer of the accesses that the hardware makes of one transfer.
/// @param tile  host bytes of the tile, if they lie in one piece
void observe_tile(Warp& w, const Instr& in, const Transfer& t, u64 base, u64 stride, std::byte* tile) {
  const Space space = t.space == Space::generic ? space_of(base) : t.space;
  for (const TileAccess& a : t.accesses) {
    s64 offsets[kLanes];
    bool aligned = true;
    for (std::size_t i = 0; i < kLanes; ++i) {
      offsets[i] = s64(a.line[i] * stride) + a.within[i] * bytes_of(t.fragment.element);
      aligned &= (a.mask & kLaneBit[i]) == 0 || (base + u64(offsets[i])) % a.bytes == 0;
    }
    const s64 first = offsets[first_lane(a.mask)];
    AccessInfo info{in, t.space, t.fills_registers ? Access::read : Access::write, a.bytes};
    info.element = 0;
    const AccessPattern p = pattern_of(offsets, a.mask);
    if (tile != nullptr && aligned)
      notify_observer(w, info, space, base + u64(first), p, tile + first);
    else
      notify_observer_by_lane(w, info, base + u64(first), p);
  }
}

/// An element's bits: values pass through unchanged.
template <Element E>
using ElementBits =
    std::conditional_t<kPacked<E> >= 4, u8, std::conditional_t<kPacked<E> == 2, u16, Word<E>>>;

constexpr int kLargestTile = 32 * 16;

/// A tile in one piece of memory to or from a dense matrix.
template <bool kStore, class B>
void move_lines(const Transfer& t, std::byte* tile, u64 stride, B* matrix) {
  const int lines = t.lines(), length = t.length();
  if (t.row_major) {  // whole words: a line has at least eight bytes
    for (int line = 0; line < lines; ++line) {
      std::byte *const there = tile + u64(line) * stride, *const here = reinterpret_cast<std::byte*>(
                                                              matrix + line * length);
      for (std::size_t at = 0; at < std::size_t(length) * sizeof(B); at += 8)
        std::memcpy((kStore ? there : here) + at, (kStore ? here : there) + at, 8);
    }
    return;
  }
  for (int line = 0; line < lines; ++line) {
    std::byte* const there = tile + u64(line) * stride;
    for (int i = 0; i < length; ++i) {
      B* const here = matrix + i * lines + line;
      std::byte* const one = there + std::size_t(i) * sizeof(B);
      std::memcpy(kStore ? one : reinterpret_cast<std::byte*>(here),
                  kStore ? reinterpret_cast<std::byte*>(here) : one, sizeof(B));
    }
  }
}

/// The same, element by element, for a tile that does not lie in one piece.
template <bool kStore, class B>
void move_apart(Warp& w, const AccessInfo& info, const Transfer& t, u64 base, u64 stride, B* matrix) {
  const int columns = t.fragment.columns;
  for (int place = 0; place < t.fragment.rows * columns; ++place) {
    const int line = t.row_major ? place / columns : place % columns,
              within = t.row_major ? place % columns : place / columns;
    const u64 address = base + u64(line) * stride + u64(within) * sizeof(B);
    try {
      std::byte* const at = resolve_lane(w, info, address, 0);
      if (kStore)
        std::memcpy(at, matrix + place, sizeof(B));
      else
        std::memcpy(matrix + place, at, sizeof(B));
    } catch (const Fault&) {  // the observer was told, and goes on without these elements
      if (w.worker->observer == nullptr) throw;
    }
  }
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
  const u64 stride = (t.has_stride ? lanes<u32>(w, wide.op.back())[0] : u32(t.length())) * u64(bytes);
  const u64 extent = stride * u64(t.lines() - 1) + u64(t.length()) * bytes;
  std::byte* const tile = base % bytes == 0 ? find_tile(w, t, in, base, extent) : nullptr;
  if (w.worker->observer != nullptr) [[unlikely]]
    observe_tile(w, in, t, base, stride, tile);
  with_element(f.element, [&]<Element E>(std::integral_constant<Element, E>) {
    alignas(64) ElementBits<E> matrix[kLargestTile];
    constexpr int kBits = 8 * int(sizeof(ElementBits<E>));
    const auto in_memory = [&] {
      if (tile != nullptr)
        move_lines<kStore>(t, tile, stride, matrix);
      else
        move_apart<kStore>(w, info, t, base, stride, matrix);
    };
    if constexpr (!kStore) in_memory();
    for (int r = 0; r < f.registers; ++r) {
      Word<E>* word = lanes<Word<E>>(w, registers[r]);
      for (int e = 0; e < kPacked<E>; ++e) {
        ElementBits<E>* const run = matrix + f.place[std::size_t(r * kPacked<E> + e)];
        SIM_FOR_LANES(i) {
          if constexpr (kStore) {
            run[i] = ElementBits<E>(word[i] >> (kBits * e) % (8 * int(sizeof(Word<E>))));
          } else {
            const Word<E> bits = Word<E>(run[i]) << kBits * e;
            word[i] = e == 0 ? bits : word[i] | bits;
          }
        }
      }
    }
    if constexpr (kStore) in_memory();
  });
  count_tile(w, in, t, base, stride);
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
  s64 offsets[kLanes];
  for (u32 lane = 0; lane < kLanes; ++lane) offsets[lane] = s64(lane / words * stride + lane % words * 4);
  const Mask able = w.worker->observer == nullptr
                        ? kAllLanes
                        : notify_observer_by_lane(w, info, base, pattern_of(offsets, kAllLanes));
  for_each_lane(able, [&](int lane) {
    std::memcpy(to + lane, resolve_lane(w, info, base + u64(offsets[lane]), lane), 4);
  });
}

template <bool kStore>
[[gnu::cold]] void bind_transfer(Binding& b) {
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
  if (!t.fragment.runs || t.fragment.rows * t.fragment.columns > kLargestTile) return;
  t.accesses = tile_accesses(is_a   ? 'a'
                             : is_b ? 'b'
                                    : 'c',
                             e[0], t.lines(), t.length(), t.row_major, t.space == Space::shared);
  const u32 bytes = t.accesses.empty() ? 0 : t.accesses.front().bytes;
  b.wide->detail = std::make_shared<Transfer>(std::move(t));
  b.out.all = b.out.some = &transfer<kStore>;
  b.out.site = b.new_site();
  if (bytes != 0) b.code.sites[b.out.site].bytes = bytes;  // of an access, not of an element
}

}  // namespace

void bind_tile_load(Binding& b) { bind_transfer<false>(b); }
void bind_tile_store(Binding& b) { bind_transfer<true>(b); }

}  // namespace sim::exec
