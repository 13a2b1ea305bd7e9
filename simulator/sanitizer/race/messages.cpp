// Values handed from thread to thread without the fence that such a hand-over needs, and reads that no store
// of the kernel reaches.
#include <fmt/format.h>

#include "simulator/engine/fault.h"
#include "simulator/sanitizer/state.h"

namespace sim::sanitizer {

void Watch::pass_on(const Actor& a, const Place& p, u64 key, int lane) {
  BlockOrder& order = a.block.order;
  auto& there = p.in_shared ? a.block.behind : behind_;
  if (p.semantics.publishes) {
    Known& behind = there[key];
    const Known mine = order_.behind(order, a.warp, lane);
    behind = p.seen.kind == Access::atomic ? join(behind, mine, order_.now()) : mine;
    return;
  }
  const auto found = p.semantics.waits ? there.find(key) : there.end();
  if (found == there.end()) return;
  if (a.block.heard.empty()) a.block.heard.resize(order.threads);
  Known& heard = a.block.heard[a.warp * kLanes + u32(lane)];
  if (heard != found->second) heard = join(heard, found->second, order_.now());
}

void Watch::BlockState::share_heard(u32 first, u32 threads) {
  if (heard.empty()) return;
  Known all;
  for (u32 i = first; i < first + threads; ++i)
    if (heard[i] != all) all = join(all, heard[i], 0);
  std::fill_n(heard.begin() + first, threads, all);
}

bool Watch::counts_on_order(const Actor& a, const Place& p, int lane, const Earlier& e) const {
  const BlockState& block = a.block;
  if (!p.semantics.is_volatile || p.semantics.waits || block.heard.empty()) return false;
  const Known& heard = block.heard[a.warp * kLanes + u32(lane)];
  return heard != nullptr && heard->of(e.who / block.order.threads, e.who / kLanes, e.who) >= e.when;
}

void Watch::unfenced(const Actor& a, const Place& p, u64 offset, int lane, const Earlier& e) {
  const u32 other_at = e.at & kPlaceMask, threads = a.block.order.threads;
  const bool same_block = p.in_shared || e.who / threads == a.block.order.index;
  const Sighting s{Sighting::Kind::race, p.at, other_at, 2, u8(same_block ? 1 : 2)};
  if (collector_.again(s)) return;
  Finding& f = collector_.add(s, a.w, p.seen.in, lane);
  describe_place(f, p, offset);
  OtherParty other;
  other.access = "write";
  other.block = same_block ? a.w.block->id : collector_.block_of(e.who / threads);
  other.thread = collector_.thread_of(e.who % threads);
  const FindingCollector::Line line = collector_.line_of(other_at);
  other.file = line.file, other.line = line.line;
  f.message = fmt::format(
      "Thread {}{} writes {} at {} and then what thread {}{} waits for; that one reads it at line {}. "
      "Nothing "
      "orders the two writes for others: volatile keeps accesses, not their order.",
      text(other.thread), same_block ? "" : " of block " + text(other.block), named(f),
      place_beside(f, line.file, line.line), text(f.thread), same_block ? "" : " of block " + text(f.block),
      f.line);
  f.cure =
      same_block
          ? "__threadfence_block() between the value and the flag and behind the wait, or __syncthreads()"
          : "__threadfence() between the value and the flag and behind the wait, or cuda::atomic_ref with "
            "release and acquire";
  f.other = other;
}

void Watch::check_read_only(const Actor& a, const Place& p) {
  const Shadow& s = p.shadow;
  for_each_lane(p.seen.pattern.mask, [&](int lane) {
    const u64 offset = p.seen.first + u64(p.seen.pattern.offset[lane]) - p.base;
    for (u64 c = offset >> s.shift(); c <= (offset + p.seen.bytes - 1) >> s.shift(); ++c) {
      if (s.write_when[c] == 0) continue;
      const u32 other_at = s.write_at[c] & kPlaceMask, threads = a.block.order.threads;
      const Sighting sighting{Sighting::Kind::race, p.at, other_at, 3, 0};
      if (collector_.again(sighting)) return;
      Finding& f = collector_.add(sighting, a.w, p.seen.in, lane);
      describe_place(f, p, offset);
      OtherParty other;
      other.access = "write";
      other.block = collector_.block_of(s.write_who[c] / threads);
      other.thread = collector_.thread_of(s.write_who[c] % threads);
      const FindingCollector::Line line = collector_.line_of(other_at);
      other.file = line.file, other.line = line.line;
      f.message = fmt::format(
          "Thread {} of block {} writes {} at {}, and thread {} of block {} reads it at line {} as data that "
          "no thread writes while the kernel runs (by __ldg() or a `const __restrict__` pointer): it may get "
          "the old value, whatever barrier lies between.",
          text(other.thread), text(other.block), named(f), place_beside(f, line.file, line.line),
          text(f.thread), text(f.block), f.line);
      f.cure = "a plain load: no __ldg(), and no `const __restrict__`, for memory that the kernel writes";
      f.other = other;
      return;
    }
  });
}

}  // namespace sim::sanitizer
