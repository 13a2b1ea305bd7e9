// Executions put together by hand.
#pragma once

#include "simulator/litmus/model/model.h"

namespace litmus_test {

using namespace sim::litmus;

/// How strong an operation is, and for whom.
struct Strength {
  bool strong = false, acquires = false, releases = false, sc = false;
  Scope scope = Scope::gpu;
  /// The same for the threads of a block.
  constexpr Strength of_block() const {
    Strength s = *this;
    s.scope = Scope::cta;
    return s;
  }
};
inline constexpr Strength weak{};
inline constexpr Strength relaxed{.strong = true};
inline constexpr Strength acquire{.strong = true, .acquires = true};
inline constexpr Strength release{.strong = true, .releases = true};
inline constexpr Strength acq_rel{.strong = true, .acquires = true, .releases = true};
inline constexpr Strength sc{.strong = true, .acquires = true, .releases = true, .sc = true};

/// Builds an execution operation by operation; each returns the event's number. Memory begins with zeros.
class Builder {
 public:
  /// @param blocks  by thread
  explicit Builder(std::vector<std::uint64_t> blocks, int locations = 2) {
    for (const std::uint64_t block : blocks) e_.places.push_back({block, block / 2});
    for (int l = 0; l < locations; ++l) add({.kind = Event::Kind::write, .location = l});
  }

  int write(int thread, int location, std::uint64_t value, Strength s = weak) {
    return add(Event::Kind::write, thread, location, value, s);
  }
  /// A read of what the event @p from wrote. @p from is a location's number for what memory began with.
  int read(int thread, int location, int from, Strength s = weak) {
    const int i = add(Event::Kind::read, thread, location, e_.events[std::size_t(from)].value, s);
    e_.reads_from[std::size_t(i)] = from;
    return i;
  }
  int fence(int thread, Strength s) { return add(Event::Kind::fence, thread, -1, 0, s); }
  /// An atomic; its write is the next event.
  int update(int thread, int location, int from, std::uint64_t value, Strength s = relaxed) {
    const int r = read(thread, location, from, s);
    const int w = write(thread, location, value, s);
    event(w).order = event(w).done = event(r).order;
    event(r).rmw = w;
    return r;
  }
  int barrier(int thread, Event::Kind kind, std::uint64_t number) {
    const int i = add(kind, thread, -1, 0, weak);
    event(i).barrier = number;
    return i;
  }
  int proxy_fence(int thread) { return add(Event::Kind::proxy_fence, thread, -1, 0, weak); }

  /// Memory's first value, then these, in coherence order; of one location.
  void coherence(std::vector<int> writes) {
    const int first = event(writes.front()).location;
    writes.insert(writes.begin(), first);
    for (std::size_t a = 0; a < writes.size(); ++a)
      for (std::size_t b = a + 1; b < writes.size(); ++b) e_.coherence.add(writes[a], writes[b]);
  }
  void fence_order(int first, int second) { e_.fence_sc.add(first, second); }
  void depends(int event_number, int read) { event(event_number).depends |= only(read); }
  Event& event(int i) { return e_.events[std::size_t(i)]; }

  Axioms broken() const { return broken_axioms(e_); }
  const Execution& execution() const { return e_; }

 private:
  int add(const Event& event) {
    e_.events.push_back(event);
    e_.reads_from.push_back(-1);
    return int(e_.events.size()) - 1;
  }
  int add(Event::Kind kind, int thread, int location, std::uint64_t value, Strength s) {
    Event event{.kind = kind, .thread = thread, .location = location, .value = value};
    event.order = event.done = int(e_.events.size());
    event.strong = s.strong;
    event.scope = s.scope;
    event.sc = s.sc;
    event.acquires = s.acquires && kind != Event::Kind::write;
    event.releases = s.releases && kind != Event::Kind::read;
    return add(event);
  }
  Execution e_;
};

}  // namespace litmus_test
