#include "simulator/engine/access/cost.h"

#include <algorithm>

namespace sim::exec {

namespace {

/// A set of sectors. Lanes are mostly in order, so the last one added is looked at first.
class SectorSet {
 public:
  void add(u64 sector) {
    if (size_ != 0 && sector == last_) return;
    last_ = sector;
    for (std::size_t at = sector * 0x9E3779B97F4A7C15ull >> 56;; at = (at + 1) % table_.size()) {
      if (table_[at] == 0) {
        sectors_[size_] = sector;
        table_[at] = u8(++size_);
        return;
      }
      if (sectors_[table_[at] - 1u] == sector) return;
    }
  }
  u32 size() const { return size_; }

 private:
  static constexpr std::size_t kMost = 4 * kLanes;  // at most four sectors a lane
  std::array<u8, 2 * kMost> table_{};               ///< by hash: index of a sector, plus one
  std::array<u64, kMost> sectors_;
  u64 last_ = 0;
  u32 size_ = 0;
};

/// The same by comparing every lane with every other, which vector registers do faster. 0: it cannot be told
/// so, because an access is misaligned (a fault) or the lanes lie very far apart.
u32 count_by_pairs(const s64* offsets, Mask mask, u64 first, u32 bytes) {
  constexpr u32 kNowhere = ~u32{0};
  constexpr s64 kMiddle = s64{1} << 30;
  alignas(64) u32 sector[2 * kLanes], twice[kLanes] = {};
  u64 across = 0, far = 0;
  std::fill_n(sector, kLanes, kNowhere);  // neighbours of the first lanes
  SIM_FOR_LANES(i) {
    const u64 at = first + u64(offsets[i]);
    const s64 from_first = s64(at / 32) - s64(first / 32) + kMiddle;
    const u64 counts = mask & kLaneBit[i] ? ~u64{0} : 0;
    across |= at & (bytes - 1) & counts;
    far |= u64(from_first) >> 31 & counts;
    sector[kLanes + i] = counts != 0 ? u32(from_first) : kNowhere;
  }
  if ((across | far) != 0) return 0;
  for (int by = 1; by < kLanes; ++by)
    SIM_FOR_LANES(i) twice[i] |= sector[kLanes + i] == sector[kLanes + i - by] ? ~0u : 0;
  u32 found = 0;
  SIM_FOR_LANES(i) found += mask & kLaneBit[i] & ~twice[i] ? 1 : 0;
  return found;
}

}  // namespace

u32 count_sectors(const s64* offsets, Mask mask, u64 first, u32 bytes) {
  if (const u32 found = count_by_pairs(offsets, mask, first, bytes)) return found;
  SectorSet sectors;
  for_each_lane(mask, [&](int i) {
    const u64 from = (first + u64(offsets[i])) / 32, to = (first + u64(offsets[i]) + bytes - 1) / 32;
    sectors.add(from);
    if (to != from) sectors.add(to);  // only a misaligned access, which is a fault
  });
  return sectors.size();
}

LineSectors count_line_sectors(const s64* offsets, Mask mask, u64 first) {
  constexpr u32 kInactive = 1u << 31, kSectorsInLine = 4;
  alignas(64) u32 sector[2 * kLanes], twice[kLanes] = {}, with_others[kLanes] = {};
  SIM_FOR_LANES(i) {
    const u32 at = u32((first + u64(offsets[i])) / 32) & ~kInactive;
    sector[i] = sector[kLanes + i] = mask & kLaneBit[i] ? at : kInactive | u32(i) * kSectorsInLine;
  }
  for (int by = 1; by < kLanes; ++by) {
    SIM_FOR_LANES(i) {
      // With the lanes after this one, and going round those before it.
      const u32 apart = sector[i] ^ sector[i + by];
      twice[i] |= apart == 0 && i + by < kLanes ? ~0u : 0;
      with_others[i] |= apart - 1 < kSectorsInLine - 1 ? ~0u : 0;
    }
  }
  LineSectors found;
  SIM_FOR_LANES(i) {
    const u32 counts = mask & kLaneBit[i] & ~twice[i] ? 1 : 0;
    found.all += counts;
    found.alone += counts & ~with_others[i];
  }
  return found;
}

u32 count_local_sectors(const s64* offsets, Mask mask, u64 first, u32 bytes) {
  SectorSet sectors;
  for_each_lane(mask, [&](int i) {
    const u64 word = (first + u64(offsets[i])) / 4;
    for (u64 k = 0; k < std::max<u64>(1, bytes / 4); ++k) sectors.add((word + k) * 4 + u64(i) / 8);
  });
  return sectors.size();
}

u32 count_atomic_sectors(const s64* offsets, Mask mask, u64 first, u32 bytes) {
  u32 sectors = 0;
  for (Mask left = mask; left != 0;) {  // one pass: the first lane of each address
    SectorSet pass;
    u64 seen[kLanes];
    int n = 0;
    const Mask now = left;
    for_each_lane(now, [&](int i) {
      const u64 at = first + u64(offsets[i]);
      if (std::find(seen, seen + n, at) != seen + n) return;
      seen[n++] = at;
      pass.add(at / 32);
      left &= ~kLaneBit[std::size_t(i)];
    });
    sectors += pass.size();
  }
  (void)bytes;
  return sectors;
}

u32 count_bypass_sectors(const s64* offsets, const u32* targets, Mask mask, u64 first) {
  SectorSet pairs;
  for_each_lane(mask, [&](int i) {
    const u64 line = (first + u64(offsets[i])) / 128;
    pairs.add(line << 20 | targets[i] / 32);
  });
  return pairs.size();
}

namespace {

/// Whether each lane accesses the same bytes as its neighbour across @p bit, as far as both are active.
bool repeats_across(int bit, const s64* offsets, Mask mask) {
  for (int i = 0; i < kLanes; ++i) {
    const int other = i ^ bit;
    const Mask both = kLaneBit[std::size_t(i)] | kLaneBit[std::size_t(other)];
    if ((mask & both) == both && offsets[i] != offsets[other]) return false;
  }
  return true;
}

/// The lanes of a mask but those whose word a lower lane accesses, too. Wider accesses are aligned: they have
/// all of their words in common, or none.
Mask first_of_each_word(const s64* offsets, Mask mask, u64 first) {
  // One look at each lane is enough as long as no bank is asked for two words.
  u64 word_of[kLanes];
  Mask banks = 0, unique = 0, left = mask;
  for (; left != 0; left &= left - 1) {
    const int i = first_lane(left);
    const u64 its_word = (u64(offsets[i]) + first) / 4, bank = its_word % kLanes;
    if ((banks & kLaneBit[bank]) == 0) {
      banks |= kLaneBit[bank];
      word_of[bank] = its_word;
      unique |= kLaneBit[std::size_t(i)];
    } else if (word_of[bank] != its_word) {
      break;
    }
  }
  if (left == 0) return unique;
  alignas(64) u32 word[2 * kLanes], twice[kLanes] = {};
  std::fill_n(word, kLanes, 0u);  // neighbours of the first lanes: no word
  SIM_FOR_LANES(i) word[kLanes + i] = mask & kLaneBit[i] ? u32((u64(offsets[i]) + first) / 4) + 1 : 0;
  for (int by = 1; by < kLanes; ++by)
    SIM_FOR_LANES(i) twice[i] |= word[kLanes + i] == word[kLanes + i - by] ? ~0u : 0;
  Mask firsts = 0;
  SIM_FOR_LANES(i) firsts |= twice[i] == 0 ? kLaneBit[i] : 0;
  return firsts & mask;
}

/// The most lanes of the mask that want one bank, whether the same word or not.
u32 most_lanes_of_a_bank(const s64* offsets, Mask mask, u64 first, u32 bytes) {
  u32 lanes[kLanes] = {}, most = 0;
  for_each_lane(mask, [&](int i) {
    const u64 word = (u64(offsets[i]) + first) / 4;
    for (u32 k = 0; k < std::max(1u, bytes / 4); ++k) most = std::max(most, ++lanes[(word + k) % kLanes]);
  });
  return most;
}

Mask group_mask(int group, int size) {
  return size == kLanes ? kAllLanes : ((Mask{1} << size) - 1) << group * size;
}

/// Lanes that go together: 8-byte accesses by half warps, 16-byte ones by quarters.
int group_size(u32 bytes) { return bytes <= 4 ? 32 : bytes == 8 ? 16 : 8; }

}  // namespace

u32 count_wavefronts(const s64* offsets, Mask mask, u64 first, u32 bytes, bool loads) {
  int size = group_size(bytes);
  // Two groups go together when neighbouring lanes load the same.
  if (bytes > 4 && loads && (repeats_across(1, offsets, mask) || repeats_across(2, offsets, mask))) size *= 2;
  u32 passes = 0;
  for (int group = 0; group < kLanes / size; ++group) {
    const Mask lanes = mask & group_mask(group, size);
    passes += most_lanes_of_a_bank(offsets, first_of_each_word(offsets, lanes, first), first, bytes);
  }
  return passes;
}

namespace {

/// Load, compute, compare-and-swap: in each round the first lane of every bank succeeds.
SharedAtomicCost count_loop(const s64* offsets, Mask mask, u64 first, u32 bytes) {
  SharedAtomicCost cost{0, 0, 0};
  const int size = group_size(bytes);
  for (Mask left = mask; left != 0; ++cost.requests) {
    cost.load_wavefronts += count_wavefronts(offsets, left, first, bytes, true);
    s64 winners[kLanes];
    int n = 0;
    Mask succeed = 0;
    for (int group = 0; group < kLanes / size; ++group) {
      const Mask here = left & group_mask(group, size);
      cost.wavefronts += here != 0 ? 2 : 0;
      u64 busy = 0;  // banks
      for_each_lane(here, [&](int i) {
        const u64 bank = u64(1) << ((u64(offsets[i]) + first) / 4 % kLanes);
        if ((busy & bank) != 0) return;
        busy |= bank;
        if (std::find(winners, winners + n, offsets[i]) != winners + n) return;  // changed by a group before
        winners[n++] = offsets[i];
        succeed |= kLaneBit[std::size_t(i)];
      });
    }
    left &= ~succeed;
  }
  return cost;
}

}  // namespace

SharedAtomicCost count_shared_atomic(SharedAtomic how, const s64* offsets, Mask mask, u64 first, u32 bytes) {
  if (how == SharedAtomic::loop) return count_loop(offsets, mask, first, bytes);
  SharedAtomicCost cost;
  if (how == SharedAtomic::increment) {
    cost.wavefronts = count_wavefronts(offsets, mask, first, bytes, false);
    return cost;
  }
  const int size = group_size(bytes);
  for (int group = 0; group < kLanes / size; ++group)
    cost.wavefronts += most_lanes_of_a_bank(offsets, mask & group_mask(group, size), first, bytes);
  if (how == SharedAtomic::swap) cost.wavefronts *= 2;
  return cost;
}

}  // namespace sim::exec
