#include "simulator/engine/cluster.h"

#include <algorithm>

#include "language/catalogue.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/observer.h"
#include "simulator/engine/schedule.h"
#include "simulator/engine/timeline/recorder.h"

namespace sim::exec {

namespace {

/// Times that everybody's waits for mbarriers run out, with nothing written in between, before it is a hang.
/// Programs that count their tries give up after some hundreds.
constexpr int kMostTimeOuts = 2048;

}  // namespace

Cluster::Cluster(Worker& worker) {
  for (u32 rank = 0; rank < blocks_of_cluster(worker.launch); ++rank) {
    blocks_.push_back(std::make_unique<Block>(worker));
    blocks_.back()->cluster = this;
    blocks_.back()->rank = rank;
  }
}

void Cluster::start(u64 index) {
  arrived_ = time_outs_ = 0;
  live_ = size() * block(0).threads;
  if (size() == 1) {  // most launches: their blocks are small, divisions are not
    blocks_[0]->start(index);
    return record_example();
  }
  const auto& [gx, gy, gz] = block(0).worker->launch.grid;
  const auto& [cx, cy, cz] = block(0).worker->launch.cluster;
  const u64 x = index % (gx / cx) * cx, y = index / (gx / cx) % (gy / cy) * cy,
            z = index / (gx / cx) / (gy / cy) * cz;
  for (u32 rank = 0; rank < size(); ++rank) {
    const u64 bx = x + rank % cx, by = y + rank / cx % cy, bz = z + rank / cx / cy;
    blocks_[rank]->start(bx + gx * (by + gy * bz));
  }
  record_example();
}

void Cluster::record_example() {
  Worker& worker = *block(0).worker;
  if (!worker.launch.trace || worker.observer != nullptr) return;
  for (const auto& b : blocks_)
    if (b->example_rank == 0) worker.recorder = std::make_shared<TimelineRecorder>(*this, *b);
}

Block::Progress Cluster::run(s64 slice, u64 weight) {
  for (;;) {
    bool ended = true, spent = false, ran = false;
    for (const auto& b : blocks_) {
      if (b->ended) continue;
      const u64 issued = b->instructions;
      const Block::Progress progress = b->run(slice);
      ran |= b->instructions != issued;
      ended &= progress == Block::Progress::finished;
      spent |= progress == Block::Progress::suspended;
      if (weight == 0)
        b->instructions = issued;
      else
        b->in_vain += (b->instructions - issued) * (weight - 1);
    }
    if (ended) return Block::Progress::finished;
    if (spent) return Block::Progress::suspended;
    if (ran || time_out()) continue;
    // Who waits for a phase that nobody ends keeps others waiting at the cluster's barrier.
    const auto rank = [](const auto& b) { return b->ended ? 0 : b->waits_for_phase() ? 2 : 1; };
    (*std::max_element(blocks_.begin(), blocks_.end(), [&](const auto& a, const auto& b) {
      return rank(a) < rank(b);
    }))->deadlock();
  }
}

/// try_wait gives up after a while, and a program may do something else then. @return whether somebody goes
/// on
bool Cluster::time_out() {
  const u64 writes = block(0).worker->writes;
  time_outs_ = writes == writes_ ? time_outs_ + 1 : 0;
  writes_ = writes;
  bool any = false;
  for (const auto& b : blocks_)
    if (!b->ended && time_outs_ < kMostTimeOuts) any |= b->time_out();
  return any;
}

void Cluster::arrive(Warp& w, const Instr& in, bool releases) {
  if (const Mask twice = w.active & w.arrived_at_cluster; twice != 0)
    fail(w, in, first_lane(twice), FindingKind::barrier,
         tr("The thread arrives at the cluster's barrier for the second time without having waited there."),
         {.cure = Cure::wait_after_arrival});
  w.arrived_at_cluster |= w.active;
  w.pending_at_cluster |= w.active;
  arrived_ += u32(lane_count(w.active));
  w.worker->counters.barriers += 1;
  if (w.worker->observer != nullptr) w.worker->observer->cluster_arrives(w, releases);
  if (arrived_ >= live_) complete();
}

void Cluster::wait(Warp& w, const Instr& in, bool acquires, u32 pc) {
  if (const Mask absent = w.active & ~w.arrived_at_cluster; absent != 0)
    fail(w, in, first_lane(absent), FindingKind::barrier,
         tr("The thread waits at the cluster's barrier without having arrived there."),
         {.cure = Cure::wait_after_arrival});
  const Mask early = w.active & w.pending_at_cluster, done = w.active & ~early;
  w.arrived_at_cluster &= ~done;
  if (done != 0 && acquires && w.worker->observer != nullptr) w.worker->observer->cluster_waited(w, done);
  if (early != 0) suspend_lanes(w, in, early, pc, Wait::cluster, 0, 0);
}

void Cluster::left_barrier(Warp& w, Mask lanes) {
  const Mask pending = lanes & w.pending_at_cluster;
  w.pending_at_cluster &= ~lanes;
  arrived_ -= u32(lane_count(pending));
  if (arrived_ != 0 && arrived_ >= live_) complete();
}

/// All have arrived: those who wait look again, and go on.
void Cluster::complete() {
  arrived_ = 0;
  if (blocks_.front()->worker->observer != nullptr) blocks_.front()->worker->observer->cluster_barrier(*this);
  for (const auto& b : blocks_) {
    for (Warp& w : b->warps) {
      w.pending_at_cluster = 0;
      for (Split& s : w.waiting)
        if (s.wait == Wait::cluster) s.wait = Wait::none;
      if (b->states[w.index] == WarpState::waiting && w.runnable()) b->states[w.index] = WarpState::ready;
    }
  }
}

SharedPlace Cluster::at(Block& from, u64 address) const {
  if (address < kRankStride) return {&from, address};
  const u64 rank = address / kRankStride - 1;
  return {rank < size() ? blocks_[rank].get() : nullptr, address % kRankStride};
}

SharedPlace Cluster::place_of(const std::byte* host) const {
  for (const auto& b : blocks_)
    if (host >= b->shared.get() && host < b->shared.get() + b->shared_bytes)
      return {b.get(), u64(host - b->shared.get())};
  return {};
}

}  // namespace sim::exec
