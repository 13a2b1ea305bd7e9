// One spelling of each instruction.
#pragma once

#include "simulator/ptx/program.h"

namespace sim::ptx {

/// Puts the qualifiers of an instruction into the order in which nvcc writes them.
void order_qualifiers(Instruction& instruction);

}  // namespace sim::ptx
