// Sets of events and binary relations over them, as bits: an execution has 64 events at most.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace sim::litmus {

inline constexpr int kMostEvents = 64;

using EventSet = std::uint64_t;
constexpr EventSet only(int event) { return EventSet{1} << event; }
constexpr bool contains(EventSet set, int event) { return (set >> event & 1) != 0; }

/// Calls @p use with each event of a set.
template <class Use>
void for_each(EventSet set, Use use) {
  for (; set != 0; set &= set - 1) use(std::countr_zero(set));
}

class Relation {
 public:
  EventSet& operator[](int from) { return to_[std::size_t(from)]; }
  EventSet operator[](int from) const { return to_[std::size_t(from)]; }
  bool holds(int from, int to) const { return contains((*this)[from], to); }
  void add(int from, int to) { (*this)[from] |= only(to); }

  Relation& operator|=(const Relation& o) {
    for (std::size_t i = 0; i < to_.size(); ++i) to_[i] |= o.to_[i];
    return *this;
  }
  Relation& operator&=(const Relation& o) {
    for (std::size_t i = 0; i < to_.size(); ++i) to_[i] &= o.to_[i];
    return *this;
  }
  friend Relation operator|(Relation a, const Relation& b) { return a |= b; }
  friend Relation operator&(Relation a, const Relation& b) { return a &= b; }

  /// Composition: a, then b.
  friend Relation operator*(const Relation& a, const Relation& b) {
    Relation both;
    for (int i = 0; i < kMostEvents; ++i) for_each(a[i], [&](int middle) { both[i] |= b[middle]; });
    return both;
  }

  Relation closure() const {
    Relation all = *this;
    for (int middle = 0; middle < kMostEvents; ++middle) {
      if (all[middle] == 0) continue;
      for (int i = 0; i < kMostEvents; ++i)
        if (all.holds(i, middle)) all[i] |= all[middle];
    }
    return all;
  }
  /// The pairs whose first event is of @p from and whose second is of @p to.
  Relation between(EventSet from, EventSet to) const {
    Relation part;
    for_each(from, [&](int i) { part[i] = (*this)[i] & to; });
    return part;
  }
  bool irreflexive() const {
    for (int i = 0; i < kMostEvents; ++i)
      if (holds(i, i)) return false;
    return true;
  }
  bool acyclic() const { return closure().irreflexive(); }

 private:
  std::array<EventSet, kMostEvents> to_{};
};

}  // namespace sim::litmus
