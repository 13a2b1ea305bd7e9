// Reads of memory that nobody wrote: shared memory since the block started, local memory since the thread
// did, global memory ever.
#include <fmt/format.h>

#include <algorithm>

#include "simulator/sanitizer/state.h"

#include "simulator/engine/access/outside.h"
#include "simulator/engine/fault.h"

namespace sim::sanitizer {

bool Watch::copied_garbage_at(const Warp& w, u64 offset) const {
  const Shadow& s = blocks_.at(w.block)->order.shared;
  const u64 cell = offset >> s.shift();
  return s.write_when[cell] == 0 && s.write_at[cell] != 0;
}

namespace {

/// The lanes of an access for whose offset something holds.
template <class F>
Mask lanes_where(const Pattern& pattern, F holds) {
  Mask lanes = 0;
  for_each_lane(pattern.mask, [&](int lane) {
    if (holds(pattern.offset[lane])) lanes |= kLaneBit[std::size_t(lane)];
  });
  return lanes;
}

}  // namespace

Finding Watch::unwritten_finding(const Warp& w, const Seen& seen, int lane, u64 offset) const {
  Finding f;
  f.kind = FindingKind::uninitialized;
  f.access = seen.kind == Access::read ? "read" : "atomic";
  f.size = seen.bytes;
  f.kernel = plan_.code().kernel->name;
  f.block = w.block->id;
  f.thread = w.block->thread_of(w, lane);
  locate(f, w, seen.in);
  if (seen.space == ptx::Space::shared) {
    f.space = "shared";
    f.symbol = shared_name(plan_.code(), u32(offset), seen.bytes);
    const std::string what = f.symbol.empty() ? "shared memory" : f.symbol;
    if (copied_garbage_at(w, offset)) {
      f.space = "global";
      f.message = fmt::format(
          "The thread reads {}, which an asynchronous copy brought from global memory that nobody has "
          "written",
          what);
      f.cure = "cudaMemset() or cudaMemcpy() to all of the buffer before the kernel reads it";
    } else {
      f.message = fmt::format("The thread reads {}, which no thread of the block has written", what);
      f.cure =
          exec::is_guarded(plan_.code(), seen.in)
              ? "store to it and wait for the store, or leave out this thread, which a comparison before the "
                "read or the store takes for another element: shared memory holds anything when a block "
                "starts"
              : "store to it and wait for the store: shared memory holds anything when a block starts";
    }
  } else if (seen.space == ptx::Space::local) {
    f.space = "local";
    f.symbol = local_name(plan_, w, offset);
    f.message =
        f.symbol.empty()
            ? fmt::format("The thread reads {} bytes of a local array that it has not written", seen.bytes)
            : fmt::format("The thread reads its local {}, to which it has not written", f.symbol);
    f.cure = "give every element a value first: float sum[4] = {};";
  } else {
    f.space = "global";
    const memory::Allocation* a = space_.find(offset);
    f.message = fmt::format(
        "The thread reads {} bytes at offset {} of the buffer of {} bytes ({}), which nobody has written",
        seen.bytes, a == nullptr ? 0 : offset - a->base, a == nullptr ? 0 : a->size,
        a == nullptr ? "" : a->origin);
    f.cure = "cudaMemset() it, copy to it (all of it: sizes are in bytes), or let a kernel fill it first";
  }
  return f;
}

Mask Watch::handed_on(Warp& w, const Seen& seen, u32 element, u32 bytes, Mask lanes) {
  const BlockState& state = state_of(*w.block);
  const bool local = seen.space == ptx::Space::local;
  if (!local && seen.space != ptx::Space::shared) return 0;
  const auto& doubts = local ? state.local_doubts : state.shared_doubts;
  if (doubts.empty() || seen.in.all == nullptr) return 0;
  Mask known = 0;
  for_each_lane(lanes, [&](int lane) {
    const u64 place = local ? local_place(w, seen, lane) : seen.first + u64(seen.pattern.offset[lane]);
    const auto doubt = doubts.find(place + element * bytes);
    if (doubt == doubts.end()) return;
    const Mask one = kLaneBit[std::size_t(lane)];
    known |= one;
    if (seen.kind == Access::atomic)
      doubts_.added_to(w, seen.in, one, doubt->second);
    else
      doubts_.reloaded(w, seen.in, seen.element < 0 ? element : u32(seen.element), one, doubt->second);
  });
  return known;
}

template <class F>
void Watch::doubt(Warp& w, const Seen& seen, F unwritten) {
  if (spoilt_) return;
  const u32 at = plan_.code().index_of(seen.in);
  const auto& registers = plan_.code().registers[at];
  const u32 elements =
      u32(std::max<std::ptrdiff_t>(1, std::count_if(registers.begin(), registers.end(),
                                                    [](const RegisterAccess& r) { return r.writes; })));
  const bool in_order = seen.element < 0 && elements <= 4 && seen.bytes % elements == 0;
  const u32 count = seen.kind == Access::read && in_order ? elements : 1;
  const u32 bytes = seen.bytes / count;
  for (u32 e = 0; e < count; ++e) {
    Mask lanes = unwritten(e * bytes, bytes);
    if (lanes == 0) continue;
    lanes &= ~handed_on(w, seen, e, bytes, lanes);
    if (lanes == 0) continue;
    const int lane = first_lane(lanes);
    const u64 place = seen.first + u64(seen.pattern.offset[lane]) + e * bytes;
    if (seen.kind == Access::atomic) {
      const Sighting s{Sighting::Kind::uninitialized, at, Sighting::kNobody, 0};
      if (collector_.again(s)) continue;
      Finding& f = collector_.add(s, w, seen.in, lane);
      f = unwritten_finding(w, seen, lane, place);
      f.message += ", and adds to it.";
    } else if (plan_.semantics(at).copies) {
      uncopied_ = lanes;
    } else if (seen.in.all != nullptr) {
      const bool padding = seen.space == ptx::Space::local && !is_plain_local(plan_, w, place);
      doubts_.loaded(w, seen.in, seen.element < 0 ? e : u32(seen.element), lanes, padding,
                     [&] { return unwritten_finding(w, seen, lane, place); });
    }
  }
}

void Watch::shared_unwritten(const Actor& a, const Place& p) {
  const Shadow& s = p.shadow;
  const Epoch start = a.block.order.start;
  const u32 own =
      plan_.code().static_shared_bytes + launch_.dynamic_shared_bytes;  // behind it: the toolkit's
  const auto& doubts = a.block.shared_doubts;
  const auto all_doubtful = [&](u64 offset, u32 bytes) {
    for (u32 i = 0; i < bytes; ++i)
      if (!doubts.contains(offset + i)) return false;
    return true;
  };
  const auto unwritten = [&](u64 offset, u32 bytes) {
    if (offset >= own || plan_.beside(offset) != nullptr) return false;
    for (u64 c = offset >> s.shift(); c <= (offset + bytes - 1) >> s.shift(); ++c)
      if (s.write_when[c] > start) return !doubts.empty() && all_doubtful(offset, bytes);
    return true;
  };
  doubt(a.w, p.seen, [&](u32 from, u32 bytes) {
    return lanes_where(p.seen.pattern,
                       [&](s64 offset) { return unwritten(p.seen.first + u64(offset) + from, bytes); });
  });
}

void Watch::shared_stored(Warp& w, const Seen& seen) {
  auto& doubts = state_of(*w.block).shared_doubts;
  const Mask doubtful =
      w.doubtful && seen.kind == Access::write ? doubts_.stored(w, seen.in, ptx::Space::shared) : 0;
  if (doubtful == 0 && doubts.empty()) return;
  const std::vector<Mask>& each = doubts_.stored_each();
  const bool vector = doubtful != 0 && each.size() > 1 && seen.bytes % each.size() == 0;
  const u32 piece = vector ? seen.bytes / u32(each.size()) : seen.bytes;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 first = seen.first + u64(seen.pattern.offset[lane]);
    for (u32 i = 0; i < seen.bytes; ++i) {
      if (((vector ? each[i / piece] : doubtful) & kLaneBit[std::size_t(lane)]) != 0)
        doubts[first + i] = doubts_.stored_origin();
      else
        doubts.erase(first + i);
    }
  });
}

void Watch::global_written(Warp& w, const Seen& seen, u32 at) {
  const GlobalShadow* const g = global_of_instruction_[at];
  if (g == nullptr || g->written == nullptr || g->written->whole()) return;
  WrittenBytes& written = *g->written;
  const Pattern& p = seen.pattern;
  const u64 first = seen.first - g->base;
  const bool contiguous = p.shape == Pattern::Shape::contiguous;
  const u64 all = u64(seen.bytes) * kLanes;
  if (contiguous && written.all_of(first, all)) return;
  const auto all_written = [&] {
    bool whole = true;
    for_each_lane(p.mask, [&](int lane) { whole &= written.all(first + u64(p.offset[lane]), seen.bytes); });
    return whole;
  };
  if (seen.kind != Access::write && !all_written())
    doubt(w, seen, [&](u32 from, u32 bytes) {
      return lanes_where(p, [&](s64 offset) { return written.none(first + u64(offset) + from, bytes); });
    });
  if (seen.kind == Access::read) return;
  if (contiguous) return written.mark(first, all);
  for_each_lane(p.mask, [&](int lane) { written.mark(first + u64(p.offset[lane]), seen.bytes); });
}

u64 Watch::local_place(const Warp& w, const Seen& seen, int lane) const {
  return (u64(w.index) * kLanes + u64(lane)) * plan_.code().local_stride + seen.first +
         u64(seen.pattern.offset[lane]);
}

void Watch::local_written(Warp& w, const Seen& seen, Mask outside) {
  BlockState& state = state_of(*w.block);
  const Pattern& p = seen.pattern;
  const auto masks = [&](s64 offset) {
    return state.local.get() + u64(w.index) * plan_.code().local_stride + seen.first + u64(offset);
  };
  const bool alike = p.low == p.high;  // all lanes act on the same byte of their own memory
  if (seen.kind == Access::read) {
    // The toolkit's small objects keep bit fields: words of which some bits mean nothing.
    if (plan_.semantics(plan_.code().index_of(seen.in)).of_fields) return;
    const auto unwritten = [&](s64 offset, u32 from, u32 bytes) {
      Mask somebody = 0;
      for (const Mask* byte = masks(offset) + from; bytes != 0; --bytes) somebody |= *byte++;
      return ~somebody;
    };
    const auto whole = [&] {  // every lane has written every byte, as nearly always
      return std::all_of(masks(p.low), masks(p.low) + seen.bytes,
                         [&](Mask byte) { return (byte & p.mask) == p.mask; });
    };
    if (alike && whole()) return;
    doubt(w, seen, [&](u32 from, u32 bytes) {
      if (alike) return unwritten(p.low, from, bytes) & p.mask & ~outside;
      Mask lanes = 0;
      for_each_lane(p.mask & ~outside, [&](int lane) {
        lanes |= unwritten(p.offset[lane], from, bytes) & kLaneBit[std::size_t(lane)];
      });
      return lanes;
    });
    return;
  }
  const auto set = [&](s64 offset, u32 from, u32 bytes, Mask lanes, Mask written) {
    for (Mask* byte = masks(offset) + from; bytes != 0; --bytes, ++byte)
      *byte = (*byte & ~lanes) | (lanes & written);
  };
  auto& doubts = state.local_doubts;
  const Mask doubtful = w.doubtful ? doubts_.stored(w, seen.in, ptx::Space::local) : 0;
  if (alike && doubtful == 0 && doubts.empty()) return set(p.low, 0, seen.bytes, p.mask, p.mask);
  const std::size_t registers = doubts_.stored_each().size();
  const bool vector = doubtful != 0 && registers > 1 && seen.bytes % registers == 0;
  const u32 pieces = vector ? u32(registers) : 1, bytes = seen.bytes / pieces;
  for_each_lane(p.mask, [&](int lane) {
    const Mask one = kLaneBit[std::size_t(lane)];
    for (u32 e = 0; e < pieces; ++e) {
      const Mask without = vector ? doubts_.stored_each()[e] : doubtful;
      const u64 at = local_place(w, seen, lane) + e * bytes;
      set(p.offset[lane], e * bytes, bytes, one, ~without);
      if ((without & one) != 0)
        doubts[at] = doubts_.stored_origin();
      else if (!doubts.empty())
        doubts.erase(at);
    }
  });
}

}  // namespace sim::sanitizer
