// CUDA arrays: images in device memory that only textures, surfaces and copies can reach.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "simulator/cudart/memory/copy.h"
#include "simulator/memory/texture.h"

/// What a cudaArray_t points to. Texels lie row by row without gaps.
struct cudaArray {
  sim::memory::Allocation* memory;
  cudaChannelFormatDesc channels;
  cudaExtent extent;  ///< as asked for: height and depth may be 0
  unsigned flags;
  sim::memory::TexelFormat format;
};

/// What a cudaMipmappedArray_t points to: an array for each level, each half as large as the one before.
struct cudaMipmappedArray {
  std::vector<cudaArray_t> levels;
};

namespace sim::cudart {

/// The levels behind a handle. @throws ApiError cudaErrorInvalidResourceHandle for none or a freed one
const cudaMipmappedArray& mipmapped_array_of(cudaMipmappedArray_const_t handle);

/// The format that a channel description stands for. @throws ApiError cudaErrorInvalidChannelDescriptor
memory::TexelFormat format_of(const cudaChannelFormatDesc& channels);

/// The array behind a handle. @throws ApiError cudaErrorInvalidResourceHandle for none or a freed one
const cudaArray& array_of(cudaArray_const_t handle);

/// All of an array as an image.
memory::Image image_of(const cudaArray& array);

/// A box of an array as one side of a copy, checked to lie inside.
/// @param at    corner: x in bytes, y in rows, z in slices
/// @param what  bytes of a row, rows, slices
PitchedBlock block_of(const cudaArray& array, const cudaPos& at, const CopyExtent& what);

}  // namespace sim::cudart
