// What LoadedModule::Program is made of.
#pragma once

#include <atomic>

#include "simulator/exec/code.h"
#include "simulator/exec/launch.h"

namespace sim::exec {

struct LoadedModule::Program {
  std::unique_ptr<Code> code;
  mutable std::atomic<u64> pace{0};  ///< warp instructions of a block in the last launch; 0: not launched yet
};

/// The address of a function of the module, as function pointers hold it; 0 when there is none of that name.
u64 function_address(const ptx::Module& module, std::string_view name);

}  // namespace sim::exec
