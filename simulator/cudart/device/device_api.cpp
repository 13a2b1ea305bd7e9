// Devices: one of them, its properties, waiting for it, resetting it.
#include <cstdio>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/device/device_attributes.h"
#include "simulator/cudart/device/limits.h"
#include "simulator/cudart/graph/graph_handles.h"
#include "simulator/cudart/module/registry.h"
#include "simulator/cudart/stream/deferred_work.h"
#include "simulator/telemetry.h"

using namespace sim::cudart;

namespace {

/// How often the program has called cudaDeviceReset(); the device's lock is held.
std::uint64_t resets = 0;

void require_device(int id) { device(id); }

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return api_apart([&](Device&) {
    require(count);
    *count = device_count();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* id) {
  return api_apart([&](Device& d) {
    require(id);
    *id = d.ordinal;
    return cudaSuccess;
  });
}

/// Works on a device that has failed: another one may be chosen.
cudaError_t cudaSetDevice(int id) {
  return api_apart([&](Device&) {
    choose_device(id);
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int id, unsigned, unsigned) { return cudaSetDevice(id); }

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return api([&](Device&) {
    require((flags & ~static_cast<unsigned>(cudaDeviceMask)) == 0);
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api_apart([&](Device&) {
    require(flags);
    *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int id) {
  return api_apart([&](Device& d) {
    require(properties);
    require_device(id);
    fill_properties(*properties, d.gpu, id);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int id) {
  return api_apart([&](Device& d) {
    require(value);
    require_device(id);
    return attribute_of(*value, which, d.gpu);
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api([](Device& d) {
    forbid_beside_captures();
    d.clock.host_spends(1000);
    d.synchronise();
    return cudaSuccess;
  });
}

/// Frees everything on the device. One that had failed stays lost, as an H200 does for the process.
cudaError_t cudaDeviceReset() {
  Device& d = device();
  std::lock_guard hold(d.lock);
  ++resets;
  wait_for_deferred(d);
  d.clock.host_waits_until(d.clock.all_done());
  registry().unload_all();
  for (const auto* allocation : d.space.live()) {
    if (allocation->device != d.ordinal) continue;
    d.managed.remove(allocation);
    d.space.free(const_cast<sim::memory::Allocation*>(allocation));
  }
  d.grid_sync = nullptr;
  d.peers.clear();
  forget_limits(d);
  d.sticky = d.failed() ? cudaErrorDevicesUnavailable : cudaSuccess;
  d.pending = last_error() = cudaSuccess;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api([&](Device&) {
    require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api([&](Device&) {
    require(config);
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int id) {
  return api_apart([&](Device&) {
    require(text && length >= 13);
    require_device(id);
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", id + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* id, const char* text) {
  return api_apart([&](Device&) {
    require(id && text);
    unsigned domain = 0, bus = 0;
    require(std::sscanf(text, "%x:%x:", &domain, &bus) == 2 && bus > 0);
    *id = device(static_cast<int>(bus) - 1).ordinal;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int id, int peer) {
  return api_apart([&](Device&) {
    require(can);
    require_device(id);
    require_device(peer);
    *can = id != peer;  // a device is no peer of itself
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api([&](Device& d) {
    require(flags == 0);
    require(device(peer).ordinal != d.ordinal, cudaErrorPeerAccessUnsupported);
    require(d.peers.insert(peer).second, cudaErrorPeerAccessAlreadyEnabled);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api([&](Device& d) {
    device(peer);  // it exists
    require(d.peers.erase(peer) == 1, cudaErrorPeerAccessNotEnabled);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int id, int peer) {
  return api_apart([&](Device&) {
    require(value);
    require(device(id).ordinal != device(peer).ordinal, cudaErrorInvalidDevice);
    *value = attribute == cudaDevP2PAttrAccessSupported || attribute == cudaDevP2PAttrNativeAtomicSupported;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int* id, const cudaDeviceProp* wanted) {
  return api_apart([&](Device&) {
    require(id && wanted);
    *id = 0;  // all are alike
    return cudaSuccess;
  });
}

cudaError_t cudaSetValidDevices(int* ids, int count) {
  return api_apart([&](Device&) {
    require(ids || count == 0);
    for (int i = 0; i < count; ++i) require_device(ids[i]);
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return api_apart([&](Device&) {
    require(version);
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"

std::uint64_t sim::device_resets() {
  std::lock_guard hold(device().lock);
  return resets;
}
