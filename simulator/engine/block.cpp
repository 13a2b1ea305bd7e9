#include "simulator/engine/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#include "simulator/decode/constants.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/observer.h"
#include "simulator/engine/schedule.h"

namespace sim::exec {

namespace {

u32 lanes_in_warp(u32 threads, u32 warp) { return std::min<u32>(kLanes, threads - warp * kLanes); }

}  // namespace

AlignedBytes aligned_bytes(std::size_t bytes) {
  return AlignedBytes(
      static_cast<std::byte*>(::operator new[](std::max<std::size_t>(bytes, 64), std::align_val_t(64))));
}

Block::Block(Worker& of) : worker(&of) {
  const Launch& launch = of.launch;
  const Code& code = of.code;
  threads = launch.block[0] * launch.block[1] * launch.block[2];
  shared_bytes = code.static_shared_bytes + launch.dynamic_shared_bytes;
  if (code.uses_reserved_shared) shared_bytes = (shared_bytes + 127) / 128 * 128 + kReservedShared;
  const u32 n = (threads + kLanes - 1) / kLanes;
  const std::size_t frame = (code.functions[0].frame_bytes + 63) / 64 * 64;
  const std::size_t per_warp = std::size_t(Identity::size) + frame;
  shared = aligned_bytes(shared_bytes + 64);
  constants = aligned_bytes(code.constant_bytes);
  registers = aligned_bytes(per_warp * n);
  std::memset(registers.get(), 0, per_warp * n);
  const std::size_t local_bytes = std::size_t(code.local_stride) * kLanes;
  local = lazy_zeros<std::byte>(local_bytes * n);
  warps.resize(n);
  states.resize(n);
  order.resize(n);
  entry_frames.resize(n);
  for (u32 i = 0; i < n; ++i) {
    Warp& w = warps[i];
    std::byte* base = registers.get() + per_warp * i;
    entry_frames[i].function = &code.functions[0];
    entry_frames[i].registers = base + std::size_t(Identity::size);
    w.bank[u32(Bank::constants)] = constants.get();
    w.bank[u32(Bank::identity)] = base;
    w.local = local.get() + local_bytes * i;
    w.block = this;
    w.worker = worker;
    w.index = i;
    fill_identity(launch, i, base);
  }
  fill_constants_of_launch(code, launch, shared_bytes, constants.get());
}

void Block::start(u64 linear) {
  const Launch& launch = worker->launch;
  const Code& code = worker->code;
  index = linear;
  id = {u32(linear % launch.grid[0]), u32(linear / launch.grid[0] % launch.grid[1]),
        u32(linear / launch.grid[0] / launch.grid[1])};
  live_threads = threads;
  ended = false;
  instructions = in_vain = 0;
  example_rank = index == u64(launch.grid[0]) * launch.grid[1] * launch.grid[2] / 2 ? 0 : index + 1;
  if (example_rank == 0) worker->forget_patterns();
  atomic_warps.assign(example_rank == 0 ? (shared_bytes + 3) / 4 : 0, 0);
  if (std::exchange(barriers_with_arrivals, 0) != 0) barriers = {};
  phases.clear();
  brought_phases = 0;
  warpgroups = {};
  fill_constants_of_block(code, launch, id, index, constants.get());
  // Unwritten memory holds a pattern that is NaN as a float and -1 as an integer.
  std::memset(shared.get(), 0xFF, shared_bytes);
  if (code.local_stride != 0 && !code.deep())
    std::memset(local.get(), 0xFF, std::size_t(code.local_stride) * kLanes * warps.size());
  for (Warp& w : warps) {
    const u32 count = lanes_in_warp(threads, w.index);
    Frame& entry = entry_frames[w.index];
    w.live = w.active = count == kLanes ? kAllLanes : (Mask{1} << count) - 1;
    w.pc = code.functions[0].entry;
    w.frame = &entry;
    w.bank[0] = entry.registers;
    w.attention = false;
    w.waiting.clear();
    w.left.clear();
    w.slice = 0;
    w.tainted = w.followed = false;
    w.arrived_at_cluster = w.pending_at_cluster = w.expired = 0;
    w.traced = launch.trace && w.index == 0 && example_rank == 0;
    w.patience = kFirstPatience;
    if (code.allocates) w.on_stack = {};
    w.instructions = w.clocks = 0;
    entry.inside = w.live;
    if (code.deep()) poison_locals(w, entry, w.live);
    if (code.functions[0].reads_undefined) std::memset(entry.registers, 0, code.functions[0].frame_bytes);
    states[w.index] = WarpState::ready;
  }
  if (worker->observer != nullptr) worker->observer->block_starts(*this);
  std::iota(order.begin(), order.end(), 0u);
  if (launch.schedule_seed != 0) {
    random = launch.schedule_seed * 0x9E3779B97F4A7C15ull + index;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[next_random(random) % i]);
  }
}

void poison_locals(const Warp& w, const Frame& frame, Mask lanes) {
  const u32 bytes = frame.function->local_bytes;
  if (bytes == 0) return;
  for_each_lane(lanes, [&](int lane) {
    std::memset(w.local + std::size_t(lane) * w.worker->code.local_stride + frame.local_base, 0xFF, bytes);
  });
}

Block::Progress Block::run(s64 slice) {
  const u64 limit = worker->launch.instruction_limit;
  // Warps that meet at barriers again and again need not use up what each of them may issue.
  const u64 most = instructions + u64(slice) * warps.size();
  for (;;) {
    bool ran = false, spent = false;
    u32 done = 0;
    for (u32 i : order) {
      if (states[i] == WarpState::ready) {
        Warp& w = warps[i];
        ran = true;
        states[i] = WarpState::ready;
        const u64 before = w.instructions;
        const WarpState now = run_warp(w, slice);
        // A barrier that this warp completed last has made it ready again already.
        if (now != WarpState::waiting || !w.runnable()) states[i] = now;
        instructions += w.instructions - before;
        spent |= now == WarpState::ready;
      }
      done += states[i] == WarpState::done;
    }
    if (done == warps.size()) {
      u64 slowest = 0;
      for (const Warp& w : warps) {
        slowest = std::max(slowest, w.clocks);
        worker->clocks += w.clocks;
      }
      worker->slowest_warps += slowest;
      worker->longest_warp = std::max(worker->longest_warp, slowest);
      worker->end_samples();
      ended = true;
      if (worker->observer != nullptr) worker->observer->block_ends(*this);
      return Progress::finished;
    }
    if (!ran && (waits_for(Wait::cluster) || waits_for(Wait::phase))) return Progress::waits;
    if (!ran) deadlock();
    if (limit != 0 && instructions + in_vain > limit) runaway();
    if (spent || instructions > most) return Progress::suspended;
  }
}

bool Block::waits_for(Wait what) const {
  return std::any_of(warps.begin(), warps.end(), [what](const Warp& w) {
    return std::any_of(w.waiting.begin(), w.waiting.end(), [what](const Split& s) { return s.wait == what; });
  });
}

bool Block::wake_waiters_for_phases(bool expired) {
  bool any = false;
  for (Warp& w : warps) {
    for (Split& s : w.waiting) {
      if (s.wait != Wait::phase) continue;
      any = true;
      s.wait = Wait::none;
      if (expired) w.expired |= s.mask;
    }
    if (states[w.index] == WarpState::waiting && w.runnable()) states[w.index] = WarpState::ready;
  }
  return any;
}

void Block::phase_ends(u32 offset) {
  PhaseRecord& record = phases[offset];
  brought_phases += u32(record.came != 0 && !record.brought);
  record.brought |= record.came != 0;
  std::swap(record.before, record.arrivals);
  record.arrivals.clear();
  record.copies.clear();
  record.expected = record.came = 0;
  ++record.phases;
  wake_waiters_for_phases(false);
}

void Block::phase_waited_for(u32 offset) {
  const auto known = phases.find(offset);
  if (known == phases.end() || !known->second.brought) return;
  known->second.brought = false;
  ++worker->bulk.phases;
  worker->bulk.waits += BulkUse::kWait / brought_phases--;
}

bool Block::time_out() { return wake_waiters_for_phases(true); }

void Block::arrive(Warp& w, const Instr& in, int number, u32 expected, bool waits, Mask holding) {
  Barrier& barrier = barriers[std::size_t(number)];
  const Mask lanes = w.active;
  barrier.arrived += u32(lane_count(lanes));
  barrier.holding += u32(lane_count(holding & lanes));
  barrier.expected = std::max(barrier.expected, expected);
  barriers_with_arrivals |= 1u << number;
  worker->counters.barriers += 1;
  if (worker->observer != nullptr) worker->observer->arrives(w, in, number, expected, waits);
  if (waits) {
    suspend_lanes(w, in, lanes, w.pc, Wait::barrier, number, 0);
  }
  if (barrier.arrived >= (barrier.expected != 0 ? barrier.expected : live_threads)) complete(number);
}

void Block::left(Mask lanes) {
  live_threads -= u32(lane_count(lanes));
  for (u32 rest = barriers_with_arrivals; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const Barrier& b = barriers[std::size_t(i)];
    if (b.expected == 0 && b.arrived >= live_threads) complete(i);
  }
}

void Block::complete(int number) {
  Barrier& barrier = barriers[std::size_t(number)];
  if (worker->observer != nullptr) worker->observer->block_barrier(*this, number);
  for (Warp& w : warps) {
    for (Split& s : w.waiting) {
      if (s.wait != Wait::barrier || s.barrier != number) continue;
      s.wait = Wait::none;
      if (s.at->body != nullptr) finish_reduction(w, s, barrier);
      if (states[w.index] == WarpState::waiting) states[w.index] = WarpState::ready;
    }
  }
  barrier = {};
  barriers_with_arrivals &= ~(1u << number);
}

void Block::finish_reduction(const Warp& w, const Split& s, const Barrier& barrier) const {
  // bar.red waits with its handler for the result in Instr::body: it sees the split's lanes and the count.
  Warp& waiting = const_cast<Warp&>(w);
  std::byte* const bank = waiting.bank[0];
  const Mask active = waiting.active;
  waiting.bank[0] = s.frame->registers;
  waiting.active = s.mask;
  waiting.reduced = {barrier.holding, barrier.arrived};
  s.at->body(waiting, *s.at);
  waiting.bank[0] = bank;
  waiting.active = active;
}

Index3 Block::thread_of(const Warp& w, int lane) const {
  const Launch& launch = worker->launch;
  const u32 t = w.index * kLanes + u32(lane);
  return {t % launch.block[0], t / launch.block[0] % launch.block[1], t / launch.block[0] / launch.block[1]};
}

}  // namespace sim::exec
