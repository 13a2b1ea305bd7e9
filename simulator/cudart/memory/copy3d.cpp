// Three-dimensional copies and fills of pitched memory and arrays, and copies between devices.
#include "simulator/cudart/device/device.h"
#include "simulator/cudart/memory/array.h"
#include "simulator/cudart/memory/copy.h"

using namespace sim::cudart;

namespace {

/// Where a box of a pitched buffer starts.
PitchedBlock corner(const cudaPitchedPtr& buffer, const cudaPos& at) {
  const std::size_t offset = (at.z * buffer.ysize + at.y) * buffer.pitch + at.x;
  return {static_cast<const char*>(buffer.ptr) + offset, buffer.pitch, buffer.ysize};
}

cudaError_t copy_3d(const cudaMemcpy3DParms* p, const char* call, cudaStream_t stream, bool host_waits) {
  return api(
      [&](Device&) {
        require(p);
        if (p->extent.width == 0 || p->extent.height == 0 || p->extent.depth == 0) return cudaSuccess;
        require(!p->srcArray == (p->srcPtr.ptr != nullptr) && !p->dstArray == (p->dstPtr.ptr != nullptr));
        // Where an array takes part, widths count its texels, as do positions in it.
        const cudaArray* to = p->dstArray ? &array_of(p->dstArray) : nullptr;
        const cudaArray* from = p->srcArray ? &array_of(p->srcArray) : nullptr;
        require(!to || !from || to->format.bytes() == from->format.bytes());
        const cudaArray* array = to ? to : from;
        const std::size_t texel = array ? std::size_t(array->format.bytes()) : 1;
        const CopyExtent shape{p->extent.width * texel, p->extent.height, p->extent.depth};
        const auto side = [&](const cudaArray* a, const cudaPitchedPtr& buffer, const cudaPos& at) {
          return a ? block_of(*a, {at.x * texel, at.y, at.z}, shape) : corner(buffer, at);
        };
        copy_pitched(side(to, p->dstPtr, p->dstPos), side(from, p->srcPtr, p->srcPos), shape, call, p->kind,
                     stream, host_waits);
        return cudaSuccess;
      },
      call);
}

cudaError_t set_3d(const cudaPitchedPtr& to, int value, const cudaExtent& extent, const char* call,
                   cudaStream_t stream) {
  return api(
      [&](Device&) {
        fill_pitched(corner(to, {0, 0, 0}), value, {extent.width, extent.height, extent.depth}, call, stream);
        return cudaSuccess;
      },
      call);
}

cudaError_t copy_peer(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                      const char* call, cudaStream_t stream, bool host_waits) {
  return api(
      [&](Device&) {
        device(to_device), device(from_device);  // they exist
        copy(to, from, bytes, call, cudaMemcpyDeviceToDevice, stream, host_waits);
        return cudaSuccess;
      },
      call);
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return copy_3d(parameters, "cudaMemcpy3D", nullptr, true);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return copy_3d(parameters, "cudaMemcpy3DAsync", stream, false);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return set_3d(to, value, extent, "cudaMemset3D", nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return set_3d(to, value, extent, "cudaMemset3DAsync", stream);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return copy_peer(to, to_device, from, from_device, bytes, "cudaMemcpyPeer", nullptr, true);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  return copy_peer(to, to_device, from, from_device, bytes, "cudaMemcpyPeerAsync", stream, false);
}

/// Addresses and arrays tell by themselves which device they are on.
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  const cudaError_t code = api([&](Device&) {
    require(p);
    device(p->srcDevice), device(p->dstDevice);  // they exist
    return cudaSuccess;
  });
  if (code != cudaSuccess) return code;
  const cudaMemcpy3DParms same{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                               p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
  return cudaMemcpy3DAsync(&same, stream);
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  const cudaError_t code = cudaMemcpy3DPeerAsync(p, nullptr);
  return code != cudaSuccess ? code : cudaStreamSynchronize(nullptr);
}

}  // extern "C"
