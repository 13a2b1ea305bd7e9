// ldmatrix, stmatrix: 8x8 matrices of 16-bit elements, a row at each lane's address; movmatrix.
#include <algorithm>

#include "simulator/engine/access/access.h"
#include "simulator/engine/schedule.h"
#include "simulator/instructions/matrix/matrix.h"

namespace sim::exec {

namespace {

using ptx::Space;

/// Tells the observer what each lane reads or writes: a word of one row of each matrix.
void observe_matrices(Warp& w, AccessInfo info, std::byte* const (&rows)[4][8], int count) {
  const std::byte* const shared = w.block->shared.get();
  info.space = Space::shared;
  info.bytes = 4;
  for (info.element = 0; info.element < count; ++info.element) {
    s64 offsets[kLanes];
    Mask there = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      std::byte* const row = rows[info.element][lane / 4];
      if (row == nullptr) continue;
      offsets[lane] = row - shared + lane % 4 * 4;
      there |= kLaneBit[lane];
    }
    if (there == 0) continue;
    const s64 first = offsets[first_lane(there)];
    notify_observer(w, info, Space::shared, u64(first), pattern_of(offsets, there),
                    w.block->shared.get() + first);
  }
}

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
    std::byte*& row = rows[lane / 8][lane % 8];
    row = nullptr;
    try {
      row = resolve_lane(w, info, at, lane);
    } catch (const Fault& fault) {
      if (w.worker->observer == nullptr || !w.worker->observer->suppresses(fault)) throw;
    }
    if (lane == 0) first = at;
    offsets[lane] = s64(at - first);
    if (!kStore && row != nullptr) std::memcpy(values[lane / 8][lane % 8], row, 16);
  }
  if (w.worker->observer != nullptr) [[unlikely]]
    observe_matrices(w, info, rows, count);
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
      for (int row = 0; row < 8; ++row)
        if (rows[m][row] != nullptr) std::memcpy(rows[m][row], values[m][row], 16);
  }
  const Mask mask = count == 4 ? kAllLanes : (Mask{1} << 8 * count) - 1;
  Site& site = w.worker->sites[in.site];
  AccessPattern& p = site.pattern;
  if (p.mask != mask || !std::equal(std::begin(offsets), std::end(offsets), p.offset)) {
    leave_pattern(w, in.site);
    p.space = Space::shared;
    p.mask = mask;
    p.phase = u32(first);
    std::copy(std::begin(offsets), std::end(offsets), p.offset);
    p.cost = count_wavefronts(offsets, mask, first, 16, false);
  }
  count_use(site, first);
}

template <bool kStore>
[[gnu::cold]] void bind_matrices(Binding& b) {
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

}  // namespace

void bind_matrix_load(Binding& b) { bind_matrices<false>(b); }
void bind_matrix_store(Binding& b) { bind_matrices<true>(b); }
void bind_matrix_transpose(Binding& b) { b.out.all = b.out.some = &transpose_matrix; }

}  // namespace sim::exec
