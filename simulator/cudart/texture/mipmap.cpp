// Mipmapped arrays: an ordinary array for each level of detail.
#include <algorithm>
#include <bit>
#include <memory>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/memory/array.h"

namespace sim::cudart {
namespace {

/// As long as the process, so that a freed handle can be told.
std::vector<std::unique_ptr<cudaMipmappedArray>>& mipmapped_arrays() {
  static auto& all = *new std::vector<std::unique_ptr<cudaMipmappedArray>>;
  return all;
}

/// An extent of one level from that of the level before.
std::size_t halved(std::size_t size) { return size == 0 ? 0 : std::max<std::size_t>(1, size / 2); }

}  // namespace

const cudaMipmappedArray& mipmapped_array_of(cudaMipmappedArray_const_t handle) {
  const auto& all = mipmapped_arrays();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.get() == handle; });
  require(found != all.end() && !(*found)->levels.empty(), cudaErrorInvalidResourceHandle);
  return **found;
}

}  // namespace sim::cudart

using namespace sim::cudart;

extern "C" {

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* handle, const cudaChannelFormatDesc* channels,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  return api([&](Device&) {
    require(handle && channels);
    levels = std::max(1u, levels);
    const bool layers = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;  // these have no depth to halve
    const std::size_t largest = std::max({extent.width, extent.height, layers ? 0 : extent.depth});
    auto fresh = std::make_unique<cudaMipmappedArray>();
    for (unsigned k = 0; k < std::min<unsigned>(levels, unsigned(std::bit_width(largest))); ++k) {
      cudaArray_t level = nullptr;
      const cudaError_t code = cudaMalloc3DArray(&level, channels, extent, flags);
      if (code != cudaSuccess) {
        for (const cudaArray_t made : fresh->levels) cudaFreeArray(made);
        throw ApiError{code};
      }
      fresh->levels.push_back(level);
      extent = {halved(extent.width), halved(extent.height), layers ? extent.depth : halved(extent.depth)};
    }
    *handle = fresh.get();
    mipmapped_arrays().push_back(std::move(fresh));
    return cudaSuccess;
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t handle,
                                       unsigned index) {
  return api([&](Device&) {
    const cudaMipmappedArray& array = mipmapped_array_of(handle);
    require(level && index < array.levels.size());
    *level = array.levels[index];
    return cudaSuccess;
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t handle) {
  return api([&](Device&) {
    if (!handle) return cudaSuccess;
    mipmapped_array_of(handle);
    const cudaError_t before = last_error();
    for (const cudaArray_t level : handle->levels) cudaFreeArray(level);  // one may be freed already
    last_error() = before;
    handle->levels.clear();
    return cudaSuccess;
  });
}

}  // extern "C"
