// Hints to caches, which change nothing here; and clusters of one block, which every block is.
#include "simulator/engine/access/access.h"
#include "simulator/engine/block.h"
#include "simulator/engine/schedule.h"
#include "simulator/instructions/families.h"
#include "simulator/instructions/lanewise.h"

namespace sim::exec {

namespace {

/// A cache policy is a number that the simulator ignores.
template <bool Masked>
void make_policy(Warp& w, const Instr& in) {
  write_lanes<Masked>(lanes<u64>(w, in.op[0]), w.active, [](int) { return u64{0}; });
}

/// elect.sync d|p, mask: the first lane of the mask is the leader.
void elect(Warp& w, const Instr& in) {
  const u32* named = lanes<u32>(w, in.op[2]);
  const Mask group = named[first_lane(w.active)];
  if ((group & w.live & ~w.active) != 0) {
    return suspend_lanes(w, in, w.active, w.pc - 1, Wait::convergence, 0, group);
  }
  const int leader = first_lane(group & w.live);
  u32* const to = lanes<u32>(w, in.op[0]);
  for_each_lane(w.active, [&](int i) { to[i] = u32(leader); });
  Mask& p = predicate(w, in.op[1]);
  p = (p & ~w.active) | (kLaneBit[std::size_t(leader)] & w.active);
}

/// Waiting for the cluster is waiting for the block's threads; arriving is part of it.
void wait_for_cluster(Warp& w, const Instr& in) { w.block->arrive(w, in, 16, 0, true, 0); }

template <class A>
[[gnu::cold]] void declare_mapping(InstructionSet& defs, const std::string& space, const std::string& type) {
  // The only block of the cluster has rank 0, and its shared memory is where it is.
  defs.lanewise<A(A, u32)>("mapa@90" + space + type, [](A address, u32) { return address; });
  defs.lanewise<u32(A)>("getctarank@90" + space + type, [](A) { return u32{0}; });
}

}  // namespace

void declare_cluster(InstructionSet& defs) {
  defs.family("cache hints");
  const OperandSpec address{Role::address}, size{Role::read, ptx::Type::u32},
      policy{Role::write, ptx::Type::b64};
  const std::string primary = "(.L2::evict_last,.L2::evict_normal,.L2::evict_first,.L2::evict_unchanged)",
                    secondary = "{.L2::evict_first,.L2::evict_unchanged}";
  defs.custom("createpolicy@80.fractional" + primary + secondary + ".b64",
              {policy, {Role::read, ptx::Type::f32, 1, true}}, &make_policy<false>, &make_policy<true>);
  defs.custom("createpolicy@80.range{.global}" + primary + secondary + ".b64", {policy, address, size, size},
              &make_policy<false>, &make_policy<true>);
  defs.custom("createpolicy@80.cvt.L2.b64", {policy, {Role::read, ptx::Type::b64}}, &make_policy<false>,
              &make_policy<true>);
  defs.custom("applypriority@80{.global}.L2::evict_normal", {address, size}, &nothing, &nothing);
  defs.custom("prefetch{.global,.local}(.L1,.L2,.L2::evict_last@80,.L2::evict_normal@80)", {address},
              &nothing, &nothing);
  defs.custom("prefetch@90{.const,.param}.tensormap", {address}, &nothing, &nothing);

  defs.family("cluster");
  for (const char* space : {"", ".shared::cluster"}) {
    declare_mapping<u64>(defs, space, ".u64");
    declare_mapping<u32>(defs, space, ".u32");
  }
  defs.lanewise<pred(u64)>("isspacep@90.shared::cluster",
                           [](u64 a) { return space_of(a) == ptx::Space::shared; });
  defs.lanewise<pred(u64)>("isspacep.const", [](u64) { return false; });
  defs.lanewise<pred(u64)>("isspacep(.param,.param::entry)",
                           [](u64 a) { return space_of(a) == ptx::Space::param; });
  defs.custom("barrier@90.cluster.arrive{.release,.relaxed}{.aligned}", {}, &nothing, &nothing);
  defs.custom("barrier@90.cluster.wait{.acquire}{.aligned}", {}, &wait_for_cluster, &wait_for_cluster).flow =
      Flow::barrier;
  InstructionDef& def = defs.custom("elect@90.sync", {{Role::pair, ptx::Type::u32}, size}, &elect, &elect);
  def.flow = Flow::converge;
  def.apart = true;
  defs.custom("setmaxnreg@90(.inc,.dec).sync.aligned.u32", {size}, &nothing, &nothing);
}

}  // namespace sim::exec
