#include "simulator/instructions/memory/bulk_transfer.h"

namespace sim::exec {

using ptx::Space;

/// All of a piece lies where its first and its last bytes do.
std::byte* BulkTransfer::whole(Space space, u64 address, u32 bytes, u32 granule, Access kind) {
  const AccessInfo info{in_, space, kind, granule};
  std::byte* const first = resolve_lane(w_, info, address, lane_);
  if (bytes <= granule) return first;
  std::byte* const last = resolve_lane(w_, info, address + bytes - granule, lane_);
  if (last != first + (bytes - granule))  // there is something else in between: told of its first bytes
    for (u32 i = 0; i < bytes; i += granule) (void)resolve_lane(w_, info, address + i, lane_);
  return first;
}

namespace {

AccessPattern pattern_of_lane(int lane) {
  AccessPattern one;
  one.mask = kLaneBit[std::size_t(lane)];
  return one;
}

}  // namespace

const std::byte* BulkTransfer::read_global(u64 address, u32 bytes) {
  const u32 granule = u32(address | bytes) % kBulkGranule == 0 ? kBulkGranule : 1;
  std::byte* const from = whole(Space::global, address, bytes, granule, Access::read);
  if (w_.worker->observer != nullptr)
    notify_observer(w_, {in_, Space::global, Access::read, bytes}, Space::global, address,
                    pattern_of_lane(lane_), from);
  return from;
}

SharedPlace BulkTransfer::place(u64 address, u32 bytes, Access kind) {
  const u32 granule = kind == Access::atomic ? bytes : kBulkGranule;
  const SharedPlace at = w_.block->cluster->place_of(whole(Space::shared, address, bytes, granule, kind));
  if (bytes % granule != 0)
    (void)resolve_lane(w_, {in_, Space::shared, kind, granule}, address + bytes,
                       lane_);  // told as misaligned
  return at;
}

const std::byte* BulkTransfer::read_shared(u64 address, u32 bytes, bool in_group) {
  const SharedPlace from = place(address, bytes, Access::read);
  std::byte* const host = from.owner->shared.get() + from.offset;
  if (w_.worker->observer != nullptr) {
    notify_observer(w_, {in_, Space::shared, Access::read, bytes}, Space::shared, from.offset,
                    pattern_of_lane(lane_), host);
    if (in_group) w_.worker->observer->bulk_reads(w_, in_, lane_, from, bytes);
  }
  return host;
}

std::byte* BulkTransfer::write_global(u64 address, u32 bytes, Access kind) {
  const u32 granule = u32(address | bytes) % kBulkGranule == 0 ? kBulkGranule : 1;
  std::byte* const to = whole(Space::global, address, bytes, granule, kind);
  if (w_.worker->observer != nullptr) {
    notify_observer(w_, {in_, Space::global, kind, bytes}, Space::global, address, pattern_of_lane(lane_),
                    to);
    w_.worker->observer->bulk_writes(w_, in_, lane_, address, bytes);
  }
  ++w_.worker->writes;
  return to;
}

std::byte* BulkTransfer::write_shared(const SharedPlace& to, u32 bytes, const SharedPlace& mbarrier) {
  if (w_.worker->observer != nullptr) w_.worker->observer->bulk_copies(w_, in_, lane_, to, bytes, mbarrier);
  return to.owner->shared.get() + to.offset;
}

void BulkTransfer::count_load(u64 address, u32 bytes) {
  constexpr u32 kLine = 128;
  w_.worker->bulk.load_sectors += count(address, bytes);
  w_.worker->bulk.load_lines += (bytes + kLine - 1) / kLine;
}

void BulkTransfer::count_store(u64 address, u32 bytes) {
  count(address, bytes);
  w_.worker->bulk.store_bytes += bytes;
}

u32 BulkTransfer::count(u64 address, u32 bytes) {
  constexpr u32 kSector = 32;  // of the L2
  AccessCount& counts = w_.worker->sites[in_.site].counts[u32(CountedSpace::global)];
  const u32 sectors = u32((address % kSector + bytes + kSector - 1) / kSector);
  ++counts.requests, ++w_.worker->bulk.requests;
  counts.cost += sectors;
  return sectors;
}

}  // namespace sim::exec
