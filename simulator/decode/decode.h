// From a parsed kernel to code the interpreter runs.
#pragma once

#include <memory>

#include "simulator/decode/code.h"
#include "simulator/decode/symbols.h"

namespace sim::exec {

/// Decodes a kernel and every function it may reach.
/// @param spaced  leave room between the variables in shared memory, where an access is a mistake
/// @throws Fault of kind "unsupported", naming instruction, source line and kernel
std::unique_ptr<Code> decode(const ptx::Module& module, const ptx::Function& kernel, const Symbols& symbols,
                             bool spaced = false);

/// Whether blocks of the kernel may influence each other in ways that depend on their order, and why.
/// @return empty when they may run side by side
std::string order_matters(const ptx::Module& module, const Code& code);

}  // namespace sim::exec
