#include "simulator/litmus/model/model.h"

namespace sim::litmus {
namespace {

/// Of reads and writes by the other proxy: whether a fence between the proxies, of a thread in the block that
/// uses it, lies on the way from one to the other.
bool is_linked(const Execution& e, const Relation& base, int from, int to, std::uint64_t block) {
  for (int f = 0; f < int(e.events.size()); ++f) {
    const Event& fence = e.events[std::size_t(f)];
    if (fence.kind == Event::Kind::proxy_fence && e.places[std::size_t(fence.thread)].block == block &&
        base.holds(from, f) && base.holds(f, to))
      return true;
  }
  return false;
}

bool preserves_proxy(const Execution& e, const Relation& base, int from, int to) {
  const Event &a = e.events[std::size_t(from)], &b = e.events[std::size_t(to)];
  const bool a_generic = a.proxy == Proxy::generic || a.thread < 0, b_generic = b.proxy == Proxy::generic;
  if ((a_generic && b_generic) || a.thread < 0) return true;
  const auto block = [&](const Event& x) { return e.places[std::size_t(x.thread)].block; };
  if (a.proxy == b.proxy && block(a) == block(b)) return true;
  return (a_generic || is_linked(e, base, from, to, block(a))) &&
         (b_generic || is_linked(e, base, from, to, block(b)));
}

/// Which of the operations at one place are ordered by base causality in a way that both proxies know of.
Relation proxy_preserved(const Structure& s, const Execution& e, const Relation& base) {
  Relation ordered = base & s.same_location;
  for_each(s.reads | s.writes, [&](int from) {
    for_each(ordered[from], [&](int to) {
      if (!preserves_proxy(e, base, from, to)) ordered[from] &= ~only(to);
    });
  });
  return ordered;
}

/// From reads to the writes behind the one whose value they return.
Relation from_reads(const Structure& s, const Execution& e) {
  Relation found;
  for_each(s.reads, [&](int r) {
    const int source = e.reads_from[std::size_t(r)];
    if (source >= 0) found[r] = e.coherence[source];
  });
  return found;
}

}  // namespace

Orders::Orders(const Structure& s, const Execution& e) {
  for_each(s.reads, [&](int r) {
    if (e.reads_from[std::size_t(r)] >= 0) reads_from.add(e.reads_from[std::size_t(r)], r);
  });
  const Relation strong = reads_from & s.morally_strong;
  observation = strong | (strong * (s.atomics * strong).closure());
  Relation synchronizes = s.release_pattern * observation * s.acquire_pattern & s.morally_strong;
  synchronizes |= s.barriers | e.fence_sc;
  base = (s.program_order | synchronizes).closure();
  const Relation ordered = proxy_preserved(s, e, base);
  causality = ordered | (observation * ordered);
}

Axioms broken_before_coherence(const Structure& s, const Execution& e, const Orders& orders) {
  Axioms broken = 0;
  for (int f = 0; f < int(e.events.size()); ++f)
    for_each(e.fence_sc[f], [&](int later) {
      if (orders.base.holds(later, f)) broken |= bit(Axiom::fence_sc);
    });
  if (!(orders.reads_from | s.dependency).acyclic()) broken |= bit(Axiom::no_thin_air);
  if (!orders.causality.irreflexive() || !(orders.reads_from * orders.causality).irreflexive())
    broken |= bit(Axiom::causality);
  return broken;
}

Axioms broken_by_coherence(const Structure& s, const Execution& e, const Orders& orders) {
  Axioms broken = 0;
  const Relation demanded = orders.causality.between(s.writes, s.writes);
  for_each(s.writes, [&](int w) {
    if ((demanded[w] & ~e.coherence[w]) != 0) broken |= bit(Axiom::coherence);
  });
  if (!e.coherence.irreflexive()) broken |= bit(Axiom::coherence);

  const Relation after_read = from_reads(s, e);
  const Relation between = (after_read & s.morally_strong) * (e.coherence & s.morally_strong);
  for_each(s.reads, [&](int r) {
    if ((between[r] & s.atomics[r]) != 0) broken |= bit(Axiom::atomicity);
  });
  const Relation communication = orders.reads_from | e.coherence | after_read;
  if (!((communication & s.morally_strong) | (s.program_order & s.same_location)).acyclic())
    broken |= bit(Axiom::sc_per_location);
  if (!(after_read * orders.causality).irreflexive()) broken |= bit(Axiom::causality);
  return broken;
}

Axioms broken_axioms(const Execution& e) {
  const Structure s(e.events, e.places);
  const Orders orders(s, e);
  return broken_before_coherence(s, e, orders) | broken_by_coherence(s, e, orders);
}

Relation data_races(const Structure& s, const Orders& orders) {
  Relation races;
  for_each((s.reads | s.writes) & ~s.initial, [&](int a) {
    for_each(s.same_location[a] & ~s.initial & ~s.morally_strong[a], [&](int b) {
      const bool conflict = contains(s.writes, a) || contains(s.writes, b);
      if (a > b || !conflict) return;
      if (!orders.causality.holds(a, b) && !orders.causality.holds(b, a)) races.add(a, b);
    });
  });
  return races;
}

}  // namespace sim::litmus
