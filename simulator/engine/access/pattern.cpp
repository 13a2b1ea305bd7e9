// How the lanes' addresses at a site lie to each other, what that costs, and the counts it leaves.
#include <algorithm>

#include "simulator/engine/access/access.h"

namespace sim::exec {

namespace {

/// Where accesses to a space are counted; those to constants and parameters are not.
AccessCount* counted(Site& site, ptx::Space space) {
  using ptx::Space;
  if (space == Space::constant || space == Space::param) return nullptr;
  return &site.counts[u32(space == Space::shared  ? CountedSpace::shared
                          : space == Space::local ? CountedSpace::local
                                                  : CountedSpace::global)];
}

/// Of a plain access to global memory the sectors that count as parts of lines. Where ptxas makes narrower
/// loads of it, a share of theirs.
u64 partial_sectors(const AccessPattern& p, u64 first) {
  const bool many_lines = p.mask != 0 && p.lanes_at_memory == 0 && p.cost > 1;
  if (!many_lines) return 0;
  constexpr u32 kLine = 128;
  if (p.alignment % kLine == 0) return p.cost;  // a line for each lane, but for those of one address
  const LineSectors sectors = count_line_sectors(p.offset, p.mask, first);
  return u64(p.cost) * sectors.alone / sectors.all;
}

}  // namespace

void Site::retire_pattern() {
  if (uses == 0) return;
  if (sampling) add_to_sample();
  if (AccessCount* const count = counted(*this, pattern.space)) {
    count->requests += uses * weight * pattern.requests;
    count->cost += uses * pattern.cost;
  }
  uses = 0;
}

void Site::add_to_sample() {
  u64 all = 0;
  for (u64 sector = 0; sector < sampled_uses.size(); ++sector) {
    const u64 here = sampled_uses[sector];
    all += here;
    if (here == 0 || pattern.space != ptx::Space::global) continue;
    sampled_cost += here * pattern.cost;
    sampled_alone += here * partial_sectors(pattern, sector * 32 + pattern.phase % 32);
  }
  sampled_uses = {};
  if (keeps_steps && all != 0) add_step(all);
  if (all * pattern.cost > sample.uses * sample.cost) sample = present_sample(all);
}

AccessSample Site::present_sample(u64 uses_of_it) const {
  AccessSample seen;
  seen.uses = uses_of_it;
  seen.mask = pattern.mask;
  // Of an address in global memory the pattern has the low half; an allocation is smaller than 4 GiB, or
  // nearly always.
  seen.first = pattern.space == ptx::Space::global ? base + u32(pattern.phase - u32(base)) : pattern.phase;
  seen.cost = pattern.cost;
  std::copy(std::begin(pattern.offset), std::end(pattern.offset), seen.offset.begin());
  return seen;
}

void Site::add_step(u64 uses_of_it) {
  for (AccessSample& step : steps)
    if (step.mask == pattern.mask && step.cost == pattern.cost &&
        std::equal(step.offset.begin(), step.offset.end(), std::begin(pattern.offset))) {
      step.uses += uses_of_it;
      return;
    }
  if (steps.size() < AccessRecord::kMostSteps) steps.push_back(present_sample(uses_of_it));
}

void leave_pattern(Warp& w, u32 index) {
  Site& site = w.worker->sites[index];
  site.retire_pattern();
  const u64 rank = w.block->example_rank;
  if (rank >= site.sampled_rank) return;
  site.sample = {};
  site.steps.clear();
  site.sampled_cost = site.sampled_alone = 0;
  site.sampled_uses = {};
  site.sampled_rank = rank;
  site.sampling = true;
  w.worker->sampling.push_back(index);
}

namespace {

/// One request with the lanes' addresses in the site's pattern.
void count_atomic(Site& site, const AccessInfo& info, ptx::Space space, u64 first) {
  AccessPattern& p = site.pattern;
  // What ptxas sums up over the warp first goes to memory from one lane.
  const bool one = site.warp_aggregation == WarpAggregation::always ||
                   (site.warp_aggregation == WarpAggregation::full_warps && p.mask == kAllLanes);
  const Mask mask = one ? p.mask & ~(p.mask - 1) : p.mask;
  p.lanes_at_memory = mask;
  site.weight = 1;
  if (space == ptx::Space::global) {
    p.cost = count_atomic_sectors(p.offset, mask, first, info.bytes);
  } else if (space == ptx::Space::shared) {
    const SharedAtomicCost cost = count_shared_atomic(info.how, p.offset, mask, first, info.bytes);
    site.weight = cost.requests;
    site.loop_wavefronts = cost.load_wavefronts;
    p.cost = cost.wavefronts;
  }
}

/// What the narrower loads of one cost together.
u32 count_pieces(const Site& site, Mask mask, u64 first, ptx::Space space) {
  u32 cost = 0;
  for (u8 i = 0; i < site.narrowed.count; ++i) {
    const u64 at = first + site.narrowed.at[i];
    const auto& offset = site.pattern.offset;
    cost += space == ptx::Space::global ? count_sectors(offset, mask, at, site.narrowed.bytes)
                                        : count_wavefronts(offset, mask, at, site.narrowed.bytes, true);
  }
  return cost;
}

}  // namespace

template <class A>
void learn_pattern(Warp& w, const A* addresses, s64 displacement, const AccessInfo& info) {
  leave_pattern(w, info.in.site);
  Site& site = w.worker->sites[info.in.site];
  AccessPattern& p = site.pattern;
  const Mask mask = w.active;
  const int first = first_lane(mask);
  const A base = addresses[first];
  const s64 bytes = info.bytes;
  p.mask = mask;
  ++p.learned;
  p.phase = u32(u64(base) + u64(displacement));
  s64 low = 0, high = 0, gaps = 0, alignment = 0;
  SIM_FOR_LANES(i) {
    const s64 distance = sizeof(A) == 4 ? s64(s32(u32(addresses[i] - base))) : s64(addresses[i] - base);
    const s64 offset = mask & kLaneBit[i] ? distance : 0;
    p.offset[i] = offset;
    p.narrow[i] = s32(offset);
    low = offset < low ? offset : low;
    high = offset > high ? offset : high;
    alignment |= offset;
    gaps |= offset ^ bytes * i;
  }
  p.low = low;
  p.high = high;
  p.alignment = u32(alignment);
  const bool contiguous = gaps == 0 && mask == kAllLanes, broadcast = alignment == 0;
  p.shape = contiguous  ? AccessPattern::Shape::contiguous
            : broadcast ? AccessPattern::Shape::broadcast
                        : AccessPattern::Shape::scattered;
  const u64 at = u64(base) + u64(displacement);
  const ptx::Space space = info.space == ptx::Space::generic ? space_of(at) : info.space;
  p.space = space;
  p.requests = space == ptx::Space::local ? (info.bytes + 3) / 4 : 1;  // one for each word
  if (site.weight == 0) {
    p.cost = 0;
  } else if (info.kind == Access::atomic) {
    count_atomic(site, info, space, at);
  } else if (site.narrowed.count != 0 && space != ptx::Space::local) {
    p.cost = count_pieces(site, mask, at, space);
  } else if (space == ptx::Space::global) {
    p.cost = contiguous ? (u32(at & 31) + 32 * info.bytes + 31) / 32
                        : count_sectors(p.offset, mask, at, info.bytes);
  } else if (space == ptx::Space::shared) {
    const u32 counted = site.counted_bytes != 0 ? site.counted_bytes : info.bytes;
    p.cost = count_wavefronts(p.offset, mask, at, counted, info.kind == Access::read);
  } else if (space == ptx::Space::local) {
    p.cost = count_local_sectors(p.offset, mask, at, info.bytes);
  }
  const u32 granule = space == ptx::Space::global ? 31 : 3;
  p.phase_mask = (p.alignment & granule) == 0 ? 0 : granule;
}
template void learn_pattern(Warp&, const u32*, s64, const AccessInfo&);
template void learn_pattern(Warp&, const u64*, s64, const AccessInfo&);

}  // namespace sim::exec
