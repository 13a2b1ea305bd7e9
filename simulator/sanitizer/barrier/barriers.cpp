// Where threads meet: barriers of block and warp, fences, atomics, asynchronous copies.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simulator/engine/fault.h"
#include "simulator/sanitizer/state.h"

namespace sim::sanitizer {

namespace {

/// The instruction with which lanes have left.
u32 left_at(const Code& code, const Left& left) { return code.blocks[left.pc].last - 1; }

}  // namespace

void Watch::warp_barrier(const Warp& w, Mask lanes) {
  BlockState& state = state_of(*w.block);
  order_.warp_barrier(state.order, w.index, lanes, w.live);
  state.share_heard(w.index * kLanes, u32(kLanes));
}

void Watch::fence(const Warp& w, const Instr& in) {
  const ptx::Instruction& source = plan_.code().source_of(in);
  order_.fence(state_of(*w.block).order, w.index, w.active, !source.has("cta"));
}

void Watch::arrives(const Warp& w, const Instr& in, int number, u32 expected, bool waits) {
  BlockState& state = state_of(*w.block);
  const std::size_t n = std::size_t(number);
  if (w.block->barriers[n].arrived == u32(lane_count(w.active))) {  // the first of this round
    state.first_at[n] = &in;
    state.first_thread[n] = w.index * kLanes + u32(first_lane(w.active));
    state.first_expected[n] = expected;
    state.arrived_only[n] = false;
  }
  state.arrived_only[n] |= !waits;
  const ptx::Instruction& source = plan_.code().source_of(in);
  const bool differs =
      state.first_at[n] != &in && expected == 0 && state.first_expected[n] == 0 && source.opcode == "bar";
  const bool counts_differ = expected != state.first_expected[n];
  if (differs || counts_differ) {
    const u32 at = plan_.code().index_of(in), other = plan_.code().index_of(*state.first_at[n]);
    const FindingCollector::Line here = collector_.line_of(at), there = collector_.line_of(other);
    const Sighting s{Sighting::Kind::barrier, at, other, u8(counts_differ)};
    if ((here.line != there.line || here.file != there.file || counts_differ) && !collector_.again(s)) {
      Finding& f = collector_.add(s, w, in, first_lane(w.active));
      f.other = OtherParty{"barrier", there.line, w.block->id, collector_.thread_of(state.first_thread[n]),
                           {},        there.file};
      const std::string place = place_beside(f, there.file, there.line);
      f.message = counts_differ
                      ? fmt::format("Barrier {} is for {} threads at {} and for {} at line {}.", number,
                                    state.first_expected[n], place, expected, here.line)
                      : fmt::format(
                            "Some threads of the block wait at the __syncthreads() of {}, others at the one "
                            "of line {}: one barrier, reached at two places.",
                            place, here.line);
      f.cure = counts_differ ? "the same number of threads at every use of one barrier"
                             : "one __syncthreads() that all threads reach, outside the branch";
    }
  }
  if (expected % kLanes != 0) {
    const Sighting s{Sighting::Kind::barrier, plan_.code().index_of(in), Sighting::kNobody, 3};
    if (!collector_.again(s)) {
      Finding& f = collector_.add(s, w, in, first_lane(w.active));
      f.message = fmt::format(
          "The barrier is for {} threads, and barriers count whole warps: multiples of 32.", expected);
      f.cure = "a count that is a multiple of 32, and whole warps that come to it";
    }
  }
  const u32 live = w.block->live_threads;
  const bool for_all = expected == 0 || expected >= live;
  if (for_all && (expected == 0 || !plan_.arrives_apart())) return;
  order_.arrive(state.order, state.order.meetings[n], w.index, w.active, w.live);
}

void Watch::block_barrier(Block& block, int number) {
  BlockState& state = state_of(block);
  const exec::Barrier& barrier = block.barriers[std::size_t(number)];
  const Instr& in = *state.first_at[number];
  if (barrier.expected == 0 && state.exited != 0) {
    const Sighting s{Sighting::Kind::barrier, plan_.code().index_of(in), Sighting::kNobody, 2};
    Warp* waiting = nullptr;
    const Split* there = nullptr;
    for (Warp& w : block.warps)
      for (const Split& split : w.waiting)
        if (split.at == &in) waiting = &w, there = &split;
    if (waiting != nullptr && !collector_.again(s)) {
      Frame* const frame = std::exchange(waiting->frame, there->frame);  // where the waiting lanes are
      Finding& f = collector_.add(s, *waiting, in, first_lane(there->mask));
      waiting->frame = frame;
      const Index3 gone = collector_.thread_of(state.exited_thread);
      const FindingCollector::Line left = collector_.line_of(state.exited_at);
      f.other = OtherParty{"exit", left.line, block.id, gone, {}, left.file};
      const std::string place = place_beside(f, left.file, left.line);
      const bool went_round = left.file == f.file && left.line > f.line && f.line > 0;
      f.message = fmt::format(
          "{} of the block's {} threads never reach this barrier: {}, thread ({},{},{}) among them{}. The "
          "hardware lets the others go on; the language promises nothing.",
          state.exited, block.threads, went_round ? "they go round it" : "they have returned", gone[0],
          gone[1], gone[2],
          left.line <= 0 ? ""
          : went_round   ? ", and leave at " + place
                         : ", at " + place);
      f.cure = went_round
                   ? "__syncthreads() outside the branch or loop that only some threads take, and no early "
                     "return above it: what these are not to do, a guard leaves out"
                   : "no return before a __syncthreads(): guard the work with an if and let every "
                     "thread reach the barrier";
    }
  }
  Arrivals& m = state.order.meetings[std::size_t(number)];
  if (barrier.arrived >= block.live_threads && !state.arrived_only[number]) {
    order_.block_barrier(state.order);
    state.share_heard(0, state.order.threads);
    for (const Warp& w : block.warps) state.company[w.index].partings = w.partings;
  } else {
    for (const Warp& w : block.warps)
      for (const Split& s : w.waiting)
        if (s.wait == Wait::barrier && s.barrier == number) order_.learn(state.order, m, w.index, s.mask);
  }
  m = {};
}

void Watch::exits(const Warp& w, Mask lanes) {
  BlockState& state = state_of(*w.block);
  if (lanes == 0) return;
  state.exited += u32(lane_count(lanes));
  state.exited_thread = w.index * kLanes + u32(first_lane(lanes));
  state.exited_at = left_at(plan_.code(), w.left.back());
}

void Watch::synchronise(const Actor& a, const Place& p, u64 address, int lane) {
  BlockOrder& b = a.block.order;
  const MemorySemantics& m = p.semantics;
  auto& there = p.in_shared ? b.released : released_;
  const u64 key = address;
  if (plan_.passes_volatile()) pass_on(a, p, key, lane);
  if (m.acquires && !there.empty()) {
    if (const auto known = there.find(key); known != there.end()) {
      if (m.explicit_order)
        order_.sees(b, a.warp, lane, known->second);
      else
        order_.acquire(b, a.warp, lane, known->second);
    }
  }
  if (!m.publishes) return;
  if (m.releases) order_.fence(b, a.warp, kLaneBit[std::size_t(lane)], !m.of_block);
  if (order_.has_fenced(b, a.warp)) {
    order_.publish(b, a.warp, lane, there[key], p.seen.kind == Access::atomic);
  } else if (p.seen.kind == Access::write && !there.empty()) {
    there.erase(key);
  }
}

void Watch::phase_barrier(const Warp& w, u32 offset, int lane, bool releases, bool acquires) {
  BlockState& state = state_of(*w.block);
  Arrivals& m = state.order.phases[offset];
  if (releases) order_.arrive(state.order, m, w.index, kLaneBit[std::size_t(lane)], w.live);
  if (!acquires) return;
  order_.learn(state.order, m, w.index, kLaneBit[std::size_t(lane)]);
  for (const Arriving& a : m.copies) state.done(a.copy, a.thread);
  m.copies.clear();
}

/// The copy is done: its bytes are as if its thread had stored them.
void Watch::BlockState::done(const Copy& c, u32 thread, Epoch when) {
  Shadow& s = order.shared;
  for (u64 i = c.offset >> s.shift(); i < (u64(c.offset) + c.bytes) >> s.shift(); ++i) {
    if (s.write_who[i] != thread || (s.write_at[i] & kPending) == 0) continue;
    s.write_at[i] &= ~kPending;
    if (when != 0 && s.write_when[i] != 0) s.write_when[i] = when;
  }
  --order.copies;
}

void Watch::copies_arrive(const Warp& w, u32 offset, int lane) {
  BlockState& state = state_of(*w.block);
  Shadow& s = state.order.shared;
  const u32 me = state.order.first_thread + w.index * kLanes + u32(lane);
  std::erase_if(state.order.warps[w.index].copies, [&](const Copy& c) {
    if (c.lane != u32(lane)) return false;
    for (u64 i = c.offset >> s.shift(); i < (u64(c.offset) + c.bytes) >> s.shift(); ++i)
      if (s.write_who[i] == me && s.write_when[i] != 0)
        s.write_when[i] = order_.now();  // the arrival covers it
    state.order.phases[offset].copies.push_back({c, me});
    return true;
  });
}

void Watch::copies(Warp& w, const Instr& in, int lane, u32 offset, u32 bytes) {
  BlockState& state = state_of(*w.block);
  const u32 at = plan_.code().index_of(in);
  Pattern one;
  one.mask = kLaneBit[std::size_t(lane)];
  const u32 place = offset & 0xFFFFFFu;  // from a generic address as from one of shared memory
  if (!state.shared_doubts.empty())
    for (u32 i = 0; i < bytes; ++i) state.shared_doubts.erase(place + i);
  const Seen seen{in, Access::write, ptx::Space::shared, place, one, bytes, nullptr, {}};
  race_check(w, seen, at, plan_.semantics(at));
  Shadow& s = state.order.shared;
  const bool garbage = (uncopied_ & kLaneBit[std::size_t(lane)]) != 0;
  for (u64 c = place >> s.shift(); c < (u64(place) + bytes) >> s.shift(); ++c) {
    if (garbage) s.write_when[c] = 0;  // as if it had not been written either
    s.write_at[c] |= kPending;
  }
  WarpOrder& order = state.order.warps[w.index];
  order.copies.push_back({place, bytes, u32(lane), order.group[std::size_t(lane)]});
  ++state.order.copies;
}

void Watch::commits_copies(const Warp& w) {
  WarpOrder& order = state_of(*w.block).order.warps[w.index];
  for_each_lane(w.active, [&](int lane) { ++order.group[std::size_t(lane)]; });
}

void Watch::waits_for_copies(const Warp& w, u32 pending) {
  BlockState& state = state_of(*w.block);
  WarpOrder& order = state.order.warps[w.index];
  const u32 first = state.order.first_thread + w.index * kLanes;
  std::erase_if(order.copies, [&](const Copy& c) {
    if ((w.active & kLaneBit[c.lane]) == 0 || c.group + pending >= order.group[c.lane]) return false;
    state.done(c, first + c.lane, order_.now());
    return true;
  });
  if (pending != 0) return;
  for (auto& [offset, phase] : state.order.phases)  // waited for by their own thread, before the mbarrier is
    for (const Arriving& a : phase.copies)
      if (a.thread - first < u32(kLanes) && (w.active & kLaneBit[a.thread - first]) != 0)
        state.done(a.copy, a.thread), ++state.order.copies;
}

}  // namespace sim::sanitizer
