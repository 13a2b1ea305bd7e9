// What LoadedModule::Program is made of.
#pragma once

#include <atomic>

#include "simulator/decode/code.h"
#include "simulator/engine/launch.h"

namespace sim::exec {

struct LoadedModule::Program {
  std::unique_ptr<Code> code;
  /// Warp instructions of a block in the last launch, on average; 0: not launched yet.
  mutable std::atomic<u64> instructions_per_block{0};
};

/// A number for the name of a function, one and the same in all modules of the process: where two builds of a
/// source number their functions by themselves, a table or a virtual table that one has filled leads astray
/// in the other.
u64 function_number(std::string_view name);

/// The address of a function of the module, as function pointers hold it; 0 when there is none of that name.
u64 function_address(const ptx::Module& module, std::string_view name);

}  // namespace sim::exec
