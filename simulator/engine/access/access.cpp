#include "simulator/engine/access/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simulator/engine/access/outside.h"
#include "simulator/engine/cluster.h"
#include "simulator/memory/placed_arrays.h"

namespace sim::exec {

std::byte* find_global(Worker& worker, Site& site, u64 low, u64 end) {
  const memory::Allocation* found = worker.space.find(low);
  if (found == nullptr || found->freed || low >= end || !found->contains(low, end - low)) return nullptr;
  site.base = found->base;
  site.size = found->size;
  site.host = found->host;
  return site.host + (low - site.base);
}

namespace {

/// Whether an instruction may name other blocks' shared memory: by a generic address, or as shared::cluster.
bool reaches_cluster(const Warp& w, const AccessInfo& info) {
  return info.space == ptx::Space::generic || w.worker->code.source_of(info.in).has("shared::cluster");
}

}  // namespace

std::byte* find_in_cluster(Warp& w, const AccessInfo& info, u64 low, u64 end) {
  if (low < kRankStride || low / kRankStride != (end - 1) / kRankStride || !reaches_cluster(w, info))
    return nullptr;
  const SharedPlace place = w.block->cluster->at(*w.block, low);
  if (place.owner == nullptr || place.owner->ended || place.offset + (end - low) > place.owner->shared_bytes)
    return nullptr;
  return place.owner->shared.get() + place.offset;
}

ResolvedAccess locate(Warp& w, const AccessInfo& info, const void* addresses, bool wide, s64 displacement) {
  using ptx::Space;
  switch (info.space) {
    case Space::shared:
      return wide ? detail::resolve_access_in<Space::shared, u64>(w, info, addresses, displacement)
                  : detail::resolve_access_in<Space::shared, u32>(w, info, addresses, displacement);
    case Space::local:
      return wide ? detail::resolve_access_in<Space::local, u64>(w, info, addresses, displacement)
                  : detail::resolve_access_in<Space::local, u32>(w, info, addresses, displacement);
    case Space::generic:
      return detail::resolve_access_in<Space::generic, u64>(w, info, addresses, displacement);
    case Space::param:
      return detail::resolve_access_in<Space::param, u64>(w, info, addresses, displacement);
    case Space::constant:
      return detail::resolve_access_in<Space::constant, u64>(w, info, addresses, displacement);
    default:
      return detail::resolve_access_in<Space::global, u64>(w, info, addresses, displacement);
  }
}

void access_apart(Warp& w, const AccessInfo& info, const ResolvedAccess& at,
                  void (*alone)(void* context, std::byte* host, int lane), void* context) {
  const AccessPattern seen = *at.pattern;  // the lanes' own accesses may reuse the site
  const Mask able =
      w.worker->observer == nullptr ? w.active : notify_observer_by_lane(w, info, at.first, seen);
  for_each_lane(able, [&](int lane) {
    alone(context, resolve_lane(w, info, at.first + u64(seen.offset[lane]), lane), lane);
  });
}

ptx::Space space_of(u64 address) {
  const auto in_window = [&](u64 window) {
    return address + memory::kBelowWindow - window < memory::kWindowSize + memory::kBelowWindow;
  };
  if (in_window(memory::kSharedWindow)) return ptx::Space::shared;
  if (in_window(memory::kLocalWindow)) return ptx::Space::local;
  if (address - memory::kParamWindow < memory::kWindowSize) return ptx::Space::param;
  return ptx::Space::global;
}

AccessKind kind_of(Access kind) {
  return kind == Access::read    ? AccessKind::read
         : kind == Access::write ? AccessKind::write
                                 : AccessKind::atomic;
}
const char* verb(Access kind) { return verb_of(kind_of(kind)); }

namespace {

[[noreturn]] void fail_access(Warp& w, const AccessInfo& info, int lane, FindingKind kind, MemorySpace space,
                              const Message& message, Cure::Kind cure = Cure::none,
                              bool null_pointer = false) {
  fail(w, info.in, lane, kind, message, {space, kind_of(info.kind), info.bytes, cure, null_pointer});
}

/// A finding about an access to global memory, at its place.
Finding finding_of(const Warp& w, const AccessInfo& info, FindingKind kind, int lane) {
  Finding f;
  f.kind = kind;
  f.space = MemorySpace::global;
  f.access = kind_of(info.kind);
  f.size = info.bytes;
  f.kernel = w.worker->code.kernel->name;
  f.block = w.block->id;
  f.thread = w.block->thread_of(w, lane);
  locate_use(f, w, info.in);
  return f;
}

[[noreturn]] void misaligned(Warp& w, const AccessInfo& info, ptx::Space space, u64 address, int lane) {
  Finding f = finding_of(w, info, FindingKind::misaligned, lane);
  f.space = space == ptx::Space::shared  ? MemorySpace::shared
            : space == ptx::Space::local ? MemorySpace::local
                                         : MemorySpace::global;
  describe_misaligned(f, w.worker->space, w.worker->code, address);
  throw Fault(std::move(f));
}

/// In the shared memory of no block of the cluster, of one that has left, or past its end.
[[noreturn]] void outside_cluster(Warp& w, const AccessInfo& info, u64 address, int lane) {
  const Block* const owner = w.block->cluster->at(*w.block, address).owner;
  const u64 offset = address % kRankStride;
  if (owner == nullptr) {
    fail_access(
        w, info, lane, FindingKind::out_of_bounds, MemorySpace::shared,
        Message("The thread {} {} bytes of shared memory of rank {} of its cluster, which has {} blocks.",
                verb(info.kind), info.bytes, address / kRankStride - 1, w.block->cluster->size()));
  }
  const Message block("({},{},{})", owner->id[0], owner->id[1], owner->id[2]);
  if (owner->ended) {
    fail_access(
        w, info, lane, FindingKind::use_after_free, MemorySpace::shared,
        Message("The thread {} {} bytes at offset {} of shared memory of block {}, all of whose threads "
                "have left.",
                verb(info.kind), info.bytes, offset, block),
        Cure::cluster_barrier_at_end);
  }
  fail_access(
      w, info, lane, FindingKind::out_of_bounds, MemorySpace::shared,
      Message("The thread {} {} bytes at offset {} of shared memory of block {}, which has {} bytes of it.",
              verb(info.kind), info.bytes, offset, block, owner->shared_bytes));
}

/// Outside of what the block or the thread has of shared memory, local memory or parameters.
void outside_window(Warp& w, const AccessInfo& info, ptx::Space space, u64 address, int lane) {
  if (space == ptx::Space::shared && address >= kRankStride &&
      address < (kMostClusterBlocks + 1) * kRankStride && reaches_cluster(w, info))
    outside_cluster(w, info, address, lane);
  if (space == ptx::Space::shared) {
    fail_access(w, info, lane, FindingKind::out_of_bounds, MemorySpace::shared,
                Message("The thread {} {} bytes at offset {} of shared memory; the block has {} bytes "
                        "of it.",
                        verb(info.kind), info.bytes, s64(s32(address)), w.block->shared_bytes));
  }
  if (space == ptx::Space::local) {
    fail_access(w, info, lane, FindingKind::out_of_bounds, MemorySpace::local,
                Message("The thread {} {} bytes at offset {} of its local arrays, which have {} bytes.",
                        verb(info.kind), info.bytes, s64(address), w.worker->code.local_stride));
  }
  if (space == ptx::Space::param) {
    fail_access(w, info, lane, FindingKind::out_of_bounds, MemorySpace::constant,
                Message("The thread {} {} bytes at offset {} of the kernel's parameters, which have {} "
                        "bytes and are read-only.",
                        verb(info.kind), info.bytes, s64(address), w.worker->launch.params.size()));
  }
}

/// Of freed memory, or where no buffer is near.
void outside_buffers(Warp& w, const AccessInfo& info, u64 address, int lane) {
  const memory::Allocation* near = w.worker->space.find(address);
  const memory::AddressInWords where = w.worker->space.describe(address);
  if (near != nullptr && near->freed && near->contains(address, 1)) {
    fail_access(w, info, lane, FindingKind::use_after_free, MemorySpace::global,
                Message("The thread {} {} bytes of memory that was freed: {}.", verb(info.kind), info.bytes,
                        where.words),
                near->of_the_caller() ? Cure::keep_no_pointer : Cure::none);
  }
  if (near == nullptr && !where.near_buffer && info.space == ptx::Space::generic &&
      memory::is_far_from_window(address)) {
    fail_access(w, info, lane, FindingKind::out_of_bounds, MemorySpace::shared,
                Message("The thread {} {} bytes far outside of the array in shared or local memory that the "
                        "address is made from: the index is in the millions, or far below 0.",
                        verb(info.kind), info.bytes),
                Cure::index_of_fewer_bits);
  }
  if (near == nullptr && !where.near_buffer) {
    fail_access(w, info, lane, FindingKind::out_of_bounds, MemorySpace::global,
                Message("The thread {} {} bytes at {}: {}. Did you pass a host pointer to the kernel, "
                        "or one that was never set?",
                        verb(info.kind), info.bytes, fmt::format("{:#x}", address), where.words),
                Cure::set_pointer, where.null_pointer);
  }
}

/// Past the end of a buffer, or before its beginning.
[[noreturn]] void outside_buffer(Warp& w, const AccessInfo& info, u64 address, int lane) {
  const memory::Allocation* near = w.worker->space.find(address);
  const memory::AddressInWords where = w.worker->space.describe(address);
  Finding f = finding_of(w, info, FindingKind::out_of_bounds, lane);
  if (near != nullptr && near->constant) f.space = MemorySpace::constant;
  f.message = Message("The thread {} {} bytes, {}.", verb(info.kind), info.bytes, where.words);
  f.cure = cure_of_outside(w.worker->code, info.in);
  // The neighbour that the sentence names may be a buffer of which nothing is known.
  const memory::PlacedArray* const array = memory::array_near(address);
  const AllocationName* const named = first_operand<AllocationName>(where.words);
  if (array != nullptr && named != nullptr && named->base == array->base) {
    const s64 offset = s64(address) - s64(array->base);
    f.symbol = sim::element_name(array->shape, offset);
    f.message = outside_in_words(array->shape, f.thread, verb(info.kind), info.bytes, offset);
    f.cure = cure_of_outside(w.worker->code, info.in, f.symbol, sim::extent_in_words(array->shape));
  }
  throw Fault(std::move(f));
}

[[noreturn]] void bad_access(Warp& w, const AccessInfo& info, ptx::Space space, u64 address, int lane) {
  try {
    if (address % info.bytes != 0) misaligned(w, info, space, address, lane);
    outside_window(w, info, space, address, lane);
    outside_buffers(w, info, address, lane);
    outside_buffer(w, info, address, lane);
  } catch (Fault& fault) {
    fault.at = &info.in;
    fault.address = address;
    throw;
  }
}

}  // namespace

std::byte* resolve_lane(Warp& w, const AccessInfo& info, u64 address, int lane) {
  ptx::Space space = info.space;
  u64 offset = address;
  if (space == ptx::Space::generic) {
    space = space_of(address);
    if (space == ptx::Space::shared) offset -= memory::kSharedWindow;
    if (space == ptx::Space::local) offset -= memory::kLocalWindow;
    if (space == ptx::Space::param) offset -= memory::kParamWindow;
  }
  const bool offset_matters = space != ptx::Space::global && space != ptx::Space::constant;
  const auto inside = [&](u64 size) { return offset < size && info.bytes <= size - offset; };
  const bool aligned = address % info.bytes == 0;
  if (aligned && space == ptx::Space::shared) {
    if (inside(w.block->shared_bytes)) return w.block->shared.get() + offset;
    if (std::byte* const there = find_in_cluster(w, info, offset, offset + info.bytes)) return there;
    if (w.worker->code.source_of(info.in).opcode == "st" && reaches_cluster(w, info) &&
        w.block->cluster->drops_store_at(*w.block, offset)) {
      alignas(16) static thread_local std::byte nowhere[16];
      return nowhere;
    }
  }
  if (aligned && space == ptx::Space::local && inside(w.worker->code.local_stride)) {
    return w.local + std::size_t(lane) * w.worker->code.local_stride + offset;
  }
  const std::span<const std::byte> params = w.worker->launch.params;
  if (aligned && space == ptx::Space::param && info.kind == Access::read && inside(params.size())) {
    return const_cast<std::byte*>(params.data()) + offset;
  }
  if (aligned && (space == ptx::Space::global || space == ptx::Space::constant)) {
    Site site;  // not the instruction's own: calls and barriers have none
    if (std::byte* host = find_global(*w.worker, site, address, address + info.bytes)) return host;
  }
  bad_access(w, info, space, offset_matters ? offset : address, lane);
}

void notify_observer(Warp& w, const AccessInfo& info, ptx::Space space, u64 first,
                     const AccessPattern& pattern, std::byte* host) {
  if (space == ptx::Space::shared && info.space == ptx::Space::generic) first -= memory::kSharedWindow;
  Block* owner = w.block;
  if (space == ptx::Space::shared && first >= kRankStride) {
    const SharedPlace place = w.block->cluster->at(*w.block, first);
    owner = place.owner, first = place.offset;
  }
  w.worker->observer->access(
      w, {info.in, info.kind, space, first, pattern, info.bytes, host, *owner, info.values, info.element});
}

AccessPattern pattern_of(const s64* offset, Mask mask) {
  AccessPattern p;
  p.mask = mask;
  const s64 first = offset[first_lane(mask)];
  for_each_lane(mask, [&](int lane) {
    p.offset[lane] = offset[lane] - first;
    p.low = std::min(p.low, p.offset[lane]);
    p.high = std::max(p.high, p.offset[lane]);
  });
  return p;
}

Mask notify_observer_by_lane(Warp& w, const AccessInfo& info, u64 first, const AccessPattern& pattern) {
  Mask able = 0;
  for_each_lane(pattern.mask, [&](int lane) {
    const u64 address = first + u64(pattern.offset[lane]);
    std::byte* host = nullptr;
    try {
      host = resolve_lane(w, info, address, lane);
    } catch (const Fault& fault) {
      if (!w.worker->observer->suppresses(fault)) throw;
      return;
    }
    able |= kLaneBit[std::size_t(lane)];
    AccessPattern one;
    one.mask = kLaneBit[std::size_t(lane)];
    const ptx::Space space = info.space == ptx::Space::generic ? space_of(address) : info.space;
    const bool window = info.space == ptx::Space::generic && space == ptx::Space::local;
    notify_observer(w, info, space, window ? address - memory::kLocalWindow : address, one, host);
  });
  return able;
}

}  // namespace sim::exec
