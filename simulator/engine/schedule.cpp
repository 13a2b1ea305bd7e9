#include "simulator/engine/schedule.h"

#include <algorithm>

#include "language/catalogue.h"
#include "simulator/engine/cluster.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/observer.h"
#include "simulator/passes/guard.h"

namespace sim::exec {

namespace {

/// A split that jumps back this often while others could run lets one of them have a slice, so that the lane
/// that holds a lock comes to release it. At first it may jump much more often: where nobody waits for a
/// lock, lanes that have left a loop wait behind it for those still inside, as on a GPU.
constexpr s32 kPatienceOfWarp = 32;
constexpr s32 kSplitSlice = 64;  ///< basic blocks of such a slice

/// Places of a split from the kernel inwards: where each function on the way stands.
std::vector<u32> places(const Frame* frame, u32 pc) {
  std::vector<u32> list{pc};
  for (const Frame* f = frame; f->caller != nullptr; f = f->caller) list.push_back(f->return_pc);
  std::reverse(list.begin(), list.end());
  return list;
}

/// Whether split a comes before split b: lowest place first, which is how the lanes of a branch meet again
/// behind it. Lanes inside a called function stand where their caller does.
bool before(const Frame* a_frame, u32 a_pc, const Frame* b_frame, u32 b_pc) {
  const Frame *a = a_frame, *b = b_frame;
  u32 a_place = a_pc, b_place = b_pc;
  const auto outward = [](const Frame*& f, u32& place) {
    place = f->return_pc;
    f = f->caller;
  };
  while (a->depth > b->depth) outward(a, a_place);
  while (b->depth > a->depth) outward(b, b_place);
  while (a != b) {
    outward(a, a_place);
    outward(b, b_place);
  }
  if (a_place != b_place) return a_place < b_place;
  return a_frame != b_frame && places(a_frame, a_pc) < places(b_frame, b_pc);
}

void put_aside(Warp& w) {
  if (w.active != 0) w.waiting.push_back({w.pc, w.active, w.frame, Wait::none, 0, 0, nullptr});
  w.active = 0;
}

void take_up(Warp& w, std::size_t index) {
  const Split chosen = w.waiting[index];
  w.waiting.erase(w.waiting.begin() + std::ptrdiff_t(index));
  w.pc = chosen.pc;
  w.active = chosen.mask;
  w.frame = chosen.frame;
  w.bank[0] = chosen.frame->registers;
}

/// Lanes that stand at the same place go on together.
void merge(Warp& w) {
  std::erase_if(w.waiting, [&](const Split& s) {
    if (s.pc != w.pc || s.frame != w.frame || s.wait == Wait::barrier) return false;
    w.active |= s.mask;
    return true;
  });
}

/// Index in `waiting` of the first runnable split in program order, -1 if none can run.
int earliest(const Warp& w) {
  int best = -1;
  for (int i = 0; i < int(w.waiting.size()); ++i) {
    const Split& s = w.waiting[std::size_t(i)];
    if (s.wait != Wait::none) continue;
    if (best < 0 ||
        before(s.frame, s.pc, w.waiting[std::size_t(best)].frame, w.waiting[std::size_t(best)].pc))
      best = i;
  }
  return best;
}

/// Decides which split runs next. False when none can.
bool reschedule(Warp& w, u32 came_from) {
  if (w.active != 0) merge(w);
  const int other = earliest(w);
  if (other >= 0) {
    const Split& s = w.waiting[std::size_t(other)];
    if (w.active == 0) {
      take_up(w, std::size_t(other));
      w.slice = 0;
      merge(w);
    } else if (w.slice > 0) {  // a granted slice: only count it down
      --w.slice;
    } else if (w.slice <= -w.patience) {
      w.patience = kPatienceOfWarp;
      const auto oldest = std::find_if(w.waiting.begin(), w.waiting.end(),
                                       [](const Split& x) { return x.wait == Wait::none; });
      const std::size_t index = std::size_t(oldest - w.waiting.begin());
      put_aside(w);
      take_up(w, index);
      merge(w);
      w.slice = kSplitSlice;
    } else if (before(s.frame, s.pc, w.frame, w.pc)) {
      put_aside(w);
      take_up(w, std::size_t(other));
      merge(w);
    }
    if (w.slice <= 0 && w.pc <= came_from) --w.slice;
  }
  w.attention = !w.waiting.empty() || w.active == 0;
  return w.active != 0;
}

}  // namespace

void run_guarded(Warp& w, const Instr& in) {
  const Mask all = w.active;
  w.active = passing(w, in);
  if (w.active != 0) in.body(w, in);
  w.active = all;
}

void split(Warp& w, Mask away, u32 target) {
  w.waiting.push_back({target, away, w.frame, Wait::none, 0, 0, nullptr});
  w.active &= ~away;
  w.attention = true;
  ++w.divergences;
}

void exit_lanes(Warp& w, Mask lanes) {
  w.active &= ~lanes;
  w.live &= ~lanes;
  w.attention = true;
  w.left.push_back({lanes, w.pc - 1});
  // Those who waited for the leavers need not any longer: they look again.
  for (Split& s : w.waiting)
    if (s.wait == Wait::convergence) s.wait = Wait::none;
  if (w.worker->observer != nullptr) w.worker->observer->exits(w, lanes);
  w.block->left(lanes);
  w.block->cluster->left(w, lanes);
}

void suspend_lanes(Warp& w, const Instr& in, Mask lanes, u32 pc, Wait wait, int barrier, Mask expected) {
  w.waiting.push_back({pc, lanes, w.frame, wait, u8(barrier), expected, &in});
  w.active &= ~lanes;
  w.attention = true;
}

bool all_lanes_here(Warp& w, const Instr& in) {
  if (w.active == kAllLanes) return true;
  if (w.live != kAllLanes) {
    fail(w, in, first_lane(w.active), FindingKind::mask,
         tr("All 32 lanes of the warp must execute this instruction together, but some have returned."));
  }
  suspend_lanes(w, in, w.active, w.pc - 1, Wait::convergence, 0, kAllLanes);
  return false;
}

WarpState run_warp(Warp& w, s64 slice) {
  Worker& worker = *w.worker;
  const Instr* const code = worker.code.instructions.data();
  const BasicBlock* const blocks = worker.code.blocks.data();
  Visits* const visits = worker.visits.data();
  if (w.attention && !reschedule(w, 0)) return w.live == 0 ? WarpState::done : WarpState::waiting;
  while (slice > 0) {
    const u32 pc = w.pc;
    const Instr* in = code + blocks[pc].first;
    const Instr* const end = code + blocks[pc].last;
    visits[pc].warps += 1;
    visits[pc].lanes += u64(lane_count(w.active));
    if (w.traced && worker.trace.size() < kLongestTrace) [[unlikely]]
      worker.trace.emplace_back(pc, w.active);
    slice -= end - in;
    w.instructions += u64(end - in);
    w.clocks += blocks[pc].clocks;
    w.pc = pc + 1;
    if (worker.observer != nullptr) [[unlikely]] {
      const bool full = w.active == w.live;
      for (; in != end; ++in) {
        if (w.tainted || w.followed) worker.observer->step(w, *in);
        (full ? in->all : in->some)(w, *in);
      }
    } else if (w.active == w.live) {
      for (; in != end; ++in) in->all(w, *in);
    } else {
      for (; in != end; ++in) in->some(w, *in);
    }
    if (w.attention && !reschedule(w, pc)) return w.live == 0 ? WarpState::done : WarpState::waiting;
  }
  return WarpState::ready;
}

}  // namespace sim::exec
