// Fences and barriers of the thread that runs, and what it may not do.
#include "simulator/engine/block.h"
#include "simulator/litmus/threads/thread_recorder.h"

namespace sim::litmus {
namespace {

using exec::Instr;
using exec::Mask;
using exec::Warp;

// Numbers of barriers: the block's sixteen, the warps' and the cluster's.
constexpr std::uint64_t kWarpBarrier = 1 << 8, kClusterBarrier = 1 << 16;

}  // namespace

void ThreadRecorder::fence(const Warp&, const Instr&) {
  if (now_->has("mbarrier_init")) refuse("mbarriers are not explored");
  add(Event::Kind::fence);
}

void ThreadRecorder::proxy_fence(const Warp&) { add(Event::Kind::proxy_fence); }

void ThreadRecorder::add_barrier(std::uint64_t id, bool arrives, bool waits) {
  // Arrivals and waits of one turn have one number. The thread's wait belongs to its last arrival.
  int& turn = barriers_[id];
  if (arrives) ++turn;
  const bool of_cluster = id == kClusterBarrier;
  const std::uint64_t number = (of_cluster ? cluster : block_) << 32 | id << 12 | std::uint64_t(turn);
  if (arrives) add(Event::Kind::arrive).barrier = number;
  if (arrives && waits) ++order_;
  if (waits) add(Event::Kind::wait).barrier = number;
}

void ThreadRecorder::warp_barrier(const Warp& w, Mask) { add_barrier(kWarpBarrier + w.index, true, true); }

void ThreadRecorder::arrives(const Warp& w, const Instr&, int barrier, u32, bool waits) {
  if (now_->has("red")) refuse("the result of a barrier that all threads vote at is not explored");
  w.block->barriers[std::size_t(barrier)].expected = 1;  // nobody else is there
  add_barrier(std::uint64_t(barrier), true, waits);
}

void ThreadRecorder::cluster_arrives(const Warp&, bool releases) {
  if (!releases) refuse("an arrival at the cluster's barrier that does not release is not explored");
  add_barrier(kClusterBarrier, true, false);
}

void ThreadRecorder::cluster_waited(const Warp&, Mask) { add_barrier(kClusterBarrier, false, true); }

void ThreadRecorder::warp_primitive(Warp&, const Instr&, Mask, Mask) {
  if (now_->opcode != "bar") refuse("values that threads pass to each other without memory are not explored");
}

void ThreadRecorder::reads_active_mask(const Warp&) {
  refuse("what depends on which threads run together is not explored");
}

void ThreadRecorder::phase_barrier(const Warp&, const Instr&, const exec::SharedPlace&, int, u64, bool,
                                   bool) {
  refuse("mbarriers are not explored");
}
void ThreadRecorder::initialises_phase_barrier(const Warp&, const Instr&, const exec::SharedPlace&, int) {
  refuse("mbarriers are not explored");
}
void ThreadRecorder::bulk_copies(Warp&, const Instr&, int, const exec::SharedPlace&, u32,
                                 const exec::SharedPlace&) {
  refuse("copies that arrive at an mbarrier are not explored");
}
void ThreadRecorder::product_reads(Warp&, const Instr&, std::span<const u32>) {
  refuse("matrix instructions are not explored");
}
void ThreadRecorder::copies(Warp&, const Instr&, int, u32, u32) { refuse("cp.async is not explored"); }

}  // namespace sim::litmus
