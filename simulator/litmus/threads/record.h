// Runs the threads of a launch one by one, each in all the ways that reads may make it run.
#pragma once

#include <stdexcept>

#include "simulator/engine/launch.h"
#include "simulator/litmus/program.h"

namespace sim::litmus {

struct RecordLimits {
  int threads = 8;             ///< that touch memory which some thread writes
  int operations = 32;         ///< of one thread on memory
  int turns = 3;               ///< of a loop around one read; a thread that takes more is given up
  int launched = 1024;         ///< threads of the launch
  std::size_t traces = 20000;  ///< of all threads together
};

/// The kernel does something that the search cannot follow; what() says what and where.
struct Unexplorable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Memory is afterwards as it was before.
/// @throws Unexplorable, TooMuch
Program record_threads(const exec::LoadedModule::Program& kernel, const exec::Launch& what,
                       memory::AddressSpace& space, const RecordLimits& limits);

}  // namespace sim::litmus
