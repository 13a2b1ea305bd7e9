// Hints to caches, which change nothing here; the barrier and the addresses of thread block clusters.
#include "simulator/engine/cluster.h"
#include "simulator/engine/access/access.h"
#include "simulator/engine/observer.h"
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

template <bool kReleases>
void arrive_at_cluster(Warp& w, const Instr& in) {
  w.block->cluster->arrive(w, in, kReleases);
}
void wait_for_cluster(Warp& w, const Instr& in) { w.block->cluster->wait(w, in, true, w.pc - 1); }

/// mapa d, a, rank: the same place in the shared memory of the block of that rank. Where the block is alone
/// in its cluster, an address stays what it is.
template <class A, bool kGeneric>
void map_address(Warp& w, const Instr& in) {
  const A window = kGeneric ? A(memory::kSharedWindow) : A(0);
  A *const to = lanes<A>(w, in.op[0]), *const from = lanes<A>(w, in.op[1]);
  const u32* const rank = lanes<u32>(w, in.op[2]);
  const bool alone = w.block->cluster->size() == 1;
  for_each_lane(w.active, [&](int i) {
    const A offset = (from[i] - window) % A(kRankStride);
    to[i] = alone && rank[i] == 0 ? from[i] : A(window + A(rank[i] + 1) * A(kRankStride) + offset);
  });
}

template <class A, bool kGeneric>
void rank_of_address(Warp& w, const Instr& in) {
  const A window = kGeneric ? A(memory::kSharedWindow) : A(0);
  u32* const to = lanes<u32>(w, in.op[0]);
  const A* const from = lanes<A>(w, in.op[1]);
  for_each_lane(w.active, [&](int i) {
    const A address = from[i] - window;
    to[i] = address < kRankStride ? w.block->rank : u32(address / A(kRankStride)) - 1;
  });
}

/// A hint about registers, of which the simulator has as many as a kernel names.
template <bool kMore>
void set_registers(Warp& w, const Instr& in) {
  if (w.worker->observer != nullptr)
    w.worker->observer->sets_registers(w, in, lanes<u32>(w, in.op[0])[first_lane(w.active)], kMore);
}

template <class A, bool kGeneric>
[[gnu::cold]] void declare_mapping(InstructionSet& defs, const std::string& space, ptx::Type type) {
  const OperandSpec to{Role::write, type}, from{Role::read, type}, rank{Role::read, ptx::Type::u32};
  const std::string name = "." + std::string(ptx::name_of(type));
  defs.custom("mapa@90" + space + name, {to, from, rank}, &map_address<A, kGeneric>,
              &map_address<A, kGeneric>);
  defs.custom("getctarank@90" + space + name, {{Role::write, ptx::Type::u32}, from},
              &rank_of_address<A, kGeneric>, &rank_of_address<A, kGeneric>);
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
  declare_mapping<u64, true>(defs, "", ptx::Type::u64);
  declare_mapping<u32, false>(defs, "", ptx::Type::u32);
  declare_mapping<u64, false>(defs, ".shared::cluster", ptx::Type::u64);
  declare_mapping<u32, false>(defs, ".shared::cluster", ptx::Type::u32);
  defs.lanewise<pred(u64)>("isspacep@90.shared::cluster",
                           [](u64 a) { return space_of(a) == ptx::Space::shared; });
  defs.lanewise<pred(u64)>("isspacep.const", [](u64) { return false; });
  defs.lanewise<pred(u64)>("isspacep(.param,.param::entry)",
                           [](u64 a) { return space_of(a) == ptx::Space::param; });
  defs.custom("barrier@90.cluster.arrive.relaxed{.aligned}", {}, &arrive_at_cluster<false>,
              &arrive_at_cluster<false>);
  defs.custom("barrier@90.cluster.arrive{.release}{.aligned}", {}, &arrive_at_cluster<true>,
              &arrive_at_cluster<true>);
  defs.custom("barrier@90.cluster.wait{.acquire}{.aligned}", {}, &wait_for_cluster, &wait_for_cluster).flow =
      Flow::converge;
  InstructionDef& def = defs.custom("elect@90.sync", {{Role::pair, ptx::Type::u32}, size}, &elect, &elect);
  def.flow = Flow::converge;
  def.apart = true;
  defs.custom("setmaxnreg@90.inc.sync.aligned.u32", {size}, &set_registers<true>, &set_registers<true>);
  defs.custom("setmaxnreg@90.dec.sync.aligned.u32", {size}, &set_registers<false>, &set_registers<false>);
}

}  // namespace sim::exec
