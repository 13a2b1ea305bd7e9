#include "simulator/sanitizer/uninit/uninit_detector.h"

#include <algorithm>

#include "simulator/engine/fault.h"
#include "simulator/sanitizer/bounds/local_variables.h"

namespace sim::sanitizer {

namespace {

/// The lanes of an access for whose offset something holds.
template <class F>
Mask lanes_where(const AccessPattern& pattern, F holds) {
  Mask lanes = 0;
  for_each_lane(pattern.mask, [&](int lane) {
    if (holds(pattern.offset[lane])) lanes |= kLaneBit[std::size_t(lane)];
  });
  return lanes;
}

}  // namespace

void UninitDetector::block_starts(Block& block) {
  BlockState& state = blocks_.of(block);
  state.local.reset();  // first, so that the pages of the block before go back
  state.local = exec::lazy_zeros<Mask>(std::size_t(context_.code().local_stride) * block.warps.size());
  state.local_taint.clear();
  state.shared_taint.clear();
  for (Warp& w : block.warps) taint_.starts(w);
}

bool UninitDetector::is_unwritten_copy(const Block& block, u64 offset) {
  const Shadow& s = context_.blocks.of(block).shared;
  const u64 cell = offset >> s.shift();
  return s.write_when[cell] == 0 && s.write_at[cell] != 0;
}

Finding UninitDetector::finding(const Warp& w, const ObservedAccess& seen, int lane, u64 offset) {
  Finding f;
  f.kind = FindingKind::uninitialized;
  f.space = seen.space == ptx::Space::shared  ? MemorySpace::shared
            : seen.space == ptx::Space::local ? MemorySpace::local
                                              : MemorySpace::global;
  f.access = seen.kind == Access::read ? AccessKind::read : AccessKind::atomic;
  f.size = seen.bytes;
  f.kernel = context_.code().kernel->name;
  f.block = w.block->id;
  f.thread = w.block->thread_of(w, lane);
  exec::locate(f, w, seen.in);
  const bool unwritten_copy = seen.space == ptx::Space::shared && is_unwritten_copy(seen.owner, offset);
  render_unwritten(f, context_, w, seen, offset, unwritten_copy);
  return f;
}

Mask UninitDetector::reload(Warp& w, const ObservedAccess& seen, u32 element, u32 bytes, Mask lanes) {
  const bool local = seen.space == ptx::Space::local;
  const BlockState& state = blocks_.of(local ? *w.block : seen.owner);
  if (!local && seen.space != ptx::Space::shared) return 0;
  const auto& tainted = local ? state.local_taint : state.shared_taint;
  if (tainted.empty() || seen.in.all == nullptr) return 0;
  Mask reloaded = 0;
  for_each_lane(lanes, [&](int lane) {
    const u64 place = local ? local_place(w, seen, lane) : seen.first + u64(seen.pattern.offset[lane]);
    const auto origin = tainted.find(place + element * bytes);
    if (origin == tainted.end()) return;
    const Mask one = kLaneBit[std::size_t(lane)];
    reloaded |= one;
    if (seen.kind == Access::atomic)
      taint_.added_to(w, seen.in, one, origin->second);
    else
      taint_.reloaded(w, seen.in, seen.element < 0 ? element : u32(seen.element), one, origin->second);
  });
  return reloaded;
}

template <class Unwritten>
void UninitDetector::taint_loaded(Warp& w, const ObservedAccess& seen, Unwritten unwritten) {
  if (context_.store_missing) return;
  const u32 at = context_.code().index_of(seen.in);
  const auto& registers = context_.code().registers[at];
  const u32 elements =
      u32(std::max<std::ptrdiff_t>(1, std::count_if(registers.begin(), registers.end(),
                                                    [](const RegisterAccess& r) { return r.writes; })));
  const bool in_order = seen.element < 0 && elements <= 4 && seen.bytes % elements == 0;
  const u32 count = seen.kind == Access::read && in_order ? elements : 1;
  const u32 bytes = seen.bytes / count;
  for (u32 e = 0; e < count; ++e) {
    Mask lanes = unwritten(e * bytes, bytes);
    if (lanes == 0) continue;
    lanes &= ~reload(w, seen, e, bytes, lanes);
    if (lanes == 0) continue;
    const int lane = first_lane(lanes);
    const u64 place = seen.first + u64(seen.pattern.offset[lane]) + e * bytes;
    if (seen.kind == Access::atomic) {
      const FindingKey s{FindingKey::Kind::uninitialized, at, FindingKey::kNobody, 0};
      if (context_.collector.again(s)) continue;
      Finding& f = context_.collector.add(s, w, seen.in, lane);
      f = finding(w, seen, lane, place);
      render_atomic(f);
    } else if (context_.analysis.semantics(at).async_copy) {
      unwritten_copy_ = lanes;
    } else if (seen.in.all != nullptr) {
      const bool padding = seen.space == ptx::Space::local && !is_plain_local(context_.analysis, w, place);
      taint_.loaded(w, seen.in, seen.element < 0 ? e : u32(seen.element), lanes, padding,
                    [&] { return finding(w, seen, lane, place); });
    }
  }
}

void UninitDetector::shared_read(const WarpAccess& a) {
  const Shadow& s = a.shadow;
  const Code& code = context_.code();
  const u32 own =
      code.static_shared_bytes + context_.launch.dynamic_shared_bytes;  // behind it: the toolkit's
  const auto& tainted = blocks_.of(a.seen.owner).shared_taint;
  const auto all_tainted = [&](u64 offset, u32 bytes) {
    for (u32 i = 0; i < bytes; ++i)
      if (!tainted.contains(offset + i)) return false;
    return true;
  };
  const auto unwritten = [&](u64 offset, u32 bytes) {
    if (offset >= own || context_.analysis.beside(offset) != nullptr) return false;
    for (u64 c = offset >> s.shift(); c <= (offset + bytes - 1) >> s.shift(); ++c)
      if (s.write_when[c] > a.owner.start) return !tainted.empty() && all_tainted(offset, bytes);
    return true;
  };
  taint_loaded(a.w, a.seen, [&](u32 from, u32 bytes) {
    return lanes_where(a.seen.pattern,
                       [&](s64 offset) { return unwritten(a.seen.first + u64(offset) + from, bytes); });
  });
}

void UninitDetector::shared_stored(Warp& w, const ObservedAccess& seen) {
  auto& tainted = blocks_.of(seen.owner).shared_taint;
  const Mask lanes =
      w.tainted && seen.kind == Access::write ? taint_.stored(w, seen.in, ptx::Space::shared) : 0;
  if (lanes == 0 && tainted.empty()) return;
  const std::vector<Mask>& each = taint_.stored_each();
  const bool vector = lanes != 0 && each.size() > 1 && seen.bytes % each.size() == 0;
  const u32 piece = vector ? seen.bytes / u32(each.size()) : seen.bytes;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 first = seen.first + u64(seen.pattern.offset[lane]);
    for (u32 i = 0; i < seen.bytes; ++i) {
      if (((vector ? each[i / piece] : lanes) & kLaneBit[std::size_t(lane)]) != 0)
        tainted[first + i] = taint_.stored_origin();
      else
        tainted.erase(first + i);
    }
  });
}

void UninitDetector::shared_copied(const Block& block, u32 offset, u32 bytes) {
  auto& tainted = blocks_.of(block).shared_taint;
  if (tainted.empty()) return;
  for (u32 i = 0; i < bytes; ++i) tainted.erase(offset + i);
}

void UninitDetector::global(Warp& w, const ObservedAccess& seen, u32 at) {
  const GlobalShadow* const g = context_.globals.last_of(at);
  if (g == nullptr || g->written == nullptr || g->written->whole()) return;
  WrittenBytes& written = *g->written;
  const AccessPattern& p = seen.pattern;
  const u64 first = seen.first - g->base;
  const bool contiguous = p.shape == AccessPattern::Shape::contiguous;
  const u64 all = u64(seen.bytes) * kLanes;
  if (contiguous && written.all_of(first, all)) return;
  const auto all_written = [&] {
    bool whole = true;
    for_each_lane(p.mask, [&](int lane) { whole &= written.all(first + u64(p.offset[lane]), seen.bytes); });
    return whole;
  };
  if (seen.kind != Access::write && !all_written())
    taint_loaded(w, seen, [&](u32 from, u32 bytes) {
      return lanes_where(p, [&](s64 offset) { return written.none(first + u64(offset) + from, bytes); });
    });
  if (seen.kind == Access::read) return;
  if (contiguous) return written.mark(first, all);
  for_each_lane(p.mask, [&](int lane) { written.mark(first + u64(p.offset[lane]), seen.bytes); });
}

u64 UninitDetector::local_place(const Warp& w, const ObservedAccess& seen, int lane) const {
  return (u64(w.index) * kLanes + u64(lane)) * context_.code().local_stride + seen.first +
         u64(seen.pattern.offset[lane]);
}

/// By byte at an offset of the access: the lanes that have written it.
Mask* UninitDetector::local_masks(const Warp& w, const ObservedAccess& seen, s64 offset) {
  return blocks_.of(*w.block).local.get() + u64(w.index) * context_.code().local_stride + seen.first +
         u64(offset);
}

void UninitDetector::local(Warp& w, const ObservedAccess& seen, Mask outside) {
  if (seen.kind == Access::read)
    local_read(w, seen, outside);
  else
    local_stored(w, seen);
}

void UninitDetector::local_read(Warp& w, const ObservedAccess& seen, Mask outside) {
  // The toolkit's small objects keep bit fields: words of which some bits mean nothing.
  if (context_.analysis.semantics(context_.code().index_of(seen.in)).of_fields) return;
  const AccessPattern& p = seen.pattern;
  const bool alike = p.low == p.high;  // all lanes act on the same byte of their own memory
  const auto whole = [&] {             // every lane has written every byte, as nearly always
    const Mask* const first = local_masks(w, seen, p.low);
    return std::all_of(first, first + seen.bytes, [&](Mask byte) { return (byte & p.mask) == p.mask; });
  };
  if (alike && whole()) return;
  const auto unwritten = [&](s64 offset, u32 from, u32 bytes) {
    Mask somebody = 0;
    for (const Mask* byte = local_masks(w, seen, offset) + from; bytes != 0; --bytes) somebody |= *byte++;
    return ~somebody;
  };
  taint_loaded(w, seen, [&](u32 from, u32 bytes) {
    if (alike) return unwritten(p.low, from, bytes) & p.mask & ~outside;
    Mask lanes = 0;
    for_each_lane(p.mask & ~outside, [&](int lane) {
      lanes |= unwritten(p.offset[lane], from, bytes) & kLaneBit[std::size_t(lane)];
    });
    return lanes;
  });
}

void UninitDetector::local_stored(Warp& w, const ObservedAccess& seen) {
  const AccessPattern& p = seen.pattern;
  const auto set = [&](s64 offset, u32 from, u32 bytes, Mask lanes, Mask written) {
    for (Mask* byte = local_masks(w, seen, offset) + from; bytes != 0; --bytes, ++byte)
      *byte = (*byte & ~lanes) | (lanes & written);
  };
  auto& tainted = blocks_.of(*w.block).local_taint;
  const Mask lanes = w.tainted ? taint_.stored(w, seen.in, ptx::Space::local) : 0;
  if (p.low == p.high && lanes == 0 && tainted.empty()) return set(p.low, 0, seen.bytes, p.mask, p.mask);
  const std::size_t registers = taint_.stored_each().size();
  const bool vector = lanes != 0 && registers > 1 && seen.bytes % registers == 0;
  const u32 pieces = vector ? u32(registers) : 1, bytes = seen.bytes / pieces;
  for_each_lane(p.mask, [&](int lane) {
    const Mask one = kLaneBit[std::size_t(lane)];
    for (u32 e = 0; e < pieces; ++e) {
      const Mask without = vector ? taint_.stored_each()[e] : lanes;
      const u64 at = local_place(w, seen, lane) + e * bytes;
      set(p.offset[lane], e * bytes, bytes, one, ~without);
      if ((without & one) != 0)
        tainted[at] = taint_.stored_origin();
      else if (!tainted.empty())
        tainted.erase(at);
    }
  });
}

}  // namespace sim::sanitizer
