// Instructions in which the lanes of a warp take part together: shuffles, votes, matches, reductions.
#include "simulator/engine/block.h"
#include "simulator/engine/schedule.h"
#include "simulator/instructions/control/converge.h"
#include "simulator/instructions/families.h"

namespace sim::exec {

namespace {

// shfl.sync.mode.b32 d|p, a, b, c, mask

enum class Shuffle { up, down, bfly, idx };

template <Shuffle kMode>
int shuffle_source(int lane, u32 b, u32 c, bool& inside) {
  const int segment = int(c >> 8 & 31), clamp = int(c & 31), by = int(b & 31);
  const int lowest = lane & segment, highest = lowest | (clamp & ~segment);
  int from;
  if constexpr (kMode == Shuffle::up) {
    from = lane - by;
    inside = from >= highest;  // for up, the clamp is the segment's start
  } else if constexpr (kMode == Shuffle::down) {
    from = lane + by;
    inside = from <= highest;
  } else if constexpr (kMode == Shuffle::bfly) {
    from = lane ^ by;
    inside = from <= highest;
  } else {
    from = lowest | (by & ~segment);
    inside = from <= highest;
  }
  return inside ? from : lane;
}

template <Shuffle kMode>
void shuffle(Warp& w, const Instr& in) {
  converge(w, in, in.op[5], {{2, 4}, {3, 4}, {4, 4}}, {{0, 4}, {1, 0}}, [&](const Instr& at, Mask group) {
    const u32 *a = lanes<u32>(w, at.op[2]), *b = lanes<u32>(w, at.op[3]), *c = lanes<u32>(w, at.op[4]);
    alignas(64) u32 result[kLanes];
    Mask valid = 0;
    for (int i = 0; i < kLanes; ++i) {
      bool inside = false;
      result[i] = a[shuffle_source<kMode>(i, b[i], c[i], inside) & 31];
      valid |= inside ? kLaneBit[std::size_t(i)] : 0;
    }
    u32* to = lanes<u32>(w, at.op[0]);
    SIM_FOR_LANES(i) to[i] = group & kLaneBit[i] ? result[i] : to[i];
    Mask& p = predicate(w, at.op[1]);
    p = (valid & group) | (p & ~group);
  });
}

// vote.sync.{all,any,uni,ballot} d, {!}p, mask

enum class Vote { all, any, uni, ballot };

template <Vote kVote, bool Negated>
void vote(Warp& w, const Instr& in) {
  converge(w, in, in.op[2], {{1, 0}}, {{0, kVote == Vote::ballot ? 4 : 0}}, [&](const Instr& at, Mask group) {
    const Mask holds = (predicate(w, at.op[1]) ^ (Negated ? kAllLanes : 0)) & group;
    if constexpr (kVote == Vote::ballot) {
      u32* to = lanes<u32>(w, at.op[0]);
      SIM_FOR_LANES(i) to[i] = group & kLaneBit[i] ? holds : to[i];
    } else {
      const bool yes = kVote == Vote::all   ? holds == group
                       : kVote == Vote::any ? holds != 0
                                            : holds == group || holds == 0;
      Mask& to = predicate(w, at.op[0]);
      to = yes ? to | group : to & ~group;
    }
  });
}

template <Vote kVote>
[[gnu::cold]] void bind_vote(Binding& b) {
  b.out.all = b.out.some = b.negated ? &vote<kVote, true> : &vote<kVote, false>;
}

// match.sync

template <class T>
Mask equal_lanes(const T* values, Mask group, T value) {
  Mask same = 0;
  SIM_FOR_LANES(i) same |= values[i] == value ? kLaneBit[i] : 0;
  return same & group;
}

template <class T>
void match_any(Warp& w, const Instr& in) {
  converge(w, in, in.op[2], {{1, sizeof(T)}}, {{0, 4}}, [&](const Instr& at, Mask group) {
    const T* a = lanes<T>(w, at.op[1]);
    u32 result[kLanes] = {};
    for_each_lane(group, [&](int i) { result[i] = equal_lanes(a, group, a[i]); });
    u32* to = lanes<u32>(w, at.op[0]);
    for_each_lane(group, [&](int i) { to[i] = result[i]; });
  });
}

template <class T>
void match_all(Warp& w, const Instr& in) {
  converge(w, in, in.op[3], {{2, sizeof(T)}}, {{0, 4}, {1, 0}}, [&](const Instr& at, Mask group) {
    const T* a = lanes<T>(w, at.op[2]);
    const bool same = equal_lanes(a, group, a[first_lane(group)]) == group;
    u32* to = lanes<u32>(w, at.op[0]);
    for_each_lane(group, [&](int i) { to[i] = same ? group : 0; });
    Mask& p = predicate(w, at.op[1]);
    p = same ? p | group : p & ~group;
  });
}

// redux.sync

template <class T, class F>
void reduce(Warp& w, const Instr& in) {
  converge(w, in, in.op[2], {{1, sizeof(T)}}, {{0, sizeof(T)}}, [&](const Instr& at, Mask group) {
    const T* a = lanes<T>(w, at.op[1]);
    T total = a[first_lane(group)];
    for_each_lane(group & (group - 1), [&](int i) { total = F{}(total, a[i]); });
    T* to = lanes<T>(w, at.op[0]);
    for_each_lane(group, [&](int i) { to[i] = total; });
  });
}

/// bar.warp.sync: lanes may meet at different places, as long as they name the same mask.
void warp_barrier(Warp& w, const Instr& in) {
  each_group(w, in, lanes<u32>(w, in.op[0]), [&](Mask mask, Mask group, Mask come) {
    if ((mask & w.live & ~come) != 0)
      return suspend_lanes(w, in, group, w.pc - 1, Wait::convergence, 0, mask);
    if (w.worker->observer != nullptr) {
      w.worker->observer->warp_barrier(w, come);
      w.worker->observer->warp_primitive(w, in, come, mask);
    }
    if (come != group) release_waiting(w, in, mask);
  });
}

constexpr OperandSpec kWordTo{Role::write, ptx::Type::u32}, kWordFrom{Role::read, ptx::Type::u32};
constexpr OperandSpec kWordPair{Role::pair, ptx::Type::u32};
constexpr OperandSpec kPredTo{Role::write, ptx::Type::pred}, kPredIn{Role::read, ptx::Type::pred};

template <class T, class F>
[[gnu::cold]] void declare_reduction(InstructionSet& defs, const char* pattern, F) {
  defs.custom(pattern, {kWordTo, kWordFrom, kWordFrom},
              [](Binding& b) { b.out.all = b.out.some = &reduce<T, F>; })
      .flow = Flow::converge;
}

}  // namespace

void declare_warp(InstructionSet& defs) {
  defs.family("warp");
  const auto together = [&](const char* pattern, std::vector<OperandSpec> operands, Handler handler) {
    InstructionDef& def = defs.custom(pattern, std::move(operands), handler, handler);
    def.flow = Flow::converge;
    def.apart = true;
  };
  const std::vector<OperandSpec> shuffled{kWordPair, kWordFrom, kWordFrom, kWordFrom, kWordFrom};
  together("shfl.sync.up.b32", shuffled, &shuffle<Shuffle::up>);
  together("shfl.sync.down.b32", shuffled, &shuffle<Shuffle::down>);
  together("shfl.sync.bfly.b32", shuffled, &shuffle<Shuffle::bfly>);
  together("shfl.sync.idx.b32", shuffled, &shuffle<Shuffle::idx>);
  const auto voting = [&](const char* pattern, const OperandSpec& to, Binder bind) {
    defs.custom(pattern, {to, kPredIn, kWordFrom}, bind).flow = Flow::converge;
  };
  voting("vote.sync.all.pred", kPredTo, &bind_vote<Vote::all>);
  voting("vote.sync.any.pred", kPredTo, &bind_vote<Vote::any>);
  voting("vote.sync.uni.pred", kPredTo, &bind_vote<Vote::uni>);
  voting("vote.sync.ballot.b32", kWordTo, &bind_vote<Vote::ballot>);
  constexpr OperandSpec kFrom64{Role::read, ptx::Type::u64};
  together("match.any.sync.b32", {kWordTo, kWordFrom, kWordFrom}, &match_any<u32>);
  together("match.any.sync.b64", {kWordTo, kFrom64, kWordFrom}, &match_any<u64>);
  together("match.all.sync.b32", {kWordPair, kWordFrom, kWordFrom}, &match_all<u32>);
  together("match.all.sync.b64", {kWordPair, kFrom64, kWordFrom}, &match_all<u64>);
  declare_reduction<u32>(defs, "redux@80.sync.add(.u32,.s32)", [](u32 a, u32 b) { return a + b; });
  declare_reduction<u32>(defs, "redux@80.sync.min.u32", [](u32 a, u32 b) { return b < a ? b : a; });
  declare_reduction<u32>(defs, "redux@80.sync.max.u32", [](u32 a, u32 b) { return a < b ? b : a; });
  declare_reduction<s32>(defs, "redux@80.sync.min.s32", [](s32 a, s32 b) { return b < a ? b : a; });
  declare_reduction<s32>(defs, "redux@80.sync.max.s32", [](s32 a, s32 b) { return a < b ? b : a; });
  declare_reduction<u32>(defs, "redux@80.sync.and.b32", [](u32 a, u32 b) { return a & b; });
  declare_reduction<u32>(defs, "redux@80.sync.or.b32", [](u32 a, u32 b) { return a | b; });
  declare_reduction<u32>(defs, "redux@80.sync.xor.b32", [](u32 a, u32 b) { return a ^ b; });
  together("bar.warp.sync", {kWordFrom}, &warp_barrier);
}

}  // namespace sim::exec
