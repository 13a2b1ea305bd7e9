// What the threads of a launch may do, each by itself: the input of the search for executions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/litmus/model/execution.h"

namespace sim::litmus {

/// Bytes that threads read and write as one.
struct Location {
  bool shared = false;
  std::uint64_t block = 0;    ///< whose shared memory it is
  std::uint64_t address = 0;  ///< in global memory, or in the block's shared memory
  unsigned bytes = 0;
  std::uint64_t initial = 0;
  bool written = false;                 ///< by some thread
  bool read_only = false;               ///< read by the way that does not see the kernel's own stores
  std::vector<std::uint64_t> values{};  ///< that it may hold: the first one, and what threads write
};

/// A line of the source, and the instruction that it became.
struct Statement {
  std::string file;
  int line = 0;
  std::string instruction;  ///< "ld.acquire.gpu.b32"
  bool operator==(const Statement&) const = default;
};

/// One way in which a thread may run, its reads returning values that their locations may hold. Events name
/// others by their place in the trace; Event::thread is not filled in.
struct Trace {
  std::vector<Event> events;
  std::string failure;  ///< what ended the kernel, a sentence; empty: nothing did
};

struct Thread {
  Place place;
  unsigned block_thread = 0;  ///< its number in the block
  std::vector<Trace> traces;
};

struct Program {
  std::vector<Thread> threads;  ///< those that touch memory which some thread writes
  std::vector<Location> locations;
  std::vector<Statement> statements;
  std::uint64_t given_up = 0;  ///< traces with a loop of too many turns
};

}  // namespace sim::litmus
