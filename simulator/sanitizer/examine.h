// The door into the findings: looking at one launch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/engine/launch.h"
#include "simulator/instructions/lanes.h"
#include "simulator/ptx/debug_info.h"
#include "simulator/sanitizer/uninit/written.h"

namespace sim::sanitizer {

using exec::u64;

/// A kernel with what is worked out about it before it runs.
struct Subject;
struct SubjectDelete {
  void operator()(Subject* subject) const;
};

/// A run of bytes of global memory that a launch touched.
struct Touched {
  u64 address, bytes;
  bool writes, atomic;
  bool with_host;  ///< by accesses that the host's own may go beside
};

struct Examined {
  std::vector<Finding> findings;
  std::vector<Touched> touched;         ///< where asked for; as far as it fits into a few hundred runs
  bool complete = false;                ///< the kernel came to its end
  std::uint64_t lane_instructions = 0;  ///< executed, when complete
};

/// @param locals     the local variables of its functions, alive as long as the subject; null: not known
/// @param optimised  the same kernel as the program runs it; null: not known
std::unique_ptr<Subject, SubjectDelete> prepare(const exec::LoadedModule::Program& kernel,
                                                const ptx::Locals* locals = nullptr,
                                                const exec::LoadedModule::Program* optimised = nullptr);

/// The kernel as the program runs it, to be looked at for registers of products under way (wgmma): a check
/// build has others. Null where it has no such products.
std::unique_ptr<Subject, SubjectDelete> prepare_registers(const exec::LoadedModule::Program& kernel);

/// Runs the launch under observation, on the calling thread. Memory is changed as by any launch.
/// @param written  which bytes of global memory have been written; the launch adds to it; null: all
/// @param seconds  after which it stops, wherever it is
/// @param touched  whether to tell which memory it touched
/// @param stores   whether to count the stores to each element: see StoreCounts::notes()
Examined examine(Subject& subject, const exec::Launch& what, memory::AddressSpace& space,
                 Written* written = nullptr, double seconds = 1e9, bool touched = false, bool stores = false);

}  // namespace sim::sanitizer
