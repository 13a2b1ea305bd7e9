// Making, describing and freeing CUDA arrays, and copies of one and two dimensions to and from them.
#include "simulator/cudart/memory/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/fault_injection.h"

namespace sim::cudart {
namespace {

constexpr std::size_t kMax1D = 131072, kMax2DWidth = 131072, kMax2DHeight = 65536, kMax3D = 16384,
                      kMaxLayered = 32768, kMaxLayers = 2048;

/// Arrays live as long as the process, so that a freed handle can be told.
std::vector<std::unique_ptr<cudaArray>>& arrays() {
  static auto& all = *new std::vector<std::unique_ptr<cudaArray>>;
  return all;
}

/// Whether hardware has images of that size.
bool fits(const cudaExtent& e, unsigned flags) {
  const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
  if (e.width == 0) return false;
  if (cube) {
    return e.width == e.height && e.width <= kMaxLayered && e.depth <= kMaxLayers &&
           (layered ? e.depth > 0 && e.depth % 6 == 0 : e.depth == 6);
  }
  if (layered) {
    return e.depth > 0 && e.depth <= kMaxLayers && e.width <= kMaxLayered && e.height <= kMaxLayered;
  }
  if (e.depth > 0) return e.height > 0 && std::max({e.width, e.height, e.depth}) <= kMax3D;
  return e.height > 0 ? e.width <= kMax2DWidth && e.height <= kMax2DHeight : e.width <= kMax1D;
}

std::size_t rows_of(const cudaArray& a) { return std::max<std::size_t>(1, a.extent.height); }
std::size_t slices_of(const cudaArray& a) { return std::max<std::size_t>(1, a.extent.depth); }

cudaError_t allocate(cudaArray_t* handle, const cudaChannelFormatDesc* channels, const cudaExtent& extent,
                     unsigned flags, const char* call) {
  return api([&](Device& d) {
    constexpr unsigned kKnown = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                                cudaArrayTextureGather | cudaArrayColorAttachment | cudaArraySparse |
                                cudaArrayDeferredMapping;
    require(handle && channels && (flags & ~kKnown) == 0);
    const memory::TexelFormat format = format_of(*channels);
    require(fits(extent, flags));
    may_fail(call);
    auto fresh = std::make_unique<cudaArray>(cudaArray{nullptr, *channels, extent, flags, format});
    const std::size_t bytes =
        extent.width * rows_of(*fresh) * slices_of(*fresh) * std::size_t(format.bytes());
    fresh->memory =
        d.space.allocate(bytes, memory::Kind::device, fmt::format("{} #{}", call, ++d.allocations));
    *handle = fresh.get();
    arrays().push_back(std::move(fresh));
    return cudaSuccess;
  });
}

/// One side of a copy that is plain memory.
PitchedBlock plain(const void* start, std::size_t pitch, std::size_t rows) { return {start, pitch, rows}; }

/// Copies bytes that follow each other in an array, over the ends of its rows.
void copy_run(const cudaArray& array, std::size_t x, std::size_t y, const void* other, std::size_t bytes,
              bool to_array, const char* call, cudaMemcpyKind kind, cudaStream_t stream, bool host_waits) {
  const std::size_t pitch = array.extent.width * std::size_t(array.format.bytes());
  require(y * pitch + x + bytes <= pitch * rows_of(array));
  const void* inside = reinterpret_cast<const void*>(array.memory->base + y * pitch + x);
  copy(const_cast<void*>(to_array ? inside : other), to_array ? other : inside, bytes, call, kind, stream,
       host_waits);
}

}  // namespace

memory::TexelFormat format_of(const cudaChannelFormatDesc& c) {
  const int bits[4] = {c.x, c.y, c.z, c.w};
  const auto refuse_format = [] { throw ApiError{cudaErrorInvalidChannelDescriptor}; };
  int channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  for (int k = 0; k < 4; ++k)
    if (bits[k] != (k < channels ? bits[0] : 0)) refuse_format();
  const bool kind = c.f == cudaChannelFormatKindSigned || c.f == cudaChannelFormatKindUnsigned ||
                    c.f == cudaChannelFormatKindFloat;
  const bool width = c.x == 32 || c.x == 16 || (c.x == 8 && c.f != cudaChannelFormatKindFloat);
  if (!kind || !width || (channels != 1 && channels != 2 && channels != 4)) refuse_format();
  const memory::Channel of = c.f == cudaChannelFormatKindSigned     ? memory::Channel::signed_integer
                             : c.f == cudaChannelFormatKindUnsigned ? memory::Channel::unsigned_integer
                                                                    : memory::Channel::floating;
  return {of, channels, c.x};
}

const cudaArray& array_of(cudaArray_const_t handle) {
  const auto found =
      std::find_if(arrays().begin(), arrays().end(), [&](const auto& a) { return a.get() == handle; });
  require(found != arrays().end() && !(*found)->memory->freed, cudaErrorInvalidResourceHandle);
  return **found;
}

memory::Image image_of(const cudaArray& a) {
  const std::uint64_t row = a.extent.width * std::size_t(a.format.bytes());
  return {a.memory,
          0,
          a.format,
          std::uint32_t(a.extent.width),
          std::uint32_t(rows_of(a)),
          std::uint32_t(slices_of(a)),
          row,
          row * rows_of(a)};
}

PitchedBlock block_of(const cudaArray& a, const cudaPos& at, const CopyExtent& what) {
  const std::size_t row = a.extent.width * std::size_t(a.format.bytes());
  const auto inside = [](std::size_t from, std::size_t length, std::size_t all) {
    return from <= all && length <= all - from;
  };
  require(inside(at.x, what.width, row) && inside(at.y, what.height, rows_of(a)) &&
          inside(at.z, what.depth, slices_of(a)));
  const std::uint64_t start = a.memory->base + (at.z * rows_of(a) + at.y) * row + at.x;
  return {reinterpret_cast<const void*>(start), row, rows_of(a)};
}

}  // namespace sim::cudart

using namespace sim::cudart;

namespace {

cudaError_t to_array(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                     std::size_t width, std::size_t height, const char* call, cudaMemcpyKind kind,
                     cudaStream_t stream, bool host_waits) {
  return done([&] {
    require(kind != cudaMemcpyDeviceToHost, cudaErrorInvalidMemcpyDirection);
    require(width <= pitch);
    const CopyExtent shape{width, height, 1};
    copy_pitched(block_of(array_of(to), {x, y, 0}, shape), plain(from, pitch, height), shape, call, kind,
                 stream, host_waits);
  });
}

cudaError_t from_array(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                       std::size_t width, std::size_t height, const char* call, cudaMemcpyKind kind,
                       cudaStream_t stream, bool host_waits) {
  return done([&] {
    require(kind != cudaMemcpyHostToDevice, cudaErrorInvalidMemcpyDirection);
    require(width <= pitch, cudaErrorInvalidPitchValue);
    const CopyExtent shape{width, height, 1};
    copy_pitched(plain(to, pitch, height), block_of(array_of(from), {x, y, 0}, shape), shape, call, kind,
                 stream, host_waits);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, std::size_t width,
                            std::size_t height, unsigned flags) {
  return allocate(array, channels, {width, height, 0}, flags, "cudaMallocArray");
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, cudaExtent extent,
                              unsigned flags) {
  return allocate(array, channels, extent, flags, "cudaMalloc3DArray");
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return api([&](Device& d) {
    if (!array) return cudaSuccess;
    sim::memory::Allocation* memory = array_of(array).memory;
    d.synchronise();
    d.space.free(memory);
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags,
                             cudaArray_t handle) {
  return done([&] {
    const cudaArray& array = array_of(handle);
    if (channels) *channels = array.channels;
    if (extent) *extent = array.extent;
    if (flags) *flags = array.flags;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t array) {
  return done([&] {
    require(channels);
    *channels = array_of(array).channels;
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return to_array(to, x, y, from, pitch, width, height, "cudaMemcpy2DToArray", kind, nullptr, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return to_array(to, x, y, from, pitch, width, height, "cudaMemcpy2DToArrayAsync", kind, stream, false);
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                  std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return from_array(to, pitch, from, x, y, width, height, "cudaMemcpy2DFromArray", kind, nullptr, true);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  return from_array(to, pitch, from, x, y, width, height, "cudaMemcpy2DFromArrayAsync", kind, stream, false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind) {
  return done([&] {
    const CopyExtent shape{width, height, 1};
    copy_pitched(block_of(array_of(to), {to_x, to_y, 0}, shape), block_of(array_of(from), {x, y, 0}, shape),
                 shape, "cudaMemcpy2DArrayToArray", kind, nullptr, true);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  return done(
      [&] { copy_run(array_of(to), x, y, from, bytes, true, "cudaMemcpyToArray", kind, nullptr, true); });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                   std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return done([&] {
    copy_run(array_of(to), x, y, from, bytes, true, "cudaMemcpyToArrayAsync", kind, stream, false);
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  return done(
      [&] { copy_run(array_of(from), x, y, to, bytes, false, "cudaMemcpyFromArray", kind, nullptr, true); });
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return done([&] {
    copy_run(array_of(from), x, y, to, bytes, false, "cudaMemcpyFromArrayAsync", kind, stream, false);
  });
}

}  // extern "C"
