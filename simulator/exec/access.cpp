#include "simulator/exec/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::exec {

template <class A>
void learn_pattern(Pattern& p, const A* addresses, s64 displacement, Mask mask, const AccessInfo& info) {
  const int first = first_lane(mask);
  const A base = addresses[first];
  const s64 bytes = info.bytes;
  p.mask = mask;
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
  p.shape = contiguous  ? Pattern::Shape::contiguous
            : broadcast ? Pattern::Shape::broadcast
                        : Pattern::Shape::scattered;
  const u64 at = u64(base) + u64(displacement);
  const ptx::Space space = info.space == ptx::Space::generic ? space_of(at) : info.space;
  p.space = space;
  p.cost = 0;
  if (space == ptx::Space::global) {
    p.cost = contiguous ? (u32(at & 31) + 32 * info.bytes + 31) / 32
                        : count_sectors(p.offset, mask, at, info.bytes);
  } else if (space == ptx::Space::shared && info.kind != Access::atomic) {
    p.cost = contiguous ? std::max(1u, info.bytes / 4) : count_wavefronts(p.offset, mask, at, info.bytes);
  }
  const u32 granule = space == ptx::Space::shared ? 3 : 31;
  p.phase_mask = (p.alignment & granule) == 0 ? 0 : granule;
}
template void learn_pattern(Pattern&, const u32*, s64, Mask, const AccessInfo&);
template void learn_pattern(Pattern&, const u64*, s64, Mask, const AccessInfo&);

namespace {

/// A set of sectors. Lanes are mostly in order, so the last one added is looked at first.
class SectorSet {
 public:
  SectorSet() { table_.fill(kNone); }
  void add(u64 sector) {
    if (sector == last_) return;
    last_ = sector;
    for (std::size_t at = sector * 0x9E3779B97F4A7C15ull >> 57;; at = (at + 1) % table_.size()) {
      if (table_[at] == sector) return;
      if (table_[at] != kNone) continue;
      table_[at] = sector;
      ++size_;
      return;
    }
  }
  u32 size() const { return size_; }

 private:
  static constexpr u64 kNone = ~u64{0};
  std::array<u64, 128> table_;  // two sectors a lane at most
  u64 last_ = kNone;
  u32 size_ = 0;
};

}  // namespace

u32 count_sectors(const s64* offsets, Mask mask, u64 first, u32 bytes) {
  SectorSet sectors;
  for_each_lane(mask, [&](int i) {
    const u64 from = (first + u64(offsets[i])) / 32, to = (first + u64(offsets[i]) + bytes - 1) / 32;
    sectors.add(from);
    if (to != from) sectors.add(to);  // only a misaligned access, which is a fault
  });
  return sectors.size();
}

u32 count_wavefronts(const s64* offsets, Mask mask, u64 first, u32 bytes) {
  // Accesses of 8 and 16 bytes go in halves and quarters of the warp, each a pass of its own at least.
  const int group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  const int words = int(std::max(1u, bytes / 4));
  u32 passes = 0;
  for (int start = 0; start < kLanes; start += group) {
    s64 left[kLanes];
    int n = 0;
    for_each_lane(mask & u32(((u64{1} << group) - 1) << start), [&](int i) {
      for (int k = 0; k < words; ++k) left[n++] = ((offsets[i] + s64(first & 3)) >> 2) + k;
    });
    // Each pass serves one word of every bank: here the one written last.
    for (; n != 0; ++passes) {
      s64 served[kLanes];
      for (int i = 0; i < n; ++i) served[left[i] & 31] = left[i];
      int remaining = 0;
      for (int i = 0; i < n; ++i) {
        const s64 word = left[i];
        left[remaining] = word;
        remaining += served[word & 31] != word;
      }
      n = remaining;
    }
  }
  return passes;
}

std::byte* find_global(Worker& worker, Site& site, u64 low, u64 end) {
  const memory::Allocation* found = worker.space.find(low);
  if (found == nullptr || found->freed || low >= end || !found->contains(low, end - low)) return nullptr;
  site.base = found->base;
  site.size = found->size;
  site.host = found->host;
  return site.host + (low - site.base);
}

ptx::Space space_of(u64 address) {
  if (address - memory::kSharedWindow < memory::kWindowSize) return ptx::Space::shared;
  if (address - memory::kLocalWindow < memory::kWindowSize) return ptx::Space::local;
  if (address - memory::kParamWindow < memory::kWindowSize) return ptx::Space::param;
  return ptx::Space::global;
}

namespace {

const char* verb(Access kind) {
  return kind == Access::read ? "reads" : kind == Access::write ? "writes" : "updates";
}
const char* noun(Access kind) {
  return kind == Access::read ? "read" : kind == Access::write ? "write" : "atomic";
}

[[noreturn]] void bad_access(Warp& w, const AccessInfo& info, ptx::Space space, u64 address, int lane) {
  const auto say = [&](const char* kind, const char* where, const std::string& message) {
    fail(w, info.in, lane, kind, message, where, noun(info.kind), info.bytes);
  };
  if (address % info.bytes != 0) {
    const char* where = space == ptx::Space::shared  ? "shared"
                        : space == ptx::Space::local ? "local"
                                                     : "global";
    say("misaligned", where,
        fmt::format("The thread {} {} bytes at address {:#x}, which is not a multiple of {}.",
                    verb(info.kind), info.bytes, address, info.bytes));
  }
  if (space == ptx::Space::shared) {
    say("out-of-bounds", "shared",
        fmt::format("The thread {} {} bytes at offset {} of shared memory; the block has {} bytes of it.",
                    verb(info.kind), info.bytes, s64(s32(address)), w.block->shared_bytes));
  }
  if (space == ptx::Space::local) {
    say("out-of-bounds", "local",
        fmt::format("The thread {} {} bytes at offset {} of its local arrays, which have {} bytes.",
                    verb(info.kind), info.bytes, s64(address), w.worker->code.local_stride));
  }
  if (space == ptx::Space::param) {
    say("out-of-bounds", "constant",
        fmt::format(
            "The thread {} {} bytes at offset {} of the kernel's parameters, which have {} bytes and are "
            "read-only.",
            verb(info.kind), info.bytes, s64(address), w.worker->launch.params.size()));
  }
  const memory::Allocation* near = w.worker->space.find(address);
  if (near != nullptr && near->freed && near->contains(address, 1)) {
    say("use-after-free", "global",
        fmt::format("The thread {} {} bytes of memory that was freed: {}.", verb(info.kind), info.bytes,
                    w.worker->space.describe(address)));
  }
  const std::string where = w.worker->space.describe(address);
  if (near == nullptr && where.find("buffer") == where.npos) {
    say("out-of-bounds", "global",
        fmt::format("The thread {} {} bytes at {:#x}: {}. Did you pass a host pointer to the kernel, or one "
                    "that was never "
                    "set?",
                    verb(info.kind), info.bytes, address, where));
  }
  fail(w, info.in, lane, "out-of-bounds",
       fmt::format("The thread {} {} bytes, {}.", verb(info.kind), info.bytes, where), "global",
       noun(info.kind), info.bytes);
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
  if (aligned && space == ptx::Space::shared && inside(w.block->shared_bytes))
    return w.block->shared.get() + offset;
  if (aligned && space == ptx::Space::local && inside(w.worker->code.local_stride)) {
    return w.local + std::size_t(lane) * w.worker->code.local_stride + offset;
  }
  const std::span<const std::byte> params = w.worker->launch.params;
  if (aligned && space == ptx::Space::param && info.kind == Access::read && inside(params.size())) {
    return const_cast<std::byte*>(params.data()) + offset;
  }
  if (aligned && (space == ptx::Space::global || space == ptx::Space::constant)) {
    Site& site = w.worker->sites[info.in.site];
    if (std::byte* host = find_global(*w.worker, site, address, address + info.bytes)) return host;
  }
  bad_access(w, info, space, offset_matters ? offset : address, lane);
}

void tell_observer(Warp& w, const AccessInfo& info, ptx::Space space, u64 first, const Pattern& pattern) {
  w.worker->observer->access(w, info.in, space, info.kind != Access::read, info.kind == Access::atomic, first,
                             pattern.offset, pattern.mask, info.bytes);
}

}  // namespace sim::exec
