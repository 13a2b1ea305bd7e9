// Host-visible memory on the program's side.
#pragma once

#include <cstddef>

namespace sim::remote {

/// Lets the program access memory that the simulator has given it. Nothing happens outside of kHostMemory.
void open_pages(void* address, std::size_t bytes);

}  // namespace sim::remote
