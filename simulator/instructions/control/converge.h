// How the lanes of a warp meet at an instruction in which they take part together.
#pragma once

#include <cstring>
#include <initializer_list>

#include "language/catalogue.h"
#include "simulator/engine/block.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/observer.h"
#include "simulator/engine/schedule.h"

namespace sim::exec {

[[noreturn, gnu::cold]] inline void outside_mask(const Warp& w, const Instr& in, Mask lanes) {
  fail(w, in, first_lane(lanes), FindingKind::mask,
       tr("The thread's own lane is not in the mask that it passes. Every lane that calls must be named: use "
          "__activemask() only to look, and compute the mask before the branch."));
}

/// An operand of such an instruction: where it stands, and the bytes of a lane; 0 for a predicate.
struct Part {
  u8 operand, bytes;
};
using Parts = std::initializer_list<Part>;

/// Whether the lanes of a split wait at an instruction of this kind, for the same lanes.
inline bool waits_alike(const Split& s, const Instr& in, Mask mask) {
  return s.wait == Wait::convergence && s.expected == mask && (s.mask & ~mask) == 0 && s.at->all == in.all;
}

/// Calls @p then(mask, lanes, come) for every group of the running lanes that name the same mask. @p come:
/// these lanes and those that wait for them elsewhere.
template <class Then>
void each_group(Warp& w, const Instr& in, const u32* named, Then then) {
  for (Mask left = w.active; left != 0;) {
    const Mask mask = named[first_lane(left)];
    Mask group = 0;
    SIM_FOR_LANES(i) group |= named[i] == mask ? kLaneBit[i] : 0;
    group &= left;
    left &= ~group;
    if ((group & ~mask) != 0) outside_mask(w, in, group & ~mask);
    Mask come = group;
    if ((mask & w.live & ~group) != 0)
      for (const Split& s : w.waiting)
        if (waits_alike(s, in, mask)) come |= s.mask;
    then(mask, group, come);
  }
}

/// Lanes that waited go on behind their own instruction, which is a basic block alone.
inline void release_waiting(Warp& w, const Instr& in, Mask mask) {
  for (Split& s : w.waiting) {
    if (!waits_alike(s, in, mask)) continue;
    s.wait = Wait::none;
    s.pc += 1;
  }
}

/// Copies an operand of some lanes.
inline void copy_lanes(std::byte* to, const std::byte* from, const Part& part, Mask which) {
  if (part.bytes == 0) {
    Mask old = 0, fresh = 0;
    std::memcpy(&old, to, sizeof old);
    std::memcpy(&fresh, from, sizeof fresh);
    old = (old & ~which) | (fresh & which);
    std::memcpy(to, &old, sizeof old);
    return;
  }
  for_each_lane(which, [&](int i) { std::memcpy(to + i * part.bytes, from + i * part.bytes, part.bytes); });
}

/// Lanes meet that stand at different places of the program, each before an instruction of its own: the
/// operands are brought together, and the results taken back. The lanes that waited go on.
/// @param here  the running split's part of them
template <class Act>
void converge_across(Warp& w, const Instr& in, Mask here, Mask mask, Parts from, Parts to, Act act) {
  constexpr u32 kRoom = 8 * kLanes;
  alignas(64) std::byte joint[std::size(Instr{}.op) * kRoom] = {};
  Instr together = in;
  for (u32 k = 0; k < std::size(in.op); ++k) together.op[k] = operand_ref(Bank::registers, k * kRoom);
  std::byte* const own = w.bank[0];
  const auto exchange = [&](const Instr& at, std::byte* registers, Mask which, Parts parts, bool back) {
    w.bank[0] = registers;
    for (const Part& part : parts) {
      const OperandRef ref = at.op[part.operand];  // of a predicate, which is not aligned as registers are
      std::byte* const there = w.bank[ref & 3] + (ref >> 2);
      std::byte* const gathered = joint + part.operand * kRoom;
      copy_lanes(back ? there : gathered, back ? gathered : there, part, which);
    }
  };
  const auto everywhere = [&](Parts parts, bool back) {
    exchange(in, own, here, parts, back);
    for (const Split& s : w.waiting)
      if (waits_alike(s, in, mask)) exchange(*s.at, s.frame->registers, s.mask, parts, back);
  };
  everywhere(from, false);
  w.bank[0] = joint;
  act(together, mask & w.live);
  everywhere(to, true);
  w.bank[0] = own;
  release_waiting(w, in, mask);
}

/// Runs @p act(instruction, lanes) for every group of lanes that name the same mask, once all lanes of the
/// mask have come: here, or to an instruction of the same kind elsewhere. The others wait at this basic
/// block, which holds nothing but this instruction.
/// @param from, to  the operands read and written
template <class Act>
void converge(Warp& w, const Instr& in, OperandRef mask_operand, Parts from, Parts to, Act act) {
  const u32* named = lanes<u32>(w, mask_operand);
  Mask waiting = 0;
  each_group(w, in, named, [&](Mask mask, Mask group, Mask come) {
    if ((mask & w.live & ~come) != 0) {
      waiting |= group;
      return;
    }
    if (w.worker->observer != nullptr) w.worker->observer->warp_primitive(w, in, come, mask);
    if (come == group) {
      act(in, group);
    } else {
      converge_across(w, in, group, mask, from, to, act);
    }
  });
  if (waiting != 0) suspend_lanes(w, in, waiting, w.pc - 1, Wait::convergence, 0, named[first_lane(waiting)]);
}

}  // namespace sim::exec
