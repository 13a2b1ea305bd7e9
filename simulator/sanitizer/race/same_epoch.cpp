#include "simulator/sanitizer/race/same_epoch.h"

#include <algorithm>
#include <bit>

namespace sim::sanitizer {

void LaneGroups::find(const AccessPattern& pattern) {
  size = 0;
  learned = pattern.learned;
  constexpr u32 kPlaces = 64;
  std::array<u8, kPlaces> table{};  // by a hash of the offset: a group's number, plus one
  for_each_lane(pattern.mask, [&](int lane) {
    const s64 mine = pattern.offset[lane];
    u32 place = u32(u64(mine) * 0x9E3779B97F4A7C15ull >> 58);
    while (table[place] != 0 && offset[table[place] - 1u] != mine) place = (place + 1) % kPlaces;
    if (table[place] == 0) {
      offset[size] = mine;
      lanes[size] = 0;
      table[place] = u8(++size);
    }
    lanes[table[place] - 1u] |= kLaneBit[std::size_t(lane)];
  });
}

namespace {

/// Whether accesses of one thread, or of the readers @p r stands for, are plainly before those of @p me.
bool plainly_before(const SameEpochCheck& g, u32 who, Epoch when, Readers r, u32 me) {
  return when == 0 || (r == Readers::one && who == me) ||
         (r != Readers::grid && g.in_block(who) && when <= g.block_time) ||
         (r <= Readers::warp && g.in_warp(who) && when <= g.warp_time);
}

constexpr u32 kNoThread = ~u32{0};

Readers readers_of(u32 at) { return Readers(at >> kReadersShift & 3); }

/// Adds a group's lanes to the readers of a cell that are not plainly before them. @return Readers
[[gnu::noinline]] u32 add_to_set(const Shadow& s, u64 c, Mask lanes, const SameEpochCheck& g) {
  const u32 who = s.read_who[c];
  const ReaderSet before{u32(readers_of(s.read_at[c])), who, s.read_set[c]};
  const ReaderSet all = before.with({lanes, g.warp_bit, g.block_first, g.in_warp(who), g.in_block(who)});
  s.read_set[c] = all.set;
  return all.readers;
}

/// The same, for what is read most often: words that other blocks read, too, and words that this warp is
/// known to read beside others of its block.
SIM_INLINE u32 join_group(const Shadow& s, u64 c, Mask lanes, const SameEpochCheck& g) {
  const u32 readers = u32(readers_of(s.read_at[c]));
  if (readers == u32(Readers::grid)) return readers;
  if (readers == u32(Readers::block) && g.in_block(s.read_who[c]) && (s.read_set[c] & g.warp_bit) != 0)
    return readers;
  return add_to_set(s, c, lanes, g);
}

}  // namespace

bool same_epoch_read(const Shadow& s, u64 cell, u32 n, Mask lanes, const SameEpochCheck& g, bool exact) {
  const u32 first = g.first_thread + u32(first_lane(lanes)),
            last = g.first_thread + u32(kLanes - 1 - std::countl_zero(lanes));
  const bool many = first != last;
  const auto replaces = [&](u64 c) {
    return (s.read_at[c] & kStrong) != 0 ||
           plainly_before(g, s.read_who[c], s.read_when[c], readers_of(s.read_at[c]), first);
  };
  for (u64 c = cell; c < cell + n; ++c) {
    const Epoch when = s.write_when[c];
    if (when <= g.start && g.start != 0) return false;  // nobody has written it since the block started
    if (!plainly_before(g, s.write_who[c], when, Readers::one, many ? kNoThread : first)) return false;
    if (exact && !replaces(c)) return false;
  }
  for (u64 c = cell; c < cell + n; ++c) {
    u32 widened = u32(Readers::one);
    if (replaces(c)) {
      s.read_who[c] = first;
      if (many) widened = u32(Readers::warp), s.read_set[c] = lanes;
    } else {
      widened = join_group(s, c, lanes, g);
    }
    if (widened != u32(Readers::one)) s.read_also[c] = last;
    s.read_when[c] = g.now;
    s.read_at[c] = g.at | widened << kReadersShift;
  }
  return true;
}

bool same_epoch_write(const Shadow& s, u64 cell, u32 n, int lane, const SameEpochCheck& g) {
  const u32 me = g.first_thread + u32(lane);
  for (u64 c = cell; c < cell + n; ++c) {
    if (!plainly_before(g, s.write_who[c], s.write_when[c], Readers::one, me)) return false;
    if (!plainly_before(g, s.read_who[c], s.read_when[c], readers_of(s.read_at[c]), me)) return false;
  }
  for (u64 c = cell; c < cell + n; ++c) {
    s.write_who[c] = me;
    s.write_when[c] = g.now;
    s.write_at[c] = g.at;
    if (s.read_when[c] != 0) s.read_when[c] = 0;
  }
  return true;
}

namespace {

// Thirty-two cells at a time, in vector registers: conditions are numbers, 1 for true, and there are no
// branches.

bool writes_ordered(const Shadow& s, u64 cell, u32 by, const SameEpochCheck& g, bool reading) {
  const u32 unwritten = reading ? g.start : 0;  // up to when a write in shared memory is another block's
  u32 bad = 0;
  for (u32 strip = 0; strip < u32(kLanes) << by; strip += kLanes) {
    const u32 *who = s.write_who + cell + strip, *when = s.write_when + cell + strip;
    SIM_FOR_LANES(i) {
      const u32 me = g.first_thread + ((strip + u32(i)) >> by), u = who[i], t = when[i];
      const u32 fine = u32(t == 0) | u32(u == me) | (u32(g.in_block(u)) & u32(t <= g.block_time)) |
                       (u32(g.in_warp(u)) & u32(t <= g.warp_time));
      bad |= (fine ^ 1) | (u32(unwritten != 0) & u32(t <= unwritten));
    }
  }
  return bad == 0;
}

/// Whether the reads that a cell remembers are plainly before one of @p me: 1 or 0.
SIM_INLINE u32 reads_before(const SameEpochCheck& g, u32 who, Epoch when, u32 at, u32 me) {
  const u32 readers = at >> kReadersShift & 3;
  return u32(when == 0) | (u32(readers == u32(Readers::one)) & u32(who == me)) |
         (u32(readers != u32(Readers::grid)) & u32(g.in_block(who)) & u32(when <= g.block_time)) |
         (u32(readers <= u32(Readers::warp)) & u32(g.in_warp(who)) & u32(when <= g.warp_time));
}

/// @param or_strong  strong reads give way to any
bool reads_ordered(const Shadow& s, u64 cell, u32 by, u32 strip, const SameEpochCheck& g, bool or_strong) {
  const u32 *who = s.read_who + cell + strip, *when = s.read_when + cell + strip,
            *at = s.read_at + cell + strip;
  const u32 strong = or_strong ? kStrong : 0;
  u32 bad = 0;
  SIM_FOR_LANES(i) {
    const u32 me = g.first_thread + ((strip + u32(i)) >> by);
    bad |= (reads_before(g, who[i], when[i], at[i], me) | u32((at[i] & strong) != 0)) ^ 1;
  }
  return bad == 0;
}

/// Beside readers that are not plainly before; see RaceDetector::touch_cell.
void join_readers(const Shadow& s, u64 cell, u32 by, u32 strip, const SameEpochCheck& g) {
  u32 *who = s.read_who + cell + strip, *when = s.read_when + cell + strip, *at = s.read_at + cell + strip,
      *also = s.read_also + cell + strip, *set = s.read_set + cell + strip;
  SIM_FOR_LANES(i) {
    const u32 me = g.first_thread + ((strip + u32(i)) >> by), u = who[i], a = at[i];
    const u32 replace = reads_before(g, u, when[i], a, me) | u32((a & kStrong) != 0);
    const ReaderSet before{a >> kReadersShift & 3, u, set[i]};
    const ReaderSet all =
        before.with({1u << (me & 31), g.warp_bit, g.block_first, g.in_warp(u), g.in_block(u)});
    who[i] = replace != 0 ? me : u;
    when[i] = g.now;
    at[i] = g.at | (replace != 0 ? 0 : all.readers << kReadersShift);
    also[i] = me;
    set[i] = all.set;
  }
}

}  // namespace

bool same_epoch_reads(const Shadow& s, u64 cell, u32 by, const SameEpochCheck& g) {
  if (!writes_ordered(s, cell, by, g, true)) return false;
  for (u32 strip = 0; strip < u32(kLanes) << by; strip += kLanes) {
    if (!reads_ordered(s, cell, by, strip, g, true)) {
      join_readers(s, cell, by, strip, g);
      continue;
    }
    u32 *who = s.read_who + cell + strip, *when = s.read_when + cell + strip, *at = s.read_at + cell + strip;
    SIM_FOR_LANES(i) {
      who[i] = g.first_thread + ((strip + u32(i)) >> by);
      when[i] = g.now;
      at[i] = g.at;
    }
  }
  return true;
}

bool same_epoch_writes(const Shadow& s, u64 cell, u32 by, const SameEpochCheck& g) {
  if (!writes_ordered(s, cell, by, g, false)) return false;
  for (u32 strip = 0; strip < u32(kLanes) << by; strip += kLanes)
    if (!reads_ordered(s, cell, by, strip, g, false)) return false;
  for (u32 strip = 0; strip < u32(kLanes) << by; strip += kLanes) {
    u32 *who = s.write_who + cell + strip, *when = s.write_when + cell + strip,
        *at = s.write_at + cell + strip, *read = s.read_when + cell + strip;
    u32 any = 0;
    SIM_FOR_LANES(i) {
      who[i] = g.first_thread + ((strip + u32(i)) >> by);
      when[i] = g.now;
      at[i] = g.at;
    }
    SIM_FOR_LANES(i) any |= read[i];
    if (any != 0) std::fill_n(read, kLanes, 0);  // pages that nobody reads stay untouched
  }
  return true;
}

}  // namespace sim::sanitizer
