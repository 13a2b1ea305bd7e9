// Asynchronous copies and the barriers in shared memory that track them. A copy is done when it is issued:
// programs that wait as they must see the same as on hardware.
#include "language/catalogue.h"
#include "simulator/engine/access/access.h"
#include "simulator/engine/phase_barrier.h"
#include "simulator/engine/schedule.h"
#include "simulator/engine/shared_name.h"
#include "simulator/instructions/families.h"

namespace sim::exec {

namespace {

using ptx::Space;

/// cp.async [shared], [global], size{, source size}: bytes beyond the source size are zero.
template <u32 kBytes>
void copy_async(Warp& w, const Instr& in) {
  const WideOperands& wide = *in.wide;
  const bool wide_target = wide.targets[0] != 0, limited = wide.targets[1] != 0;
  const u64* source = lanes<u64>(w, wide.op[1]);
  const u32* limit = limited ? lanes<u32>(w, wide.op[3]) : nullptr;
  const AccessInfo write{in, Space::shared, Access::write, kBytes},
      read{in, Space::global, Access::read, kBytes};
  const auto target = [&](int lane) {
    const u64 at = address_of(w, wide.op[0], wide_target, lane) + u64(wide.offset);
    std::byte* const bytes = resolve_lane(w, write, at, lane);
    if (w.worker->observer != nullptr) w.worker->observer->copies(w, in, lane, u32(at), kBytes);
    return bytes;
  };
  const Mask all = w.active;
  Mask whole = all;
  const bool by_predicate = wide.targets[1] == 2;  // ignore-src: zeros where it holds
  const Mask ignored = by_predicate ? predicate(w, wide.op[3]) ^ (wide.mods.negated ? kAllLanes : 0) : 0;
  if (limited) {
    for_each_lane(all, [&](int lane) {
      const u32 bytes = by_predicate ? (ignored & kLaneBit[std::size_t(lane)] ? 0 : kBytes) : limit[lane];
      if (bytes >= kBytes) return;
      whole &= ~kLaneBit[std::size_t(lane)];
      std::byte* const to = target(lane);
      std::memset(to, 0, kBytes);
      for (u32 i = 0; i < bytes; ++i) {
        const AccessInfo one{in, Space::global, Access::read, 1};
        to[i] = *resolve_lane(w, one, source[lane] + u64(wide.second_offset) + i, lane);
      }
    });
  }
  w.active = whole;
  access_memory(
      w, read, locate(w, read, source, true, wide.second_offset),
      [&](const std::byte* host, const AccessPattern& p) {
        for_each_lane(p.mask, [&](int lane) { std::memcpy(target(lane), host + p.offset[lane], kBytes); });
      },
      [&](const std::byte* host, int lane) { std::memcpy(target(lane), host, kBytes); });
  w.active = all;
  if (wide.targets[2] != 0 && whole != 0) {  // past L1: counts otherwise
    u32 to[kLanes];
    for_each_lane(whole,
                  [&](int i) { to[i] = u32(address_of(w, wide.op[0], wide_target, i) + u64(wide.offset)); });
    const u64 first = source[first_lane(whole)] + u64(wide.second_offset);
    Site& site = w.worker->sites[in.site];
    // Instead of the pattern's cost, which is added for each of its uses.
    site.counts[u32(CountedSpace::global)].cost +=
        u64(count_bypass_sectors(site.pattern.offset, to, whole, first)) - site.pattern.cost;
  }
}

[[gnu::cold]] void bind_copy_async(Binding& b) {
  const auto* size = std::get_if<ptx::Immediate>(&b.source.operands[2].value);
  if (size == nullptr || b.bytes[1] != 8) return;
  // A cache policy, which the simulator ignores, is no operand of the code.
  const bool limited =
      b.source.operands.size() > 3 && b.def.operands.size() > 3 && b.def.operands[3].role != Role::ignored;
  b.wide->targets = {b.bytes[0] == 8, limited ? (b.def.operands[3].type == ptx::Type::pred ? 2u : 1u) : 0u,
                     b.has("cg")};
  b.out.all = b.out.some = size->bits == 4    ? &copy_async<4>
                           : size->bits == 8  ? &copy_async<8>
                           : size->bits == 16 ? &copy_async<16>
                                              : nullptr;
  b.out.site = b.new_site();
}

void commit_group(Warp& w, const Instr&) {
  if (w.worker->observer != nullptr) w.worker->observer->commits_copies(w);
}
/// cp.async.wait_group n, or wait_all, which has no operand.
template <bool kAll>
void wait_group(Warp& w, const Instr& in) {
  if (w.worker->observer == nullptr) return;
  if (kAll) w.worker->observer->commits_copies(w);
  w.worker->observer->waits_for_copies(w, kAll ? 0 : lanes<u32>(w, in.op[0])[first_lane(w.active)]);
}

std::string name_of(const Warp& w, const SharedPlace& mbarrier) {
  return shared_name(w.worker->code, u32(mbarrier.offset), sizeof(PhaseBarrier));
}

void check_initialised(Warp& w, const Instr& in, int lane, const SharedPlace& at) {
  if (phase_barrier(at).bits != kUnwrittenShared) return;
  fail(w, in, lane, FindingKind::uninitialized,
       Message("The mbarrier {} has not been initialised.", name_of(w, at)),
       {.space = MemorySpace::shared,
        .access = AccessKind::atomic,
        .bytes = sizeof(PhaseBarrier),
        .cure = Cure::initialise_mbarrier});
}

/// Calls @p act(barrier, lane, place) for every active lane, in order; it tells whether the lane's wait is
/// over.
template <bool kReleases, bool kInitialises = false, class Act>
void each_barrier(Warp& w, const Instr& in, OperandRef address, s64 offset, Act act) {
  const u32 how = in.site;  // bit 0: 64-bit address, bit 1: generic
  const AccessInfo info{in, how & 2 ? Space::generic : Space::shared, Access::atomic, 8};
  for_each_lane(w.active, [&](int lane) {
    const u64 at = address_of(w, address, how & 1, lane) + u64(offset);
    const u64 in_window = info.space == Space::generic ? at - memory::kSharedWindow : at;
    if (kReleases && w.block->cluster->drops_store_at(*w.block, in_window)) return;
    const SharedPlace place = w.block->cluster->place_of(resolve_lane(w, info, at, lane));
    if (place.owner == nullptr)
      fail(w, in, lane, FindingKind::out_of_bounds, tr("The mbarrier does not lie in shared memory."));
    if (!kInitialises) check_initialised(w, in, lane, place);
    const u64 phase = w.worker->observer != nullptr ? phases_ended(place) : 0;
    const bool goes_on = change_phase_barrier(place, [&](PhaseBarrier& b) { return act(b, lane, place); });
    if (kInitialises) place.owner->phases.erase(u32(place.offset));
    if (w.worker->observer == nullptr) return;
    if (kInitialises)
      w.worker->observer->initialises_phase_barrier(w, in, place, lane);
    else
      w.worker->observer->phase_barrier(w, in, place, lane, phase, kReleases, goes_on);
  });
}

/// Arrivals beyond those that the phase misses spoil the counts on hardware.
void check_arrivals(Warp& w, const Instr& in, int lane, const PhaseBarrier& b, const SharedPlace& at,
                    u64 arrivals) {
  if (arrivals <= b.missing()) return;
  fail(w, in, lane, FindingKind::barrier,
       Message("The thread arrives {} at mbarrier {}, whose phase misses {} of its {} arrivals.",
               arrivals == 1 ? std::string("once") : std::to_string(arrivals) + " times", name_of(w, at),
               b.missing(), b.expected()),
       {.cure = Cure::too_many_arrivals});
}

void remember_address(Binding& b, std::size_t operand) {
  const bool generic = !b.has("shared") && !b.has("shared::cta") && !b.has("shared::cluster");
  b.out.site = u32(b.bytes[operand] == 8) | u32(generic) << 1;
}

void barrier_init(Warp& w, const Instr& in) {
  const u32* count = lanes<u32>(w, in.op[1]);
  each_barrier<false, true>(w, in, in.op[0], in.imm, [&](PhaseBarrier& b, int lane, const SharedPlace&) {
    b.set(count[lane], count[lane], 0, false);
    return false;
  });
}

/// mbarrier.arrive state, [a]{, count}: the state is the phase arrived in.
template <bool kDrop, bool kExpect>
void barrier_arrive(Warp& w, const Instr& in) {
  u64* state = lanes<u64>(w, in.op[0]);
  const u32* amount = lanes<u32>(w, in.op[2]);
  each_barrier<true>(w, in, in.op[1], in.imm, [&](PhaseBarrier& b, int lane, const SharedPlace& at) {
    const u64 before = b.bits;
    const u64 arrivals = kExpect || amount[lane] == 0 ? 1 : amount[lane];
    check_arrivals(w, in, lane, b, at, arrivals);
    if (kDrop) b.set(b.missing(), b.expected() - arrivals, b.transactions(), b.phase());
    if (kExpect) {
      at.owner->phases[u32(at.offset)].expected += amount[lane];
      b.set(b.missing(), b.expected(), b.transactions() + amount[lane], b.phase());
    }
    at.owner->phases[u32(at.offset)].arrivals.push_back(phase_event(w, in, lane));
    b.advance(arrivals, 0);
    state[lane] = before;
    return false;
  });
}

void barrier_expect(Warp& w, const Instr& in) {
  const u32* bytes = lanes<u32>(w, in.op[1]);
  each_barrier<true>(w, in, in.op[0], in.imm, [&](PhaseBarrier& b, int lane, const SharedPlace& at) {
    at.owner->phases[u32(at.offset)].expected += bytes[lane];
    b.advance(0, s64(bytes[lane]));
    return false;
  });
}
void barrier_complete(Warp& w, const Instr& in) {
  const u32* bytes = lanes<u32>(w, in.op[1]);
  each_barrier<true>(w, in, in.op[0], in.imm, [&](PhaseBarrier& b, int lane, const SharedPlace& at) {
    at.owner->phases[u32(at.offset)].came += bytes[lane];
    b.advance(0, -s64(bytes[lane]));
    return false;
  });
}

/// test_wait looks; try_wait has the lanes wait until the phase ends, or until everybody has waited for long.
template <bool kParity, bool kWaits>
void barrier_test(Warp& w, const Instr& in) {
  Mask done = 0, early = 0;
  each_barrier<false>(w, in, in.op[1], in.imm, [&](PhaseBarrier& b, int lane, const SharedPlace& at) {
    bool waited_for;
    if constexpr (kParity) {
      waited_for = lanes<u32>(w, in.op[2])[lane] & 1;
    } else {
      waited_for = PhaseBarrier{lanes<u64>(w, in.op[2])[lane]}.phase();
    }
    const bool over = b.phase() != waited_for;
    const Mask bit = kLaneBit[std::size_t(lane)];
    done |= over ? bit : 0;
    if (over) at.owner->phase_waited_for(u32(at.offset));
    if (kWaits && !over && at.owner == w.block && (w.expired & bit) == 0) {
      early |= bit;
      w.waits_at[std::size_t(lane)] = u32(at.offset);
    }
    return over;
  });
  w.expired &= ~w.active;
  if (early != 0) suspend_lanes(w, in, early, w.pc - 1, Wait::phase, 0, 0);
  Mask& to = predicate(w, in.op[0]);
  to = (to & ~w.active) | (done & w.active);
}

/// cp.async.mbarrier.arrive: the copies are done, so arriving is all; without .noinc it was also one more to
/// expect, which leaves the count as it is.
template <bool kExpected>
void copies_end(Warp& w, const Instr& in) {
  if (w.worker->observer != nullptr) {
    for_each_lane(w.active, [&](int lane) {
      const AccessInfo info{in, in.site & 2 ? Space::generic : Space::shared, Access::atomic, 8};
      const u64 address = address_of(w, in.op[0], in.site & 1, lane) + u64(in.imm);
      const std::byte* const at = resolve_lane(w, info, address, lane);
      w.worker->observer->copies_arrive(w, w.block->cluster->place_of(at), lane);
    });
  }
  each_barrier<true>(w, in, in.op[0], in.imm, [&](PhaseBarrier& b, int lane, const SharedPlace& at) {
    if (kExpected) at.owner->phases[u32(at.offset)].arrivals.push_back(phase_event(w, in, lane));
    if (kExpected) b.advance(1, 0);
    return false;
  });
}
void copies_arrive(Warp& w, const Instr& in) { copies_end<true>(w, in); }
void copies_join(Warp& w, const Instr& in) { copies_end<false>(w, in); }

void pending_count(Warp& w, const Instr& in) {
  u32* to = lanes<u32>(w, in.op[0]);
  const u64* state = lanes<u64>(w, in.op[1]);
  for_each_lane(w.active, [&](int i) { to[i] = u32(PhaseBarrier{state[i]}.missing()); });
}

template <Handler kHandler, std::size_t kAddress>
[[gnu::cold]] void bind_barrier(Binding& b) {
  b.out.all = b.out.some = kHandler;
  remember_address(b, kAddress);
}

}  // namespace

void declare_async(InstructionSet& defs) {
  defs.family("asynchronous copy");
  const OperandSpec address{Role::address}, count{Role::read, ptx::Type::u32},
      maybe{Role::read, ptx::Type::u32, 1, true};
  const OperandSpec state{Role::write, ptx::Type::b64}, done{Role::write, ptx::Type::pred};
  const OperandSpec from_state{Role::read, ptx::Type::b64};
  const std::string copy = "cp@80.async(.ca,.cg)(.shared,.shared::cta).global",
                    sector = "{.L2::64B,.L2::128B,.L2::256B}";
  const OperandSpec policy{Role::ignored, ptx::Type::b64, 1, true};
  // The size first: an immediate fits either, and means bytes.
  defs.custom(copy + sector, {address, address, count, maybe}, &bind_copy_async).wide = true;
  defs.custom(copy + sector, {address, address, count, {Role::read, ptx::Type::pred}}, &bind_copy_async)
      .wide = true;
  defs.custom(copy + ".L2::cache_hint" + sector, {address, address, count, policy}, &bind_copy_async).wide =
      true;
  defs.custom(copy + ".L2::cache_hint" + sector,
              {address, address, count, {Role::read, ptx::Type::u32}, policy}, &bind_copy_async)
      .wide = true;
  defs.custom("cp@80.async.commit_group", {}, &commit_group, &commit_group);
  defs.custom("cp@80.async.wait_group", {count}, &wait_group<false>, &wait_group<false>);
  defs.custom("cp@80.async.wait_all", {}, &wait_group<true>, &wait_group<true>);
  const std::string space = "{.shared,.shared::cta}.b64", scope = "{.cta,.cluster@90}",
                    released = "{.release,.relaxed@90}" + scope, acquired = "{.acquire,.relaxed@90}" + scope;
  defs.custom("cp@80.async.mbarrier.arrive.noinc" + space, {address}, &bind_barrier<&copies_arrive, 0>);
  defs.custom("cp@80.async.mbarrier.arrive" + space, {address}, &bind_barrier<&copies_join, 0>);

  defs.family("mbarrier");
  defs.custom("mbarrier@80.init" + space, {address, count}, &bind_barrier<&barrier_init, 0>);
  defs.custom("mbarrier@80.inval" + space, {address}, &nothing, &nothing);
  // Of another block's mbarrier there is no state to wait by. A count that may end the phase is younger than
  // one that must not.
  const std::string remote = ".shared::cluster.b64";
  for (const bool leaves : {false, true}) {
    const std::string verb = leaves ? ".arrive_drop" : ".arrive";
    const Binder bind = leaves ? &bind_barrier<&barrier_arrive<true, false>, 1>
                               : &bind_barrier<&barrier_arrive<false, false>, 1>;
    defs.custom("mbarrier@80" + verb + ".noComplete{.release}{.cta}" + space, {state, address, count}, bind);
    defs.custom("mbarrier@90" + verb + released + space, {state, address, count}, bind);
    defs.custom("mbarrier@80" + verb + released + space, {state, address, maybe}, bind);
    defs.custom("mbarrier@90" + verb + released + remote, {state, address, maybe}, bind);
    defs.custom("mbarrier@80" + verb + ".expect_tx@90" + released + space, {state, address, count},
                leaves ? &bind_barrier<&barrier_arrive<true, true>, 1>
                       : &bind_barrier<&barrier_arrive<false, true>, 1>);
    defs.custom("mbarrier@90" + verb + ".expect_tx" + released + remote, {state, address, count},
                leaves ? &bind_barrier<&barrier_arrive<true, true>, 1>
                       : &bind_barrier<&barrier_arrive<false, true>, 1>);
  }
  const std::string anywhere = "{.relaxed}" + scope + "{.shared,.shared::cta,.shared::cluster}.b64";
  defs.custom("mbarrier@90.expect_tx" + anywhere, {address, count}, &bind_barrier<&barrier_expect, 0>);
  defs.custom("mbarrier@90.complete_tx" + anywhere, {address, count}, &bind_barrier<&barrier_complete, 0>);
  defs.custom("mbarrier@80.test_wait" + acquired + space, {done, address, from_state},
              &bind_barrier<&barrier_test<false, false>, 1>);
  defs.custom("mbarrier@80.test_wait.parity" + acquired + space, {done, address, count},
              &bind_barrier<&barrier_test<true, false>, 1>);
  // Lanes that wait come by again, so their operands stay.
  for (InstructionDef* def :
       {&defs.custom("mbarrier@90.try_wait" + acquired + space, {done, address, from_state, maybe},
                     &bind_barrier<&barrier_test<false, true>, 1>),
        &defs.custom("mbarrier@90.try_wait.parity" + acquired + space, {done, address, count, maybe},
                     &bind_barrier<&barrier_test<true, true>, 1>)}) {
    def->flow = Flow::converge;
    def->apart = true;
  }
  defs.custom("mbarrier@80.pending_count.b64", {{Role::write, ptx::Type::u32}, from_state}, &pending_count,
              &pending_count);
}

}  // namespace sim::exec
