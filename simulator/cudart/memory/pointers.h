// Telling pointers apart: device, managed, pinned or plain host memory; and checking
// ranges against allocations.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "simulator/memory/address_space.h"

namespace sim::cudart {

/// One side of a copy, checked.
struct ResolvedPointer {
  std::byte* bytes = nullptr;                      ///< where they are for the host
  const memory::Allocation* allocation = nullptr;  ///< null for plain host memory
  bool on_device = false;                          ///< over the bus from the host's point of view
  bool pinned = false;                             ///< page-locked, when on the host
};

enum class MemorySide { host, device, any };

/// @param pointer the argument, @param bytes the range from there that will be accessed
/// @param call "cudaMemcpy", @param role "destination" or "source", for messages
/// @param side what the call's cudaMemcpyKind says it is
/// @throws ApiError cudaErrorInvalidValue, after a finding that explains
ResolvedPointer resolve_pointer(const void* pointer, std::size_t bytes, const char* call, const char* role,
                                MemorySide side);

}  // namespace sim::cudart
