// Memory beside a case's arrays that a lesson's prepare() allocates for the rung: what the grader finds calls
// it by its name in the contract.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// Of the simulator's runner; others have no use for names, and none of it.
/// @param before  bytes ahead of the first element
extern "C" [[gnu::weak, gnu::visibility("default")]] void ladder_name_scratch(const void* start,
                                                                              const char* name,
                                                                              std::uint32_t element_bytes,
                                                                              std::int64_t elements,
                                                                              std::uint64_t before);

namespace ladder {

/// Allocates memory on the device.
/// @param[out] start     of the allocation
/// @param      name      in the contract
/// @param      elements  that the rung gets
/// @param      before    elements ahead of those, which are not the rung's: see offset.h
template <class T>
cudaError_t allocate_scratch(T** start, const char* name, std::int64_t elements, std::int64_t before = 0) {
  const auto bytes = static_cast<std::size_t>(before + elements) * sizeof(T);
  const cudaError_t error = cudaMalloc(reinterpret_cast<void**>(start), bytes);
  if (error == cudaSuccess && &ladder_name_scratch != nullptr)
    ladder_name_scratch(*start, name, sizeof(T), elements, static_cast<std::uint64_t>(before) * sizeof(T));
  return error;
}

/// Overwrites what a call of the rung has left, so that a second one finds none of it: with NaNs, or with -1.
template <class T>
cudaError_t forget(T* start, std::int64_t elements) {
  return elements > 0 ? cudaMemsetAsync(start, 0xFF, static_cast<std::size_t>(elements) * sizeof(T))
                      : cudaSuccess;
}

}  // namespace ladder
