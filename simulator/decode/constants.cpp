#include "simulator/decode/constants.h"

#include <cstring>
#include <optional>

namespace sim::exec {

namespace {

template <class T, class F>
void fill(std::byte* slot, F value_of_lane) {
  T* to = reinterpret_cast<T*>(slot);
  for (int i = 0; i < kLanes; ++i) to[i] = static_cast<T>(value_of_lane(i));
}

template <class F>
void fill(const Constant& c, std::byte* bank, F value_of_lane) {
  if (c.bytes == 2) fill<u16>(bank + c.offset, value_of_lane);
  if (c.bytes == 4) fill<u32>(bank + c.offset, value_of_lane);
  if (c.bytes == 8) fill<u64>(bank + c.offset, value_of_lane);
}

/// A parameter as ld.param reads it: extended from its type in memory.
u64 read_parameter(const Constant& c, std::span<const std::byte> params) {
  u64 bits = 0;
  const std::size_t size = std::size_t(ptx::size_of(c.type));
  if (c.value + size <= params.size()) std::memcpy(&bits, params.data() + c.value, size);
  switch (c.type) {
    case ptx::Type::s8:
      return u64(s64(s8(bits)));
    case ptx::Type::s16:
      return u64(s64(s16(bits)));
    case ptx::Type::s32:
      return u64(s64(s32(bits)));
    default:
      return bits;
  }
}

constexpr u32 kMultiprocessors = 132;

u64 special_of_launch(Special s, const Launch& launch, u32 shared_bytes, int lane) {
  const u32 bit = u32{1} << lane;
  const u32 threads = launch.block[0] * launch.block[1] * launch.block[2];
  switch (s) {
    case Special::nctaid_x:
      return launch.grid[0];
    case Special::nctaid_y:
      return launch.grid[1];
    case Special::nctaid_z:
      return launch.grid[2];
    case Special::ntid_x:
      return launch.block[0];
    case Special::ntid_y:
      return launch.block[1];
    case Special::ntid_z:
      return launch.block[2];
    case Special::laneid:
      return u64(lane);
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_le:
      return bit | (bit - 1);
    case Special::lanemask_gt:
      return u32(~(bit | (bit - 1)));
    case Special::lanemask_ge:
      return u32(~(bit - 1));
    case Special::nsmid:
      return kMultiprocessors;
    case Special::nwarpid:
      return (threads + kLanes - 1) / kLanes;
    case Special::dynamic_smem_size:
      return launch.dynamic_shared_bytes;
    case Special::total_smem_size:
      return shared_bytes;
    case Special::nclusterid_x:
    case Special::nclusterid_y:
    case Special::nclusterid_z: {
      const std::size_t i = std::size_t(s) - std::size_t(Special::nclusterid_x);
      return launch.grid[i] / launch.cluster[i];
    }
    case Special::cluster_nctaid_x:
    case Special::cluster_nctaid_y:
    case Special::cluster_nctaid_z:
      return launch.cluster[std::size_t(s) - std::size_t(Special::cluster_nctaid_x)];
    case Special::cluster_nctarank:
      return u64{launch.cluster[0]} * launch.cluster[1] * launch.cluster[2];
    case Special::is_explicit_cluster:
      return launch.explicit_cluster ? ~u64{0} : 0;  // a predicate: all lanes
    case Special::reserved_smem_begin:
    case Special::reserved_smem_cap:
      return shared_bytes - kReservedShared;
    case Special::reserved_smem_1:
      return shared_bytes - kReservedShared + 128;
    case Special::reserved_smem_end:
      return shared_bytes;
    case Special::grid_sync_low:
      return u32(launch.grid_sync_workspace);
    case Special::grid_sync_high:
      return u32(launch.grid_sync_workspace >> 32);
    default:
      return 0;
  }
}

/// Registers that differ between blocks; nothing of others. A switch, because it is asked at each block's
/// start.
std::optional<u32> special_of_block(Special s, const Launch& launch, const Index3& id, u64 index) {
  const auto& [cx, cy, cz] = launch.cluster;
  switch (s) {
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
      return id[std::size_t(s) - std::size_t(Special::ctaid_x)];
    case Special::clusterid_x:
    case Special::clusterid_y:
    case Special::clusterid_z: {
      const std::size_t i = std::size_t(s) - std::size_t(Special::clusterid_x);
      return id[i] / launch.cluster[i];
    }
    case Special::cluster_ctaid_x:
    case Special::cluster_ctaid_y:
    case Special::cluster_ctaid_z: {
      const std::size_t i = std::size_t(s) - std::size_t(Special::cluster_ctaid_x);
      return id[i] % launch.cluster[i];
    }
    case Special::cluster_ctarank:
      return id[0] % cx + cx * (id[1] % cy + cy * (id[2] % cz));
    case Special::smid:
      return u32(index % kMultiprocessors);
    default:
      return {};
  }
}

}  // namespace

void fill_constants_of_launch(const Code& code, const Launch& launch, u32 shared_bytes, std::byte* bank) {
  for (const Constant& c : code.constants) {
    if (c.kind == Constant::Kind::bits) fill(c, bank, [&](int) { return c.value; });
    if (c.kind == Constant::Kind::parameter) {
      const u64 value = read_parameter(c, launch.params);
      fill(c, bank, [&](int) { return value; });
    }
    if (c.kind == Constant::Kind::special) {
      fill(c, bank, [&](int lane) { return special_of_launch(c.special, launch, shared_bytes, lane); });
    }
  }
}

void fill_constants_of_block(const Code& code, const Launch& launch, const Index3& id, u64 index,
                             std::byte* bank) {
  for (const Constant& c : code.constants) {
    if (c.kind != Constant::Kind::special) continue;
    if (const std::optional<u32> value = special_of_block(c.special, launch, id, index))
      fill(c, bank, [&](int) { return *value; });
  }
}

void fill_identity(const Launch& launch, u32 warp, std::byte* bank) {
  const u32 x = launch.block[0], y = launch.block[1];
  const auto thread = [&](int lane) { return warp * kLanes + u32(lane); };
  fill<u32>(bank + u32(Identity::tid_x), [&](int i) { return thread(i) % x; });
  fill<u32>(bank + u32(Identity::tid_y), [&](int i) { return thread(i) / x % y; });
  fill<u32>(bank + u32(Identity::tid_z), [&](int i) { return thread(i) / x / y; });
  fill<u32>(bank + u32(Identity::warpid), [&](int) { return warp; });
}

u64 next_random(u64& state) {
  u64 z = state += 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

}  // namespace sim::exec
