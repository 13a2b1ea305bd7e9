// Accesses to the shared memory of another block of the cluster: that block must have started, and must not
// have left.
#include "simulator/engine/fault.h"
#include "simulator/sanitizer/race/race_detector.h"

namespace sim::sanitizer {

void RaceDetector::enter_remote(const WarpAccess& a) {
  for_each_lane(a.seen.pattern.mask, [&](int lane) {
    a.owner.remote[a.first_thread + u32(lane)] = {context_.order.now(), a.at, a.seen.kind};
    // Behind a turn of the cluster's barrier all its blocks have started, whatever the turn has ordered.
    if (a.block.turns_waited != 0 || context_.order.knows_start(a.block, a.w.index, lane, a.owner)) return;
    const FindingKey key{FindingKey::Kind::unstarted_block, a.at, FindingKey::kNobody};
    if (context_.collector.again(key)) return;
    Finding& f = context_.collector.add(key, a.w, a.seen.in, lane);
    describe_operand(f, context_, a, a.offset_of(lane));
    render_unstarted(f, a.seen.owner.id);
  });
}

void RaceDetector::block_ends(Block& block) {
  check_bulk_reads_at_end(block);
  BlockOrder& order = context_.blocks.of(block);
  if (order.remote.empty()) return;
  const Known known = context_.order.known_to_some(order);
  const u32 threads = order.threads;
  for (const auto& [thread, access] : order.remote) {
    if (known != nullptr && known->of(thread / threads, thread / kLanes, thread) >= access.when) continue;
    const FindingKey key{FindingKey::Kind::ended_block, access.at, FindingKey::kNobody};
    if (context_.collector.again(key)) continue;
    for (u32 rank = 0; rank < block.cluster->size(); ++rank) {
      Block& other = block.cluster->block(rank);
      if (other.index != thread / threads) continue;
      const Warp& w = other.warps[thread % threads / kLanes];
      Finding& f =
          context_.collector.add(key, w, context_.code().instructions[access.at], int(thread % kLanes));
      f.space = MemorySpace::shared;
      f.access = exec::kind_of(access.kind);
      exec::locate(f, access.line);
      render_ended(f, block.id);
    }
  }
}

}  // namespace sim::sanitizer
