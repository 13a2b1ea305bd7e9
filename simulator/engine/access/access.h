// Access to memory by a warp: the pattern of its addresses, bounds, counters, and the host bytes behind them.
#pragma once

#include "simulator/engine/access/cost.h"
#include "simulator/engine/block.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/observer.h"

namespace sim::exec {

/// One warp-wide access that is under way.
struct AccessInfo {
  const Instr& in;
  ptx::Space space;
  Access kind;
  u32 bytes;                              ///< of one lane, all vector elements together
  SharedAtomic how = SharedAtomic::unit;  ///< atomics
  StoredValues values = {};
  int element = -1;  ///< see ObservedAccess
};

/// Host bytes of [low, end) in global memory, or null when it is not inside one allocation. Remembers the
/// allocation in the site.
std::byte* find_global(Worker& worker, Site& site, u64 low, u64 end);

/// Counts an access with the site's pattern, whose first lane's address is @p first.
inline void count_use(Site& site, u64 first) {
  ++site.uses;
  if (site.sampling) [[unlikely]]
    ++site.sampled_uses[first >> 5 & 3];
}

/// The operand that says, of a plain access or an atomic, how its address is written.
inline constexpr int kAddressing = 5;
constexpr OperandRef addressing(ptx::Space space, bool wide) { return u32(space) << 1 | u32(wide); }
inline ptx::Space space_addressed(const Instr& in) { return ptx::Space(in.op[kAddressing] >> 1); }
inline bool has_wide_address(const Instr& in) { return (in.op[kAddressing] & 1) != 0; }

/// "reads", "writes" or "updates"; "read", "write" or "atomic".
const char* verb(Access kind);
AccessKind kind_of(Access kind);

/// A lane's address, in a register of 64 bits or of 32.
inline u64 address_of(const Warp& w, OperandRef ref, bool wide, int lane) {
  return wide ? lanes<u64>(w, ref)[lane] : lanes<u32>(w, ref)[lane];
}

/// Host bytes of one lane's access. @throws Fault when it is out of bounds or misaligned
std::byte* resolve_lane(Warp& w, const AccessInfo& info, u64 address, int lane);

/// Host bytes of [low, end) of the shared window (without its base) in another block's shared memory, or null
/// when they are not inside one block that is still there.
std::byte* find_in_cluster(Warp& w, const AccessInfo& info, u64 low, u64 end);

/// Space of a generic address.
ptx::Space space_of(u64 address);

/// Notifies the observer of an access whose lanes' bytes are all there.
void notify_observer(Warp& w, const AccessInfo& info, ptx::Space space, u64 first,
                     const AccessPattern& pattern, std::byte* host);

/// Addresses that are no site's own, for matrix instructions: @p offset of each lane of
/// @p mask from the first.
AccessPattern pattern_of(const s64* offset, Mask mask);

/// The same, lane by lane, for lanes that may be out of bounds. @return the lanes that may go ahead
/// @throws Fault unless the observer suppresses it
Mask notify_observer_by_lane(Warp& w, const AccessInfo& info, u64 first, const AccessPattern& pattern);

/// Where the bytes of a warp's access lie.
struct ResolvedAccess {
  std::byte* host = nullptr;               ///< together: lane i's are at host + pattern->offset[i]
  const AccessPattern* pattern = nullptr;  ///< null where no lane is active
  std::byte* frames = nullptr;  ///< in local memory: those of lane i are at frames + i * stride + its offset
  u64 stride = 0;
  u64 first = 0;  ///< address of the first active lane; lanes are resolved one by one where neither is set
};

/// Before a site's pattern becomes another one: counts the uses of the present one. In a block that comes
/// before the sampled one in Block::example_rank it begins the sample anew.
void leave_pattern(Warp& w, u32 site);

/// Works out the pattern of the active lanes' addresses anew, and what it costs. @p addresses
/// are 32- or 64-bit.
template <class A>
void learn_pattern(Warp& w, const A* addresses, s64 displacement, const AccessInfo& info);

namespace detail {

template <class A>
inline bool same_pattern(const AccessPattern& p, const A* addresses, A first, Mask mask) {
  if (p.mask != mask) return false;
  A different = 0;
  if constexpr (sizeof(A) == 4) {
    if (mask == kAllLanes) {
      SIM_FOR_LANES(i) different |= (addresses[i] - first) ^ A(p.narrow[i]);
    } else {
      SIM_FOR_LANES(i) different |= mask & kLaneBit[i] ? (addresses[i] - first) ^ A(p.narrow[i]) : 0;
    }
  } else {
    if (mask == kAllLanes) {
      SIM_FOR_LANES(i) different |= (addresses[i] - first) ^ A(p.offset[i]);
    } else {
      SIM_FOR_LANES(i) different |= mask & kLaneBit[i] ? (addresses[i] - first) ^ A(p.offset[i]) : 0;
    }
  }
  return different == 0;
}

/// The access that locate() describes, of one space and width of address.
template <ptx::Space kSpace, class A>
SIM_INLINE ResolvedAccess resolve_access_in(Warp& w, const AccessInfo& info, const void* registers,
                                            s64 displacement) {
  const A* const addresses = static_cast<const A*>(registers);
  const Mask mask = w.active;
  if (mask == 0) return {};
  Worker& worker = *w.worker;
  Site& site = worker.sites[info.in.site];
  AccessPattern& pattern = site.pattern;
  const A first_address = addresses[first_lane(mask)];
  const u64 first = A(first_address + A(displacement));  // a 32-bit address wraps round, as on the hardware
  const bool shifted = ((u32(first) ^ pattern.phase) & pattern.phase_mask) != 0;
  const bool elsewhere = kSpace == ptx::Space::generic && pattern.space != space_of(first);
  if (shifted || elsewhere || !same_pattern(pattern, addresses, first_address, mask)) [[unlikely]] {
    learn_pattern(w, addresses, displacement, info);
  }
  const u64 low = first + u64(pattern.low), end = first + u64(pattern.high) + info.bytes;
  const bool aligned = ((first | pattern.alignment) & (info.bytes - 1)) == 0;
  std::byte* host = nullptr;
  ptx::Space space = kSpace;
  if constexpr (kSpace == ptx::Space::generic)
    space = space_of(low) == space_of(end - 1) ? space_of(low) : kSpace;
  // Variables that the check build keeps in local memory are nobody else's to wait for.
  if (info.kind == Access::write && space != ptx::Space::local) ++worker.writes;
  if (space == ptx::Space::shared) {
    const u64 window = kSpace == ptx::Space::generic ? memory::kSharedWindow : 0;
    if (low - window < end - window && end - window <= w.block->shared_bytes)
      host = w.block->shared.get() + (first - window);
    else if (std::byte* const there = find_in_cluster(w, info, low - window, end - window))
      host = there + (first - low);
  } else if (space == ptx::Space::global || space == ptx::Space::constant) {
    if (low >= site.base && low < end && end - site.base <= site.size) [[likely]] {
      host = site.host + (first - site.base);
    } else if (find_global(worker, site, low, end) != nullptr) {
      host = site.host + (first - site.base);
    }
  }
  if (host != nullptr && aligned) [[likely]] {
    if (worker.observer != nullptr) [[unlikely]]
      notify_observer(w, info, space, first, pattern, host);
    count_use(site, first);
    return {host, &pattern};
  }
  if (space == ptx::Space::local) {
    const u64 window = kSpace == ptx::Space::generic ? memory::kLocalWindow : 0;
    const u64 stride = worker.code.local_stride;
    if (aligned && low - window < end - window && end - window <= stride) {
      if (worker.observer != nullptr) [[unlikely]]
        notify_observer(w, info, space, first - window, pattern, w.local + (first - window));
      count_use(site, first);
      return {nullptr, &pattern, w.local + (first - window), stride};
    }
  }
  count_use(site, first);
  return {nullptr, &pattern, nullptr, 0, first};
}

}  // namespace detail

/// Finds the bytes of one access of the active lanes, counts it, and tells the observer unless the lanes'
/// bytes lie apart. @param wide  whether the registers of the addresses have 64 bits
ResolvedAccess locate(Warp& w, const AccessInfo& info, const void* addresses, bool wide, s64 displacement);

/// Has @p alone(context, host, lane) move each lane that has bytes; they are resolved lane by lane.
void access_apart(Warp& w, const AccessInfo& info, const ResolvedAccess& at,
                  void (*alone)(void* context, std::byte* host, int lane), void* context);

/// Performs the access that locate() has found. @p together(host, pattern) moves all lanes at once: lane i's
/// bytes are at host + pattern.offset[i]. @p alone(host, lane) moves one lane; it is used when the lanes'
/// bytes do not lie in one piece of host memory.
template <class Together, class Alone>
inline void access_memory(Warp& w, const AccessInfo& info, const ResolvedAccess& at, Together together,
                          Alone alone) {
  const Mask mask = w.active;
  if (at.host != nullptr) [[likely]] {
    together(at.host, *at.pattern);
  } else if (at.frames != nullptr) {
    for_each_lane(
        mask, [&](int lane) { alone(at.frames + u64(lane) * at.stride + at.pattern->offset[lane], lane); });
  } else if (at.pattern != nullptr) {
    access_apart(
        w, info, at,
        [](void* context, std::byte* host, int lane) { (*static_cast<Alone*>(context))(host, lane); },
        &alone);
  }
}

}  // namespace sim::exec
