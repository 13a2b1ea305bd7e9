// cudaMemPrefetchAsync under one signature: CUDA 13 takes a location where CUDA 12 takes a device number.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace ladder {

/// Starts moving the pages of a managed array to a GPU's memory.
///
/// @param data    managed memory
/// @param bytes   how much of it; 0 moves nothing
/// @param device  the GPU's number
/// @param stream  the move is ordered with the other work of this stream
/// @return cudaSuccess, or why the move was not started
inline cudaError_t prefetch_to_device(const void* data, std::size_t bytes, int device,
                                      cudaStream_t stream = nullptr) {
#if CUDART_VERSION >= 13000
  return cudaMemPrefetchAsync(data, bytes, cudaMemLocation{cudaMemLocationTypeDevice, device}, 0, stream);
#else
  return cudaMemPrefetchAsync(data, bytes, device, stream);
#endif
}

/// The way back: starts moving the pages of a managed array to the host's memory.
/// @see prefetch_to_device
inline cudaError_t prefetch_to_host(const void* data, std::size_t bytes, cudaStream_t stream = nullptr) {
#if CUDART_VERSION >= 13000
  return cudaMemPrefetchAsync(data, bytes, cudaMemLocation{cudaMemLocationTypeHost, 0}, 0, stream);
#else
  return cudaMemPrefetchAsync(data, bytes, cudaCpuDeviceId, stream);
#endif
}

}  // namespace ladder
