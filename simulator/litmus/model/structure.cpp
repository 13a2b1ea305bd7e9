// What the events of an execution say by themselves.
#include "simulator/litmus/model/model.h"

namespace sim::litmus {
namespace {

using Kind = Event::Kind;

bool precedes(const Event& a, const Event& b) {
  if (a.thread < 0) return b.thread >= 0;  // memory begins before any thread does
  return a.thread == b.thread && a.done < b.order;
}

/// Whether the scope of a strong operation includes a thread.
bool includes(const Event& operation, const Place& its, const Place& other) {
  switch (operation.scope) {
    case Scope::cta:
      return its.block == other.block;
    case Scope::cluster:
      return its.cluster == other.cluster;
    default:
      return true;  // one GPU runs the kernel
  }
}

bool are_morally_strong(const Event& a, const Event& b, const std::vector<Place>& places) {
  if (a.thread < 0 || b.thread < 0) return false;
  if (a.in_memory() && b.in_memory() && (a.location != b.location || a.proxy != b.proxy)) return false;
  if (precedes(a, b) || precedes(b, a)) return true;
  const Place& of_a = places[std::size_t(a.thread)];
  const Place& of_b = places[std::size_t(b.thread)];
  return a.strong && b.strong && includes(a, of_a, of_b) && includes(b, of_b, of_a);
}

}  // namespace

Structure::Structure(const std::vector<Event>& events, const std::vector<Place>& places) {
  const int n = int(events.size());
  const auto at = [&](int i) -> const Event& { return events[std::size_t(i)]; };
  for (int i = 0; i < n; ++i) {
    const Event& a = at(i);
    all |= only(i);
    if (a.reads()) reads |= only(i);
    if (a.writes()) writes |= only(i);
    if (a.thread < 0) initial |= only(i);
    if (a.rmw >= 0) atomics.add(i, a.rmw);
    for_each(a.depends, [&](int source) { dependency.add(source, i); });
    for (int j = 0; j < n; ++j) {
      const Event& b = at(j);
      if (precedes(a, b)) program_order.add(i, j);
      if (i != j && a.in_memory() && b.in_memory() && a.location == b.location) same_location.add(i, j);
      if (i != j && are_morally_strong(a, b, places)) morally_strong.add(i, j);
      if (a.kind == Kind::arrive && b.kind == Kind::wait && a.barrier == b.barrier) barriers.add(i, j);
    }
  }
  // An atomic's write comes behind its read, though one instruction makes both.
  program_order |= atomics;
  dependency |= atomics;
  for (int i = 0; i < n; ++i) {
    const Event& first = at(i);
    if (first.writes() && first.releases) release_pattern.add(i, i);
    const bool fence = first.fences() && first.releases, write = first.writes() && first.releases;
    for_each(program_order[i] & writes, [&](int w) {
      if (at(w).strong && (fence || (write && same_location.holds(i, w)))) release_pattern.add(i, w);
    });
    if (!first.reads() || !first.strong || first.reduction) continue;
    if (first.acquires) acquire_pattern.add(i, i);
    for_each(program_order[i], [&](int last) {
      const bool behind = at(last).reads() && same_location.holds(i, last);
      if (at(last).acquires && (at(last).fences() || behind)) acquire_pattern.add(i, last);
    });
  }
}

}  // namespace sim::litmus
