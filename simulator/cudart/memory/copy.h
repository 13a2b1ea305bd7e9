// Copies and fills of up to three dimensions, for the API functions and for graph nodes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace sim::cudart {

/// Where a block of rows starts, bytes from row to row, and rows from slice to slice.
struct PitchedBlock {
  const void* start;
  std::size_t pitch;
  std::size_t rows;
};
/// What is moved: bytes of a row, rows of a slice, slices.
struct CopyExtent {
  std::size_t width, height, depth;
};

/// Checks both sides and submits the copy. @param call the API function's name, for messages
/// @param host_waits a synchronous call
/// @throws ApiError
void copy_pitched(const PitchedBlock& to, const PitchedBlock& from, const CopyExtent& shape, const char* call,
                  cudaMemcpyKind kind, cudaStream_t stream, bool host_waits);

/// From now on a graph keeps no copies from or to pageable memory: what calls are given of it lasts as long
/// as they do, since the program that has it is another process.
void pageable_memory_is_lent();

/// The same for one stretch of bytes.
void copy(void* to, const void* from, std::size_t bytes, const char* call, cudaMemcpyKind kind,
          cudaStream_t stream, bool host_waits);

/// Fills bytes of device memory. @throws ApiError
void fill_pitched(const PitchedBlock& to, int value, const CopyExtent& shape, const char* call,
                  cudaStream_t stream);

}  // namespace sim::cudart
