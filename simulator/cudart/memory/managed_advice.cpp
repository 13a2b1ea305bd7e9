// Managed memory: prefetch, advice, attachment to streams, what is known of a range.
#include <algorithm>
#include <cstring>
#include <map>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/memory/pointers.h"

using namespace sim::cudart;

namespace {

cudaError_t prefetch(const void* pointer, std::size_t bytes, bool to_device, cudaStream_t handle,
                     const char* name = __builtin_FUNCTION()) {
  const auto body = [&](Device& d) {
    CUstream_st& stream = stream_of(handle);
    require(bytes > 0);
    const ResolvedPointer place =
        resolve_pointer(pointer, bytes, "cudaMemPrefetchAsync", "range", MemorySide::any);
    require(place.allocation && d.managed.holds(place.allocation));
    d.clock.host_spends(3000);
    const auto offset = reinterpret_cast<std::uint64_t>(pointer) - place.allocation->base;
    submit(stream, [=, allocation = place.allocation](CUstream_st& on) {
      Device& at = device();
      const ManagedPages::Migration move = at.managed.prefetch(allocation, offset, bytes, to_device);
      if (move.bytes == 0) return;
      at.clock.run(on, to_device ? Engine::to_device : Engine::to_host,
                   at.gpu.copy_latency_ns +
                       move.bytes / (to_device ? at.gpu.prefetch_gb_per_s : at.gpu.fetch_back_gb_per_s));
    });
    return cudaSuccess;
  };
  return api(body, name);
}

/// What was advised of managed memory, by the allocation's start. It changes where pages live on hardware;
/// here it is only remembered.
struct Advice {
  bool read_mostly = false;
  cudaMemLocation preferred{cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
};
std::map<std::uint64_t, Advice>& advised() {
  static auto& all = *new std::map<std::uint64_t, Advice>;
  return all;
}

/// The managed allocation that a range lies in. @throws ApiError cudaErrorInvalidValue
const sim::memory::Allocation& managed_range(const void* pointer, std::size_t bytes, const char* call) {
  require(bytes > 0);
  const ResolvedPointer place = resolve_pointer(pointer, bytes, call, "range", MemorySide::any);
  require(place.allocation && device().managed.holds(place.allocation));
  return *place.allocation;
}

bool exists(const cudaMemLocation& location) {
  return location.type != cudaMemLocationTypeDevice || (location.id >= 0 && location.id < device_count());
}

cudaError_t advise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, cudaMemLocation where) {
  return api([&](Device&) {
    require(advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy && exists(where));
    Advice& known = advised()[managed_range(pointer, bytes, "cudaMemAdvise").base];
    if (advice == cudaMemAdviseSetReadMostly) known.read_mostly = true;
    if (advice == cudaMemAdviseUnsetReadMostly) known.read_mostly = false;
    if (advice == cudaMemAdviseSetPreferredLocation) known.preferred = where;
    if (advice == cudaMemAdviseUnsetPreferredLocation) known.preferred = Advice{}.preferred;
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
  const bool to_device = location.type == cudaMemLocationTypeDevice;
  const bool known =
      location.type >= cudaMemLocationTypeDevice && location.type <= cudaMemLocationTypeHostNumaCurrent;
  if (flags != 0 || !known) return last_error() = cudaErrorInvalidValue;
  if (!exists(location)) return last_error() = cudaErrorInvalidDevice;
  return prefetch(pointer, bytes, to_device, stream);
}
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation where) {
  return advise(pointer, bytes, advice, where);
}
#else
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int target, cudaStream_t stream) {
  if (target != cudaCpuDeviceId && (target < 0 || target >= device_count()))
    return last_error() = cudaErrorInvalidDevice;
  return prefetch(pointer, bytes, target != cudaCpuDeviceId, stream);
}
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, int id) {
  return advise(pointer, bytes, advice,
                {id == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, id});
}
#endif

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* pointer, std::size_t bytes, unsigned flags) {
  return api([&](Device&) {
    CUstream_st& stream = stream_of(handle);
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle);
    require(flags != cudaMemAttachSingle || &stream != &stream.device->default_stream);
    managed_range(pointer, std::max<std::size_t>(1, bytes), "cudaStreamAttachMemAsync");
    return cudaSuccess;
  });
}

cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t size, cudaMemRangeAttribute attribute,
                                     const void* pointer, std::size_t bytes) {
  return api([&](Device&) {
    require(data && size >= sizeof(int));
    const Advice& known = advised()[managed_range(pointer, bytes, "cudaMemRangeGetAttribute").base];
    const auto give = [&](int value) {
      std::memset(data, 0xFF, size);  // further devices of a list: none
      std::memcpy(data, &value, sizeof value);
      return cudaSuccess;
    };
    switch (attribute) {
      case cudaMemRangeAttributeReadMostly:
        return give(known.read_mostly);
      case cudaMemRangeAttributePreferredLocation:
        return give(known.preferred.id);
      case cudaMemRangeAttributeAccessedBy:
      case cudaMemRangeAttributeLastPrefetchLocation:
        return give(cudaInvalidDeviceId);
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* sizes, cudaMemRangeAttribute* attributes,
                                      std::size_t count, const void* pointer, std::size_t bytes) {
  return api([&](Device&) {
    require(data && sizes && attributes && count > 0);
    for (std::size_t i = 0; i < count; ++i) {
      const cudaError_t code = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, bytes);
      if (code != cudaSuccess) return code;
    }
    return cudaSuccess;
  });
}

}  // extern "C"
