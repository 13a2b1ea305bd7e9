// Allocating and freeing: device, managed, page-locked and pooled memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/graph/graph_handles.h"
#include "simulator/cudart/launch/fault_injection.h"
#include "simulator/cudart/launch/settings.h"
#include "simulator/cudart/memory/pointers.h"
#include "simulator/cudart/memory/pool.h"
#include "simulator/cudart/report/leaks.h"

namespace sim::cudart {
namespace {

using memory::Allocation;
using memory::Kind;

constexpr double kAllocateNs = 10'000;
constexpr double kPoolNs = 500;
constexpr std::size_t kPitch = 512;  ///< rows of pitched memory start at multiples of this
constexpr std::size_t kMostFilled = std::size_t{16} << 20;  ///< bytes: some milliseconds

/// Bytes in use on one of the devices.
std::uint64_t bytes_on(const Device& d) {
  if (device_count() == 1) return d.space.bytes_in_use();
  std::uint64_t bytes = 0;
  for (const Allocation* allocation : d.space.live())
    if (allocation->device == d.ordinal) bytes += allocation->size;
  return bytes;
}

Allocation& allocate(std::size_t bytes, Kind kind, const char* call, double ns) {
  Device& d = device();
  d.clock.host_spends(ns);
  if (kind == Kind::device && (bytes > d.gpu.memory_bytes || bytes_on(d) > d.gpu.memory_bytes - bytes))
    throw std::bad_alloc();
  Allocation& fresh = *d.space.allocate(bytes, kind, fmt::format("{} #{}", call, ++d.allocations));
  if (kind == Kind::device && settings().fill >= 0 && bytes <= kMostFilled)
    std::memset(fresh.host, settings().fill, bytes);
  fresh.device = d.ordinal;
  remember_place(fresh);
  return fresh;
}

void* address(const Allocation& a) { return reinterpret_cast<void*>(a.base); }

/// The live allocation that starts at a pointer. @throws ApiError after explaining
Allocation& owned(void* pointer, const char* call, bool page_locked) {
  Device& d = device();
  const auto at = reinterpret_cast<std::uint64_t>(pointer);
  Allocation* allocation = d.space.find_base(at);
  if (!allocation) {
    const bool inside = d.space.find(at) != nullptr;
    refuse(cudaErrorInvalidValue, FindingKind::free,
           inside ? Message("{} of {}: only the pointer that the allocation returned can be freed",
                            ApiCall{call}, d.space.describe(at).words)
                  : Message("{} of a pointer that no CUDA allocation returned", ApiCall{call}));
  }
  if (allocation->registered) {
    refuse(cudaErrorInvalidValue, FindingKind::free,
           Message("{} of memory that the program owns ({}): cudaHostUnregister undoes that", ApiCall{call},
                   allocation->name()));
  }
  if (allocation->freed) {
    refuse(cudaErrorInvalidValue, FindingKind::free,
           Message("{} of a buffer of {} bytes ({}) that was freed before", ApiCall{call}, allocation->size,
                   allocation->name()));
  }
  if ((allocation->kind == Kind::pinned) != page_locked || allocation->kind == Kind::symbol) {
    refuse(cudaErrorInvalidValue, FindingKind::free,
           Message("{} of a buffer that came from {}: the pairs are cudaMalloc with cudaFree and "
                   "cudaMallocHost with "
                   "cudaFreeHost",
                   ApiCall{call}, allocation->name()));
  }
  return *allocation;
}

cudaError_t allocate_into(void** pointer, std::size_t bytes, Kind kind, const char* call, double ns) {
  if (!pointer || bytes == 0) {  // the device is not asked
    const auto nothing = [&](Device&) {
      require(pointer);
      *pointer = nullptr;
      return cudaSuccess;
    };
    return api_apart(nothing, false, call);
  }
  const auto something = [&](Device& d) {
    *pointer = nullptr;
    if (ns != kPoolNs) forbid_beside_captures();
    may_fail(call);
    Allocation& fresh = allocate(bytes, kind, call, ns);
    if (kind == Kind::managed) d.managed.add(&fresh);
    *pointer = address(fresh);
    return cudaSuccess;
  };
  return api(something, call);
}

/// Page-locking costs the host per page.
double locking_ns(std::size_t bytes) { return kAllocateNs + bytes / 4096.0 * 100; }

}  // namespace

cudaError_t malloc_from_current_pool(void** pointer, std::size_t bytes, cudaStream_t stream,
                                     const char* call) {
  return api([&](Device& d) {
    CUstream_st& on = stream_of(stream);
    if (!on.capture) forbid_beside_captures();
    const cudaError_t code = allocate_into(pointer, bytes, Kind::device, call, kPoolNs);
    if (code != cudaSuccess || *pointer == nullptr) return code;
    const auto start = reinterpret_cast<std::uint64_t>(*pointer);
    comes_from_current_pool(*d.space.find_base(start));
    if (!on.capture)
      submit(on, [start, bytes, call](CUstream_st& in) {
        record_access(in, {start, bytes, true, false}, call);
      });
    return code;
  });
}

}  // namespace sim::cudart

using namespace sim::cudart;
using sim::memory::Allocation;
using sim::memory::Kind;

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate_into(pointer, bytes, Kind::device, "cudaMalloc", kAllocateNs);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return api([&](Device&) {
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
    return allocate_into(pointer, bytes, Kind::managed, "cudaMallocManaged", kAllocateNs);
  });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate_into(pointer, bytes, Kind::pinned, "cudaMallocHost", locking_ns(bytes));
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
    return api_apart([](Device&) { return cudaErrorInvalidValue; });
  // That is also what the header's overloads of cudaMallocHost call.
  const char* const call = flags == cudaHostAllocDefault ? "cudaMallocHost" : "cudaHostAlloc";
  return allocate_into(pointer, bytes, Kind::pinned, call, locking_ns(bytes));
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return api([&](Device&) {
    require(pitch && width <= std::numeric_limits<std::size_t>::max() - kPitch);
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    require(height == 0 || *pitch <= std::numeric_limits<std::size_t>::max() / height,
            cudaErrorMemoryAllocation);
    return allocate_into(pointer, *pitch * height, Kind::device, "cudaMallocPitch", kAllocateNs);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  return api([&](Device&) {
    require(pointer);
    *pointer = {nullptr, 0, extent.width, extent.height};
    return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
  });
}

cudaError_t cudaFree(void* pointer) {
  return api([&](Device& d) {
    forbid_beside_captures();
    if (!pointer) return cudaSuccess;
    Allocation& allocation = owned(pointer, "cudaFree", false);
    d.clock.host_spends(kAllocateNs);
    d.synchronise();
    const ManagedPages::Migration read_back = d.managed.remove(&allocation);
    d.clock.host_spends(read_back.granules * d.gpu.fault_ns + read_back.bytes / d.gpu.pinned_gb_per_s);
    forget(allocation);
    d.space.free(&allocation);
    return cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return api([&](Device& d) {
    forbid_beside_captures();
    if (!pointer) return cudaSuccess;
    Allocation& allocation = owned(pointer, "cudaFreeHost", true);
    d.clock.host_spends(kAllocateNs);
    d.synchronise();
    d.space.free(&allocation);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return malloc_from_current_pool(pointer, bytes, stream, "cudaMallocAsync");
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return api([&](Device& d) {
    if (!pointer) return cudaSuccess;
    d.clock.host_spends(kPoolNs);
    Allocation* allocation = &owned(pointer, "cudaFreeAsync", false);
    CUstream_st& on = stream_of(stream);
    // A graph may be launched again: its memory stays.
    if (on.capture) {
      submit(
          on, [](CUstream_st&) {}, cudaGraphNodeTypeMemFree);
    } else {
      submit(on, [allocation](CUstream_st& stream) {
        record_access(stream, {allocation->base, allocation->size, true, false}, "cudaFreeAsync");
        forget(*allocation);
        device().space.free(allocation);
      });
    }
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return api([&](Device& d) {
    constexpr unsigned kKnown = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                                cudaHostRegisterReadOnly;
    require(pointer && bytes > 0 && (flags & ~kKnown) == 0);
    forbid_beside_captures();
    const auto base = reinterpret_cast<std::uint64_t>(pointer);
    require(bytes <= ~base);
    const Allocation* there = d.space.find(base);
    require(there == nullptr || there->registered);
    for (const Allocation* other : d.space.live())
      require(!other->registered || other->base >= base + bytes || base >= other->base + other->size,
              cudaErrorHostMemoryAlreadyRegistered);
    may_fail("cudaHostRegister");
    d.clock.host_spends(locking_ns(bytes));
    Allocation* const fresh =
        d.space.register_host(base, bytes, fmt::format("cudaHostRegister #{}", ++d.allocations));
    fresh->device = d.ordinal;
    remember_place(*fresh);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api([&](Device& d) {
    require(pointer);
    Allocation* there = d.space.find_base(reinterpret_cast<std::uint64_t>(pointer));
    require(there != nullptr && there->registered && !there->freed, cudaErrorHostMemoryNotRegistered);
    d.synchronise();
    forget(*there);
    d.space.free(there);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host, unsigned flags) {
  return api([&](Device& d) {
    require(device_pointer && host && flags == 0);
    const auto* allocation = d.space.find(reinterpret_cast<std::uint64_t>(host));
    require(allocation && allocation->kind == Kind::pinned && !allocation->freed);
    *device_pointer = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return api([&](Device& d) {
    const auto* allocation = d.space.find(reinterpret_cast<std::uint64_t>(host));
    require(flags && allocation && allocation->kind == Kind::pinned && !allocation->freed);
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return api([&](Device& d) {
    const std::size_t all = d.gpu.memory_bytes;
    if (total) *total = all;
    if (free) *free = all - std::min<std::size_t>(all, bytes_on(d));
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api_apart([&](Device& d) {
    require(attributes);
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -2;  // cudaInvalidDeviceId
    const auto* allocation = d.space.find(reinterpret_cast<std::uint64_t>(pointer));
    if (!allocation || allocation->freed) {
      attributes->hostPointer = const_cast<void*>(pointer);
      return cudaSuccess;
    }
    attributes->device = allocation->device;
    attributes->devicePointer = const_cast<void*>(pointer);
    const bool host_sees = allocation->kind == Kind::managed || allocation->kind == Kind::pinned;
    attributes->hostPointer = host_sees ? const_cast<void*>(pointer) : nullptr;
    attributes->type = allocation->kind == Kind::managed  ? cudaMemoryTypeManaged
                       : allocation->kind == Kind::pinned ? cudaMemoryTypeHost
                                                          : cudaMemoryTypeDevice;
    return cudaSuccess;
  });
}

}  // extern "C"
