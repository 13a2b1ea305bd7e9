// Values handed from thread to thread without the fence that such a hand-over needs, and reads that no store
// of the kernel reaches; and atomics that do not reach the GPU whose memory they are in.
#include "simulator/sanitizer/race/race_detector.h"

namespace sim::sanitizer {

void RaceDetector::hand_over(const WarpAccess& a, u64 address, int lane) {
  if (&a.owner != &a.block) return;
  HappensBefore& order = context_.order;
  VolatileOrder& block = volatile_order_.of(*a.w.block);
  auto& released = a.in_shared ? block.released : released_by_volatile_;
  if (a.semantics.publishes) {
    Known& there = released[address];
    const Known mine = order.behind(a.block, a.w.index, lane);
    there = a.seen.kind == Access::atomic ? join(there, mine, order.now()) : mine;
    return;
  }
  const auto there = a.semantics.spin_load ? released.find(address) : released.end();
  if (there == released.end()) return;
  if (block.acquired.empty()) block.acquired.resize(a.block.threads);
  Known& mine = block.acquired[a.w.index * kLanes + u32(lane)];
  if (mine != there->second) mine = join(mine, there->second, order.now());
}

void RaceDetector::VolatileOrder::share(u32 first, u32 threads) {
  if (acquired.empty()) return;
  Known all;
  for (u32 i = first; i < first + threads; ++i)
    if (acquired[i] != all) all = join(all, acquired[i], 0);
  std::fill_n(acquired.begin() + first, threads, all);
}

bool RaceDetector::relies_on_order(const WarpAccess& a, int lane, const Earlier& e) {
  if (!a.semantics.is_volatile || a.semantics.spin_load) return false;
  const std::vector<Known>& acquired = volatile_order_.of(*a.w.block).acquired;
  if (acquired.empty()) return false;
  const Known& mine = acquired[a.w.index * kLanes + u32(lane)];
  return mine != nullptr && mine->of(e.who / a.block.threads, e.who / kLanes, e.who) >= e.when;
}

OtherParty RaceDetector::writer(u32 thread, u32 at) const {
  const FindingCollector& collector = context_.collector;
  const u32 threads = context_.order.threads_of_block();
  const std::vector<FindingCollector::Line> lines = collector.lines_of(at);
  const FindingCollector::Line line = lines.size() == 1 ? lines.front() : collector.line_of(at);
  return {AccessKind::write,
          line.line,
          collector.block_of(thread / threads),
          collector.thread_of(thread % threads),
          {},
          line.file};
}

void RaceDetector::found_unfenced(const WarpAccess& a, u64 offset, int lane, const Earlier& e) {
  const u32 other_at = e.at & kInstructionMask;
  const bool same_block = a.of_one_block || e.who / a.block.threads == a.block.index;
  const FindingKey s{FindingKey::Kind::race, a.at, other_at, 2, u8(same_block ? 1 : 2)};
  if (context_.collector.again(s)) return;
  Finding& f = context_.collector.add(s, a.w, a.seen.in, lane);
  describe_operand(f, context_, a, offset);
  OtherParty other = writer(e.who, other_at);
  if (same_block) other.block = a.w.block->id;
  render_unfenced(f, other, same_block);
}

void RaceDetector::check_read_only(const WarpAccess& a) {
  const Shadow& s = a.shadow;
  for_each_lane(a.seen.pattern.mask, [&](int lane) {
    const u64 offset = a.offset_of(lane);
    for (u64 c = offset >> s.shift(); c <= (offset + a.seen.bytes - 1) >> s.shift(); ++c) {
      if (s.write_when[c] == 0) continue;
      const u32 other_at = s.write_at[c] & kInstructionMask;
      const FindingKey key{FindingKey::Kind::race, a.at, other_at, 3, 0};
      if (context_.collector.again(key)) return;
      Finding& f = context_.collector.add(key, a.w, a.seen.in, lane);
      describe_operand(f, context_, a, offset);
      render_read_only(f, writer(s.write_who[c], other_at));
      return;
    }
  });
}

void RaceDetector::check_reach(const WarpAccess& a) {
  Mask lanes = a.seen.pattern.mask;
  if (a.semantics.of_system) {
    if (!a.semantics.publishes || a.semantics.releases) return;
    for_each_lane(a.seen.pattern.mask, [&](int i) {
      if (!context_.order.has_fenced_for_device(a.block, a.w.index, i)) lanes &= ~kLaneBit[std::size_t(i)];
    });
  }
  if (lanes == 0) return;
  const int lane = first_lane(lanes);
  const memory::Allocation* buffer = context_.space.find(a.base + a.offset_of(lane));
  if (buffer == nullptr || !buffer->is_of_other_device(context_.launch.device)) return;
  const FindingKey key{FindingKey::Kind::race, a.at, FindingKey::kNobody, 4, 2};
  if (context_.collector.again(key)) return;
  Finding& f = context_.collector.add(key, a.w, a.seen.in, lane);
  describe_operand(f, context_, a, a.offset_of(lane));
  if (a.semantics.of_system)
    render_short_fence(f, context_.launch.device, buffer->device);
  else
    render_short_reach(f, context_.launch.device, buffer->device, a.semantics.of_block);
}

}  // namespace sim::sanitizer
