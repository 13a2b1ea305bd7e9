#include "simulator/memory/placement.h"

namespace sim::memory {
namespace {
Placement chosen;
}

void place_memory(const Placement& placement) { chosen = placement; }
const Placement& placement() { return chosen; }

}  // namespace sim::memory
