// A candidate execution of a small program: its events, and the orders that were chosen for them.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/litmus/model/relation.h"

namespace sim::litmus {

enum class Scope : std::uint8_t { cta, cluster, gpu, sys };
/// The way by which an operation comes to memory.
enum class Proxy : std::uint8_t { generic, async };

/// What a thread does, as far as other threads can tell. An atomic is a read and, where it writes, a write; a
/// barrier is an arrival and a wait.
struct Event {
  enum class Kind : std::uint8_t { read, write, fence, proxy_fence, arrive, wait };
  Kind kind = Kind::read;
  int thread = -1;  ///< -1: the write that memory begins with
  int order = 0;    ///< in the thread; the elements of one vector access have the same
  int done = 0;     ///< behind which of the thread's orders it is over: `order`, but for asynchronous copies
  int location = -1;  ///< of reads and writes; fences and barriers: -1
  std::uint64_t value = 0;
  bool strong = false;
  bool acquires = false, releases = false;  ///< of fences, too
  bool sc = false;                          ///< fence.sc
  bool reduction = false;                   ///< the read of a `red`, which begins no acquire pattern
  Scope scope = Scope::cta;                 ///< of what is strong
  Proxy proxy = Proxy::generic;
  int rmw = -1;                 ///< of an atomic's read: its write
  std::uint64_t barrier = 0;    ///< which one: arrivals synchronize with the waits of the same
  EventSet depends = 0;         ///< the reads on which its address, its value or its being there depends
  std::uint32_t statement = 0;  ///< for whoever shows it

  bool reads() const { return kind == Kind::read; }
  bool writes() const { return kind == Kind::write; }
  bool in_memory() const { return reads() || writes(); }
  bool fences() const { return kind == Kind::fence; }
};

/// Where a thread runs: blocks and clusters by their number in the grid.
struct Place {
  std::uint64_t block = 0, cluster = 0;
  bool operator==(const Place&) const = default;
};

struct Execution {
  std::vector<Place> places;  ///< by thread
  std::vector<Event> events;
  std::vector<int> reads_from;  ///< by event: of a read the write whose value it returns; else -1
  Relation coherence;           ///< of writes: transitive
  Relation fence_sc;            ///< of fences: transitive
};

}  // namespace sim::litmus
