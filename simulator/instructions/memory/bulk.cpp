// Bulk copies: one lane moves a whole piece of memory, and an mbarrier counts its bytes. As other
// asynchronous copies, they are done when they are issued, and the observer has them as pending until a
// thread waits.
#include "simulator/engine/access/access.h"
#include "simulator/engine/phase_barrier.h"
#include "simulator/instructions/families.h"

namespace sim::exec {

namespace {

using ptx::Space;

constexpr u32 kGranule = 16;  ///< what addresses and size are multiples of
constexpr u32 kSector = 32;   ///< of the L2

/// cp.async.bulk [shared], [global], size, [mbarrier]
void copy_to_shared(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const AccessInfo read{in, Space::global, Access::read, kGranule};
  const AccessInfo write{in, Space::shared, Access::write, kGranule};
  const AccessInfo update{in, Space::shared, Access::atomic, sizeof(PhaseBarrier::bits)};
  const u32* size = lanes<u32>(w, wide.op[2]);
  AccessCount& counts = w.worker->sites[in.site].counts[u32(CountedSpace::global)];
  for_each_lane(w.active, [&](int lane) {
    const u64 to = address_of(w, wide.op[0], wide.targets[0] != 0, lane) + u64(wide.offset);
    const u64 from = lanes<u64>(w, wide.op[1])[lane] + u64(wide.second_offset);
    for (u32 i = 0; i < size[lane] / kGranule * kGranule; i += kGranule) {
      std::byte* const source = resolve_lane(w, read, from + i, lane);
      std::byte* const target = resolve_lane(w, write, to + i, lane);
      if (w.worker->observer != nullptr) {
        const s64 here[kLanes] = {};
        notify_observer(w, read, Space::global, from + i, pattern_of(here, kLaneBit[std::size_t(lane)]),
                        source);
        w.worker->observer->copies(w, in, lane, u32(to + i), kGranule);
      }
      std::memcpy(target, source, kGranule);
    }
    if (size[lane] % kGranule != 0)
      (void)resolve_lane(w, write, to + size[lane], lane);  // told as misaligned
    ++counts.requests;
    counts.cost += (from % kSector + size[lane] + kSector - 1) / kSector;

    std::byte* const at = resolve_lane(
        w, update, address_of(w, wide.op[3], wide.targets[1] != 0, lane) + u64(wide.third_offset), lane);
    const SharedPlace place = w.block->cluster->place_of(at);
    if (w.worker->observer != nullptr) w.worker->observer->copies_arrive(w, place, lane);
    complete_bytes(place, size[lane]);
  });
}

[[gnu::cold]] void bind_copy_to_shared(Binding& b) {
  if (b.bytes[1] != 8) return;
  b.wide->targets = {b.bytes[0] == 8, b.bytes[3] == 8};
  b.out.all = b.out.some = &copy_to_shared;
  b.out.site = b.new_site();
}

}  // namespace

void declare_bulk(InstructionSet& defs) {
  defs.family("bulk copy");
  const OperandSpec address{Role::address}, size{Role::read, ptx::Type::u32},
      policy{Role::ignored, ptx::Type::b64};
  const std::string copy =
      "cp@90.async.bulk(.shared::cluster,.shared::cta).global.mbarrier::complete_tx::bytes";
  defs.custom(copy, {address, address, size, address}, &bind_copy_to_shared).wide = true;
  defs.custom(copy + ".L2::cache_hint", {address, address, size, address, policy}, &bind_copy_to_shared)
      .wide = true;
}

}  // namespace sim::exec
